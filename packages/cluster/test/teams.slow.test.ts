import { type ClusterSettings, clusterExecutor, startWorker } from "@vouch/cluster";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inlineExecutor } from "vouch";
import { echo } from "./jobs.mjs";
import { hasRedis, RedisServer } from "./redis-server.js";

describe.skipIf(!hasRedis)("two teams at one Redis", () => {
  const open: { close(): Promise<unknown> }[] = [];
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
    await redis.with(async (admin) => {
      for (const team of ["team-a", "team-b"]) {
        const allowed = [">secret", `~${team}:*`, `&${team}:*`, "+@all", "-@admin", "-@dangerous"];
        await admin.call("ACL", "SETUSER", team, "on", ...allowed, "+info", "+client");
      }
    });
  });
  afterAll(async () => {
    await redis?.stop();
  });

  const url = (user: string, prefix: string) =>
    `redis://${user}:secret@127.0.0.1:${redis.port}?prefix=${prefix}`;

  async function run(team: string, settings: Partial<ClusterSettings> = {}) {
    const executor = await clusterExecutor({ url: url(team, team), local: inlineExecutor(), ...settings });
    open.push(executor);
    return executor;
  }

  async function worker(team: string): Promise<string[]> {
    const started: string[] = [];
    open.push(
      await startWorker({
        url: url(team, team),
        threads: 2,
        tasks: [echo.id],
        script: new URL("./job-thread.mjs", import.meta.url),
        onEvent: (event) => event.kind === "started" && started.push(`${event.task} ${event.index}`),
      }),
    );
    return started;
  }

  it("see nothing of each other, with users that may use their own prefix only", async () => {
    const ofA = await worker("team-a");
    await expect(run("team-b", { patience: 300 })).rejects.toMatchObject({
      code: "cluster/no-workers",
      message: expect.stringContaining("?prefix=team-b for"),
    });
    const ofB = await worker("team-b");
    const [a, b] = await Promise.all([run("team-a"), run("team-b")]);
    expect([a.cluster.count, b.cluster.count]).toEqual([1, 1]);
    // The same blob, and runs of which one is cancelled.
    const values = Float64Array.from({ length: 5000 }, (_, i) => i);
    const abort = new AbortController();
    const cancelled = b.map(echo, [{ values, milliseconds: 20_000 }], { signal: abort.signal });
    const answered = a.map(echo, [{ values, milliseconds: 1000 }, {}]);
    await expect.poll(() => [ofA.length, ofB.length], { timeout: 20_000 }).toEqual([2, 1]);
    const keys = await redis.keys();
    expect(new Set(keys.map((key) => key.split(":")[0]))).toEqual(new Set(["team-a", "team-b"]));
    expect(keys.filter((key) => key.includes(":blob:") && key.endsWith(":runs")).length).toBe(2);
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "run/interrupted" });
    expect(await answered).toEqual([{ values }, {}]);
    await Promise.all(open.splice(0).map((each) => each.close()));
    expect(await redis.keys()).toEqual([]);
    // Redis has refused nothing.
    expect(await redis.with((admin) => admin.call("ACL", "LOG"))).toEqual([]);
  });

  it("are kept from each other's prefix, and told what is missing", async () => {
    const wrong = clusterExecutor({ url: url("team-a", "team-b"), local: inlineExecutor() });
    await expect(wrong).rejects.toMatchObject({
      code: "cluster/denied",
      message: expect.stringMatching(
        /^The user of redis:\/\/team-a@\S+\?prefix=team-b lacks a permission: .*key/,
      ),
      hint: expect.stringContaining("~team-b:* &team-b:*"),
    });
  });

  it("cannot have a prefix that ACL patterns or queues read as more than a name", async () => {
    for (const search of ["?prefix=", "?prefix=a:b", "?prefix=*", "?prefix=a&prefix=b", "?other=a"]) {
      const executor = clusterExecutor({ url: `redis://127.0.0.1${search}`, local: inlineExecutor() });
      await expect(executor, search).rejects.toMatchObject({ code: "option/invalid" });
    }
  });
});
