import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTable } from "@vouch/formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLearner, serialise, trainClassifier } from "vouch";
import { hasRedis, RedisServer } from "./redis-server.js";
import { startShard } from "./start-shard.js";

const folder = mkdtempSync(join(tmpdir(), "forest-shards-test-"));

/** Writes rows of three classes with missing cells and categories. */
function writeRows(rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const [a, b] = [((i * 7919) % 1009) / 100, ((i * 104729) % 997) / 100];
    const label = i % 13 === 0 ? "none" : a + b > 10 ? "high" : "low";
    return `${a},${i % 11 === 0 ? "" : b},level ${i % 7},${label}`;
  });
  const path = join(folder, `rows-${rows}.csv`);
  writeFileSync(path, `a,b,category,label\n${lines.join("\n")}\n`);
  return path;
}

describe.skipIf(!hasRedis)("forests on shards over Redis", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(async () => {
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    { name: "forest", options: { trees: 20, rowsPerTree: 0.5 } },
    { name: "random-trees", options: { trees: 20 } },
  ])("three processes give the model file of one: $name", async (learner) => {
    const file = writeRows(2000);
    const table = await readTable(file, { name: "rows" });
    const alone = await trainClassifier(table, await createLearner(learner.name, learner.options), {
      holdout: 0.2,
      calibrate: false,
      run: { seed: 1 },
    });
    const expected = createHash("sha256")
      .update(await serialise(alone.classifier))
      .digest("hex");
    const run = randomUUID();
    const started = [0, 1, 2].map((shard) =>
      startShard({ url: redis.url, run, shard, shards: 3, file, learner }),
    );
    const results = await Promise.all(started.map(({ result }) => result));
    expect(results.map(({ sha256, message }) => sha256 ?? message)).toEqual([expected, expected, expected]);
    await redis.with(async (commands) => {
      expect(await commands.keys("*")).toEqual([]);
    });
  });

  it("a shard that is killed while trees grow ends the others with an error that names it", async () => {
    const file = writeRows(3000);
    const run = randomUUID();
    const learner = { name: "forest", options: { trees: 100_000 } };
    const started = [0, 1, 2].map((shard) =>
      startShard({ url: redis.url, run, shard, shards: 3, file, learner, silence: 4000 }),
    );
    await new Promise<void>((resolve, reject) => {
      started[1].child.on("message", () => resolve());
      // On a machine without time for it, a shard may be given up before it has begun.
      started[1].result.then(({ message }) => reject(new Error(message)));
    });
    started[1].child.kill("SIGKILL");
    const killed = performance.now();
    const [first, , last] = await Promise.all(started.map(({ result }) => result));
    expect(performance.now() - killed).toBeLessThan(20_000);
    for (const { message } of [first, last])
      expect(message).toMatch(/Shard 2 has (ended|not been heard of)|Shard [13] has failed: Shard 2/);
  });
});
