import { createHash } from "node:crypto";
import { clusterExecutor } from "@vouch/cluster";
import { afterAll, describe, expect, it } from "vitest";
import { createLearner, type Executor, inlineExecutor, serialise, trainClassifier } from "vouch";
import { drawnTable } from "./drawn-table.js";
import { echo } from "./jobs.mjs";
import { hasRedis, RedisServer } from "./redis-server.js";
import { startWorkers } from "./worker-process.js";

/** Milliseconds that Redis is away: longer than a worker's lock, and than the time after which one counts as gone. */
const OUTAGE = 7000;

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
