import { type ClusterExecutor, clusterExecutor } from "@vouch/cluster";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLearner, crossValidate, inlineExecutor, serialise, trainClassifier } from "vouch";
import { ResultSample } from "#cluster/result-checks.js";
import { drawnTable } from "./drawn-table.js";
import { double } from "./jobs.mjs";
import { hasRedis, RedisServer } from "./redis-server.js";
import { WorkerProcess } from "./worker-process.js";

const inputs = Array.from({ length: 12 }, (_, number) => ({ number }));

describe("a sample of results", () => {
  it("is of the given share, the same within a run, and unknown outside of it", () => {
    const tasks = Array.from({ length: 10_000 }, (_, index) => index);
    const chosen = (sample: ResultSample) => tasks.filter((index) => sample.has("task", 3, index));
    const sample = new ResultSample(0.05);
    // Six standard deviations.
    expect(Math.abs(chosen(sample).length - 500)).toBeLessThan(131);
    expect(chosen(sample)).toEqual(chosen(sample));
    expect(chosen(new ResultSample(0.05))).not.toEqual(chosen(sample));
    expect([chosen(new ResultSample(0)).length, chosen(new ResultSample(1)).length]).toEqual([0, 10_000]);
  });
});

describe.skipIf(!hasRedis)("results that are computed twice", () => {
  let redis: RedisServer;
  const workers: WorkerProcess[] = [];
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(async () => {
    for (const worker of workers) await worker.kill();
    await redis?.stop();
  });

  async function started(environment: NodeJS.ProcessEnv = {}): Promise<WorkerProcess> {
    const worker = new WorkerProcess(redis.url, {}, environment);
    workers.push(worker);
    await worker.says("joined");
    return worker;
  }

  async function verifying<T>(work: (executor: ClusterExecutor) => Promise<T>): Promise<T> {
    const executor = await clusterExecutor({ url: redis.url, local: inlineExecutor(), verify: 1 });
    try {
      return await work(executor);
    } finally {
      await executor.close();
    }
  }

  it("are the same from honest workers, whatever their times, and leave nothing in Redis", async () => {
    const [first] = await Promise.all([started(), started()]);
    const table = drawnTable(1000);
    const learner = await createLearner("forest", { trees: 90 });
    const train = async (executor = inlineExecutor()) => {
      const run = { seed: 3, executor };
      const { classifier } = await trainClassifier(table, learner, { target: "y", run });
      await crossValidate(table, await createLearner("boosted-trees"), { target: "y", folds: 2, run });
      return serialise(classifier);
    };
    const expected = await train();
    await verifying(async (executor) => {
      expect(await train(executor)).toEqual(expected);
      const { tasks, verified, workers } = executor.report();
      expect([verified, Object.keys(workers).length]).toEqual([tasks, 2]);
      // Without another worker, this process computes them.
      await first.stop();
      await expect.poll(() => executor.cluster.count).toBe(1);
      expect((await executor.map(double, inputs)).map(({ result }) => result)).toEqual(
        inputs.map(({ number }) => 2 * number),
      );
      expect(executor.report().verified).toBe(executor.report().tasks);
    });
    const keys = await redis.keys();
    expect(keys.filter((key) => /:(run|runs|blob)\b|:[0-9a-f]{32}-/.test(key))).toEqual([]);
  });

  it("end the run if they differ, with the task and both workers", async () => {
    // The honest worker that is left, and one that lies.
    await started({ VOUCH_TEST_LIES: "1" });
    await verifying(async (executor) => {
      await expect(executor.map(double, inputs)).rejects.toMatchObject({
        code: "cluster/mismatch",
        message: expect.stringMatching(
          /^Task "test\/double", input \d+ of 12: (\S+:\d+) and (?!\1)\S+:\d+ have computed different results\.$/,
        ),
      });
      // A liar alone is compared with this process.
      await workers[1].stop();
      await expect.poll(() => executor.cluster.count).toBe(1);
      await expect(executor.map(double, inputs)).rejects.toMatchObject({
        code: "cluster/mismatch",
        message: expect.stringMatching(/\S+:\d+ and this machine have computed/),
      });
    });
  });
});
