import { clusterExecutor, type TaskRecord } from "@vouch/cluster";
import { expect, it } from "vitest";
import { createLearner, inlineExecutor, trainClassifier } from "vouch";
import { drawnTable } from "./drawn-table.js";
import { hasRedis, RedisServer } from "./redis-server.js";
import { startWorkers } from "./worker-process.js";

it.skipIf(!hasRedis)(
  "tells when each task went through its steps, and computes one task at a time",
  async () => {
    const redis = await RedisServer.start();
    const workers = await startWorkers(2, redis.url, { threads: 1 });
    const records: TaskRecord[] = [];
    const executor = await clusterExecutor({
      url: redis.url,
      local: inlineExecutor(),
      onTask: (record) => records.push(record),
    });
    try {
      const forest = await createLearner("forest", { trees: 400 });
      await trainClassifier(drawnTable(6000), forest, { target: "y", run: { seed: 1, executor } });
      expect(records.length).toBe(executor.report().tasks);
      const grown = records.filter(({ task }) => task === "forest/grow-range");
      expect(grown.length).toBeGreaterThan(4);
      for (const { sent, taken, began, ended, stored, decoded } of grown) {
        // All processes have the clock of this machine, up to some milliseconds.
        expect(sent).toBeLessThan(taken + 100);
        expect([taken, began, ended, stored].toSorted((a, b) => a - b)).toEqual([
          taken,
          began,
          ended,
          stored,
        ]);
        expect(stored).toBeLessThan(decoded + 100);
      }
      for (const name of new Set(grown.map(({ worker }) => worker))) {
        const own = grown.filter(({ worker }) => worker === name).toSorted((a, b) => a.began - b.began);
        for (const [i, { began }] of own.entries()) {
          if (i > 0) expect(began).toBeGreaterThanOrEqual(own[i - 1].ended);
        }
      }
    } finally {
      await executor.close();
      for (const worker of workers) await worker.stop();
      await redis.stop();
    }
  },
);
