import { createServer, connect as openSocket, type Server } from "node:net";
import { startWorker } from "@vouch/cluster";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort, hasRedis, RedisServer } from "../../../cluster/test/redis-server.js";
import { Desk, flowersCsv } from "../vouch.js";

/** A command that a run sends only while it closes. */
const CLOSING = "xrange";

/** Passes everything on to a Redis server, and calls a function once, before the first command of a run that closes. */
async function gateTo(redis: RedisServer, onClosing: () => Promise<void>): Promise<Server & { url: string }> {
  let closing: Promise<void> | undefined;
  const server = createServer((client) => {
    const upstream = openSocket(redis.port, "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
    upstream.pipe(client);
    client.on("data", async (data) => {
      if (data.includes(CLOSING)) closing ??= onClosing();
      await closing;
      upstream.write(data);
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return Object.assign(server, { url: `redis://127.0.0.1:${port}` });
}

describe.skipIf(!hasRedis)("a command whose Redis fails while the run closes", () => {
  const desk = new Desk();
  const open: { stop(): Promise<unknown> }[] = [];
  const train = ["train", "flowers.csv", "--learner", "forest", "--set", "trees=60", "--quiet", "--out"];
  beforeAll(async () => {
    desk.file("flowers.csv", flowersCsv(1500));
    await desk.print([...train, "alone.st"]);
  });
  afterAll(() => Promise.all(open.map((each) => each.stop())));

  const failures: Readonly<Record<string, (redis: RedisServer) => Promise<void>>> = {
    killed: (redis) => redis.kill(),
    restarted: async (redis) => {
      await redis.kill();
      await redis.start();
    },
    stopped: async (redis) => redis.pause(),
  };

  it.concurrent.each(Object.entries(failures))("ends if it is %s", async (name, fail) => {
    const redis = await RedisServer.start("--appendonly", "yes");
    open.push(redis);
    const worker = await startWorker({ url: redis.url, threads: 1 });
    let failed = 0;
    const gate = await gateTo(redis, async () => {
      await fail(redis);
      failed = performance.now();
    });
    const { code, stderr } = await desk.run([...train, `${name}.st`, "--cluster", gate.url], {});
    const ended = performance.now();
    expect([code, stderr]).toEqual([0, ""]);
    expect(failed).toBeGreaterThan(0);
    expect(ended - failed).toBeLessThan(20_000);
    expect(desk.bytes(`${name}.st`).equals(desk.bytes("alone.st"))).toBe(true);
    // The worker ends as soon.
    await worker.close();
    expect(performance.now() - ended).toBeLessThan(20_000);
    gate.close();
  });
});
