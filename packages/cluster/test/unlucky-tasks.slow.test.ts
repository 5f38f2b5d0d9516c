import { clusterExecutor } from "@vouch/cluster";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inlineExecutor } from "vouch";
import { echo } from "./jobs.mjs";
import { hasRedis, RedisServer } from "./redis-server.js";
import { startWorkers, type WorkerProcess } from "./worker-process.js";

describe.skipIf(!hasRedis)("a task whose workers die by chance", () => {
  let redis: RedisServer;
  let workers: WorkerProcess[] = [];
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(async () => {
    for (const worker of workers) await worker.kill();
    await redis?.stop();
  });

  it("is tried a fourth time, because others have died as well", async () => {
    workers = await startWorkers(5, redis.url, { lock: 1000 });
    const executor = await clusterExecutor({ url: redis.url, local: inlineExecutor() });
    const idle = new Set(workers);
    const result = executor.map(echo, [{ answer: 42, milliseconds: 1500 }], { wholeMachines: true });
    for (let death = 0; death < 3; death++) {
      const started = [...idle].map((worker) => worker.says('"started"').then(() => worker));
      for (const each of started) each.catch(() => {});
      const victim: WorkerProcess = await Promise.any(started);
      await victim.kill();
      idle.delete(victim);
      // One that had nothing to do with the task.
      if (death === 0) {
        const [bystander] = idle;
        await bystander.kill();
        idle.delete(bystander);
      }
    }
    expect(await result).toEqual([{ answer: 42 }]);
    await executor.close();
    for (const worker of idle) await worker.stop();
    expect(await redis.keys()).toEqual([]);
  });
});
