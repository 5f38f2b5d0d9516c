import { clusterExecutor, RedisExchange } from "@vouch/cluster";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inlineExecutor } from "vouch/machines";
import { gangSum } from "./jobs.mjs";
import { hasRedis, RedisServer } from "./redis-server.js";
import { startWorkers } from "./worker-process.js";

/** What the tasks of a gang compute, one after the other. */
function sums(members: number, rounds: number): number[] {
  let own = Array.from({ length: members }, (_, k) => k + 1);
  for (let round = 0; round < rounds; round++) {
    const total = own.reduce((sum, each) => sum + each, 0);
    own = own.map((_, k) => (total % 1000) + k);
  }
  return own;
}

describe.skipIf(!hasRedis)("an exchange", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(async () => {
    await redis?.stop();
  });

  it("passes bytes by key, to those that wait and those that come later", async () => {
    await redis.with(async (commands) => {
      const exchange = new RedisExchange(commands, "run", "0", 500);
      const waiting = exchange.get("a/1");
      await exchange.put("a/1", Uint8Array.of(1, 2, 3));
      // The first value stays.
      await exchange.put("a/1", Uint8Array.of(9));
      expect([...(await waiting)]).toEqual([1, 2, 3]);
      expect([...(await exchange.get("a/1"))]).toEqual([1, 2, 3]);
      await expect(exchange.get("never")).rejects.toMatchObject({ code: "cluster/timeout" });
      const abort = new AbortController();
      const aborted = exchange.get("never", abort.signal);
      abort.abort();
      await expect(aborted).rejects.toMatchObject({ code: "run/interrupted" });
      await exchange.close();
    });
  });

  it("lets the tasks of a gang work together, also if one of their workers dies", async () => {
    const workers = await startWorkers(3, redis.url, { lock: 1000 });
    const executor = await clusterExecutor({ url: redis.url, local: inlineExecutor() });
    const members = 3;
    const inputs = (rounds: number, pause: number) =>
      Array.from({ length: members }, (_, own) => ({ own, members, rounds, pause }));
    expect(await executor.map(gangSum, inputs(20, 0), { gang: true })).toEqual(sums(members, 20));
    expect(Object.values(executor.report().workers)).toEqual([1, 1, 1]);
    const result = executor.map(gangSum, inputs(40, 50), { gang: true });
    await new Promise((resolve) => setTimeout(resolve, 600));
    await workers[0].kill();
    expect(await result).toEqual(sums(members, 40));
    await expect(
      executor.map(gangSum, inputs(1, 0).concat(inputs(1, 0)), { gang: true }),
    ).rejects.toMatchObject({
      code: "cluster/no-workers",
    });
    await executor.close();
    for (const worker of workers.slice(1)) await worker.stop();
    expect((await redis.keys()).filter((key) => key.includes(":run:") && !key.includes(":run:run:"))).toEqual(
      [],
    );
  }, 90_000);
});
