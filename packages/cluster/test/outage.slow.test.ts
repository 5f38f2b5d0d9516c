import { createHash, randomUUID } from "node:crypto";
import { clusterExecutor, ShardTransport, startWorker } from "@vouch/cluster";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createLearner, type Executor, inlineExecutor, serialise, trainClassifier } from "vouch";
import { drawnTable } from "./drawn-table.js";
import { echo } from "./jobs.mjs";
import { hasRedis, RedisServer } from "./redis-server.js";
import { startWorkers } from "./worker-process.js";

/** Milliseconds that Redis is away: longer than a worker's lock, and than the time after which one counts as gone. */
const OUTAGE = 7000;

/** Milliseconds in which everything must be closed, whatever Redis does: twice as many as it takes on an idle machine. */
const CLOSED_WITHIN = 20_000;

const table = drawnTable(3000);

async function trained(executor: Executor): Promise<string> {
  const learner = await createLearner("forest", { trees: 240 });
  const { classifier } = await trainClassifier(table, learner, { target: "y", run: { seed: 3, executor } });
  return createHash("sha256")
    .update(await serialise(classifier))
    .digest("hex");
}

describe.skipIf(!hasRedis)("Redis that is away for longer than locks last", () => {
  const open: { stop(): Promise<unknown> }[] = [];
  afterAll(() => Promise.all(open.map((each) => each.stop())));

  // `node packages/cluster/chaos.mjs --long --kills 0 --restarts 1 --outage 60` does the same for a minute.
  it.concurrent("gives the same bytes when it is back, with all that it had written or with nothing", async () => {
    const expected = await trained(inlineExecutor());
    const rounds = ["yes", "no"].map(async (appendonly) => {
      const redis = await RedisServer.start("--appendonly", appendonly);
      const workers = await startWorkers(1, redis.url);
      open.push(...workers, redis);
      const executor = await clusterExecutor({ url: redis.url, local: inlineExecutor() });
      const result = trained(executor);
      await workers[0].says('"started"');
      await redis.kill();
      await new Promise((resolve) => setTimeout(resolve, OUTAGE));
      await redis.start();
      expect([appendonly, await result]).toEqual([appendonly, expected]);
      expect(executor.report().tasks).toBeGreaterThan(1);
      await executor.close();
      for (const worker of workers) expect(await worker.stop()).toBe(0);
      expect(await redis.keys()).toEqual([]);
    });
    await Promise.all(rounds);
  });

  it.concurrent("does not count against the time without workers, and ends the run after a limit of its own", async () => {
    const redis = await RedisServer.start();
    open.push(redis);
    const local = inlineExecutor();
    const [worker] = await startWorkers(1, redis.url, { lock: 1000 });
    const executor = await clusterExecutor({ url: redis.url, local, patience: 1500, outage: 6000 });
    const inputs = Array.from({ length: 20 }, (_, i) => ({ i, milliseconds: 50 }));
    const answers = inputs.map(({ i }) => ({ i }));
    const result = executor.map(echo, inputs);
    await worker.says('"started"');
    redis.pause();
    await new Promise((resolve) => setTimeout(resolve, 4000));
    redis.resume();
    expect(await result).toEqual(answers);
    // Uploads and results wait for Redis as well as jobs.
    const values = Float64Array.from({ length: 1e6 }, Math.random);
    const late = [executor.map(echo, inputs), executor.map(echo, [{ values }])];
    await new Promise((resolve) => setImmediate(resolve));
    redis.pause();
    for (const each of await Promise.allSettled(late)) {
      const reason = expect.objectContaining({
        code: "cluster/unreachable",
        message: expect.stringMatching(/^Redis at \S+ cannot be reached: no answer for 6 s\.$/),
      });
      expect(each).toEqual({ status: "rejected", reason });
    }
    await Promise.all([executor.close(), worker.stop()]);
  });
});

describe.skipIf(!hasRedis)("a close ends in time", () => {
  /** Measures the milliseconds until all of these are closed. */
  async function timeToClose(...open: { close(): Promise<void> }[]): Promise<number> {
    const began = performance.now();
    await Promise.all(open.map((each) => each.close()));
    return performance.now() - began;
  }

  it.concurrent.each(["kill", "pause"] as const)("when Redis is away (%s) and shards close", async (away) => {
    const redis = await RedisServer.start();
    const opened = (["direct", "redis"] as const).flatMap((connect) => {
      const run = randomUUID();
      return [0, 1].map((shard) => ShardTransport.open({ url: redis.url, run, shard, shards: 2, connect }));
    });
    const shards = await Promise.all(opened);
    await redis[away]();
    expect(await timeToClose(...shards)).toBeLessThan(CLOSED_WITHIN);
    await redis.stop();
  });

  it.concurrent.each(["kill", "pause"] as const)(
    "when Redis is away (%s) and a run and its worker close",
    async (away) => {
      const redis = await RedisServer.start();
      const settings = { url: redis.url, threads: 1, script: new URL("./job-thread.mjs", import.meta.url) };
      const worker = await startWorker({ ...settings, tasks: [echo.id] });
      // The threads of this machine do not end by themselves.
      const local = { ...inlineExecutor(), close: () => new Promise<void>(() => {}) };
      const executor = await clusterExecutor({ url: redis.url, local });
      const result = executor.map(echo, [{ milliseconds: 60_000 }]);
      result.catch(() => {});
      await vi.waitFor(() => expect(worker.totals.running).toBe(1), 20_000);
      await redis[away]();
      expect(await timeToClose(executor, worker)).toBeLessThan(CLOSED_WITHIN);
      await redis.stop();
    },
  );
});
