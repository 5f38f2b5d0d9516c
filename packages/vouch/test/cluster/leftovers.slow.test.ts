import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRedis, RedisServer } from "../../../cluster/test/redis-server.js";
import { Desk, flowersCsv, type Running } from "../vouch.js";

/** Keys of a run: everything but what tells that workers are there, and the empty queues that they listen to. */
const ofRuns = (keys: readonly string[]) =>
  keys.filter((key) => !/^vouch:(workers|worker:[0-9a-f-]{36}|(thread|machine)-[\w.-]+:meta)$/.test(key));

describe.skipIf(!hasRedis)("Redis after a run", () => {
  const desk = new Desk();
  const running: Running[] = [];
  let redis: RedisServer;
  /** What the worker has said. */
  let told = "";
  let worker: Running;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    redis = await RedisServer.start();
    env = { VOUCH_CLUSTER: redis.url };
    worker = desk.start(["worker", "--threads", "2"], { env, timeout: 300_000 });
    running.push(worker);
    worker.child.stderr?.on("data", (text) => {
      told += String(text);
    });
    await worker.said("has joined");
    desk.file("flowers.csv", flowersCsv(3000));
  });
  afterAll(async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await redis?.stop();
  });

  const forest = (trees: number, name: string) =>
    ["train", "flowers.csv", "--learner", "forest", "--set", `trees=${trees}`, "--out", name] as const;

  /** Starts a long training, and waits until the worker has begun. */
  async function started(name: string, ...flags: string[]): Promise<Running> {
    const before = told.length;
    const run = desk.start([...forest(30_000, name), ...flags], { env });
    running.push(run);
    await expect.poll(() => told.slice(before), { timeout: 30_000 }).toContain("started  forest/grow-range");
    return run;
  }

  it("has no key of one that is finished", async () => {
    await desk.print([...forest(60, "done.st"), "--quiet"], { env });
    expect(ofRuns(await redis.keys())).toEqual([]);
  });

  it("has no key of one that was stopped by Ctrl-C, and the worker stops within a second", async () => {
    const { child, outcome } = await started("stopped.st");
    const sent = performance.now();
    child.kill("SIGINT");
    expect((await outcome).code).toBe(130);
    expect(performance.now() - sent).toBeLessThan(3000);
    await expect.poll(() => told, { timeout: 1000 }).toContain("stopped  forest/grow-range");
    expect(ofRuns(await redis.keys())).toEqual([]);
  });

  /** Returns those of some keys that do not go by themselves within two minutes. */
  async function lasting(keys: readonly string[]): Promise<string[]> {
    const times = await redis.with((commands) => Promise.all(keys.map((key) => commands.ttl(key))));
    return keys.filter((_, i) => times[i] === -1 || times[i] > 120);
  }

  /** Waits until a run has sent all tasks: a job has no time to live between BullMQ's command that adds it and ours. */
  async function sent(): Promise<void> {
    let before = -1;
    const isOver = async () => {
      const keys = await redis.keys();
      const isSame = keys.length === before;
      before = keys.length;
      return isSame && (await lasting(keys)).length === 0;
    };
    await expect.poll(isOver, { timeout: 30_000, interval: 500 }).toBe(true);
  }

  it("has keys with a time to live only of one that was killed", async () => {
    const { child, outcome } = await started("killed.st");
    await sent();
    child.kill("SIGKILL");
    await outcome;
    const keys = await redis.keys();
    expect(ofRuns(keys).length).toBeGreaterThan(4);
    // The worker gives one to keys that BullMQ creates meanwhile, with its next sign of life.
    await expect.poll(() => lasting(keys), { timeout: 10_000 }).toEqual([]);
  });

  it("has nothing of one that has failed because its worker has died, but results that the worker was storing", async () => {
    await redis.with((commands) => commands.flushall());
    const { outcome } = await started("failed.st", "--wait", "1s");
    worker.child.kill("SIGKILL");
    expect(await outcome).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There has been no worker"),
    });
    const left = ofRuns(await redis.keys());
    expect(left.filter((key) => !key.startsWith("vouch:blob:"))).toEqual([]);
    expect(await lasting(left)).toEqual([]);
  });
});
