import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRedis, RedisServer } from "../../../cluster/test/redis-server.js";
import { Desk, flowersCsv, noiseCsv, type Running } from "../vouch.js";

/** The samples of a text in Prometheus' format, by name; fails if a line is not in this format. */
function samples(text: string): Map<string, number> {
  const found = new Map<string, number>();
  const described = new Set<string>();
  for (const line of text.trimEnd().split("\n")) {
    const about = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line);
    if (about) {
      if (about[1] === "TYPE") expect(["gauge", "counter", "histogram", "summary"]).toContain(about[3]);
      described.add(about[2]);
      continue;
    }
    if (line === "") continue;
    const sample = /^([a-zA-Z_:][\w:]*)(\{[^{}]*\})? (-?[\d.]+(?:e[+-]?\d+)?|NaN|[+-]Inf)$/.exec(line);
    expect(sample, line).not.toBeNull();
    const [, name = "", labels, value] = sample ?? [];
    expect(described.has(name) || described.has(name.replace(/_(sum|count|bucket)$/, "")), line).toBe(true);
    if (!labels) found.set(name, Number(value));
  }
  return found;
}

describe.skipIf(!hasRedis)("commands with --cluster", () => {
  const desk = new Desk();
  const running: Running[] = [];
  let redis: RedisServer;
  let worker: Running;
  let metrics: string;
  const onCluster = () => ["--cluster", redis.url];

  beforeAll(async () => {
    redis = await RedisServer.start();
    worker = desk.start(["worker", "--threads", "2", "--metrics-port", "0", ...onCluster()], {
      timeout: 300_000,
    });
    running.push(worker);
    let stderr = "";
    worker.child.stderr?.on("data", (text) => {
      stderr += String(text);
    });
    await worker.said("/metrics.");
    metrics = /http:\/\/\S+\/metrics/.exec(stderr)?.[0] ?? "";
    desk.file("flowers.csv", flowersCsv(1500));
    desk.file("noise.csv", noiseCsv(3000));
    desk.file("many.csv", noiseCsv(60_000));
  });
  afterAll(async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await redis?.stop();
  });

  /** Runs a command on this machine and on the cluster; both must print the same. */
  async function same(args: readonly string[], ...flags: readonly string[]): Promise<string> {
    const [alone, sent] = await Promise.all([
      desk.print(args),
      desk.run([...args, ...onCluster(), ...flags], {}),
    ]);
    expect(sent.stderr).toMatch(/The cluster ran [1-9]\d* tasks? on 1 worker/);
    // Times are those of each machine.
    const timeless = (text: string) => text.replaceAll(/"\w*[sS]econds": [\d.e-]+/g, "");
    expect(timeless(sent.stdout)).toBe(timeless(alone));
    return sent.stderr;
  }

  it("predict the same, row for row", async () => {
    const train = ["train", "noise.csv", "--learner", "svm", "--set", "kernel=rbf", "--set", "gamma=100"];
    await desk.print([...train, "--no-calibrate", "--out", "slow.st"]);
    await same(["predict", "slow.st", "many.csv", "--threads", "1"]);
  });

  it("compare the same, and count up the metrics that docs/cluster.md names", async () => {
    const before = samples(await (await fetch(metrics)).text());
    const compare = ["compare", "flowers.csv", "--learners", "stump,adaboost,boosted-trees", "--folds", "5"];
    expect(await same([...compare, "--json"], "--verify", "99%")).toMatch(/ [1-9]\d* results? verified, /);
    expect(await desk.fault(2, [...compare, "--verify", "5%"])).toContain("--verify needs --cluster.");
    const response = await fetch(metrics);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=/);
    const after = samples(await response.text());
    const docs = readFileSync(new URL("../../../../docs/cluster.md", import.meta.url), "utf8");
    const names = [...new Set(Array.from(docs.matchAll(/`(vouch_worker_\w+)`/g), ([, name]) => name))].sort();
    expect([...after.keys()].filter((name) => name.startsWith("vouch_worker_")).sort()).toEqual(names);
    const rising = ["tasks_done", "task_seconds"];
    for (const name of rising.map((each) => `vouch_worker_${each}`))
      expect([name, (after.get(name) ?? 0) - (before.get(name) ?? 0) > 0]).toEqual([name, true]);
    expect(after.get("vouch_worker_tasks_failed")).toBe(0);
    expect(after.get("vouch_worker_tasks_running")).toBe(0);
    expect(after.get("process_start_time_seconds")).toBeGreaterThan(0);
  });

  it("say that a port for metrics is taken", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const error = await desk.fault(2, ["worker", "--metrics-port", `${port}`, ...onCluster()], {});
    expect(error).toContain(`Metrics cannot be served on port ${port}`);
    expect(error).toContain("--metrics-port");
    server.close();
  });
});
