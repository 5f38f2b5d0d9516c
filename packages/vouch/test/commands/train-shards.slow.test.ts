import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRedis, RedisServer } from "../../../cluster/test/redis-server.js";
import { Desk } from "../vouch.js";

const desk = new Desk();
let redis: RedisServer;

beforeAll(async () => {
  if (hasRedis) redis = await RedisServer.start();
});

afterAll(() => redis?.stop());

/** Rows with an identifier, numbers, missing cells, categories with line feeds, and a class that follows from them. */
function rowsCsv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const [a, b] = [((i * 7919) % 1009) / 100, ((i * 104729) % 997) / 100];
    const label = a + b > 10 !== (i % 13 === 0) ? "yes" : "no";
    return `${i + 1},${a},${i % 11 === 0 ? "" : b},"level\n${i % 7}",${label}`;
  });
  return `row_id,a,b,category,label\n${lines.join("\n")}\n`;
}

const learner = ["--learner", "boosted-trees", "--set", "rounds=10", "--set", "maxDepth=4"];

/** Starts the shards of a run, each with further arguments. */
function startShards(count: number, name: string, args: readonly (readonly string[])[]) {
  return Promise.all(
    Array.from({ length: count }, (_, k) => {
      const own = ["--shard", `${k + 1}/${count}`, "--cluster", redis.url, "--run-name", name];
      const all = ["train", "rows.csv", ...learner, ...own, "--out", `${name}-${k + 1}.safetensors`];
      return desk.run([...all, ...(args[k] ?? [])], { timeout: 120_000 });
    }),
  );
}

describe.skipIf(!hasRedis)("train --shard", () => {
  it("gives the model file of one machine, from three processes", async () => {
    desk.file("rows.csv", rowsCsv(3000));
    await desk.print(["train", "rows.csv", ...learner, "--no-calibrate", "--out", "alone.safetensors"]);
    const threads = ["--threads", "2"];
    const [first, ...others] = await startShards(3, "three", [threads, threads, ["--json"]]);
    expect([first, ...others].map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0]);
    expect(desk.bytes("three-1.safetensors").equals(desk.bytes("alone.safetensors"))).toBe(true);
    expect(desk.names().filter((name) => name.startsWith("three-"))).toEqual(["three-1.safetensors"]);
    expect(first.stdout).toContain("model saved to three-1.safetensors");
    expect(first.stderr.replaceAll(/\s+/g, " ")).toContain(
      '1 identifier column dropped, with a different value in every row: "row_id"',
    );
    expect(first.stderr).toContain("Probabilities are not calibrated on shards.");
    expect(others[0].stdout).toBe("shard 2 of 3 is done; shard 1 saves the model\n");
    expect(JSON.parse(others[1].stdout)).toEqual({ shard: 3, shards: 3 });
    expect(await redis.keys()).toEqual([]);
  }, 180_000);

  it("refuses shards with different options, and two with the same number", async () => {
    desk.file("rows.csv", rowsCsv(300));
    const differing = await startShards(2, "differing", [[], ["--seed", "2"]]);
    for (const { code, stderr } of differing) {
      expect(code).toBeGreaterThan(0);
      expect(stderr.replaceAll(/\s+/g, " ")).toMatch(
        /error: (Shard \d has failed: )?Shard 2 was started with --seed 2, and shard 1 with 1\./,
      );
    }
    const run = ["train", "rows.csv", ...learner, "--cluster", redis.url, "--run-name=twice", "--out=t"];
    const first = desk.start([...run, "--shard=1/2"], { timeout: 120_000 });
    while (!(await redis.keys()).includes("vouch:shards:twice:alive:0"))
      await new Promise((resolve) => setTimeout(resolve, 50));
    const twice = await desk.run([...run, "--shard=1/2"], { timeout: 120_000 });
    expect(twice.code).toBe(2);
    expect(twice.stderr.replaceAll(/\s+/g, " ")).toMatch(/Shard 1 of run "twice" is running already\./);
    const second = await desk.run([...run, "--shard=2/2"], { timeout: 120_000 });
    expect([(await first.outcome).code, second.code]).toEqual([0, 0]);
  }, 180_000);
});

describe("train --shard says what does not fit", () => {
  const shard = ["train", "rows.csv", "--shard", "1/2"];
  const cluster = ["--cluster", "redis://127.0.0.1:1"];
  it.each([
    [[...shard, ...learner], "--shard needs --cluster."],
    [[...shard, ...cluster], "--shard trains boosted-trees, but no --learner is given."],
    [
      [...shard, ...cluster, "--learner", "forest"],
      "forest cannot be trained on shards. Train boosted-trees on shards, or forest on a subsample of the rows: --rows without --shard.",
    ],
    [[...shard, ...cluster, ...learner, "--folds", "5"], "--folds cannot be combined with --shard."],
    [[...shard, ...cluster, ...learner, "--budget", "5s"], "--budget cannot be combined with --shard."],
    [[...shard, ...cluster, ...learner, "--class-weights", "balanced"], "--class-weights cannot be combined"],
    [["train", "-", "--shard=1/2", ...cluster, ...learner], "--shard cannot read standard input."],
    [
      ["train", "rows.csv", "--shard=3/2"],
      '--shard must be k/n, such as 3/16: process k (from 1) of n, not "3/2".',
    ],
    [["train", "rows.csv", "--run-name=x"], "--run-name needs --shard."],
    [["train", "rows.csv", "--host=10.0.0.1"], "--host needs --shard."],
  ])("%j", async (args, message) => {
    desk.file("rows.csv", rowsCsv(30));
    const { code, stderr } = await desk.run(args);
    expect({ code, stderr: stderr.replaceAll(/\s+/g, " ") }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });
});
