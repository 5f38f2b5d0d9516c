import {
  type ClusterExecutor,
  type ClusterSettings,
  clusterExecutor,
  startWorker,
  type TaskWorker,
} from "@vouch/cluster";
import { Queue } from "bullmq";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inlineExecutor, VouchError } from "vouch";
import { CLUSTER_VERSION, KeySpace, queueName } from "#cluster/keys.js";
import { crash, echo, refuse, spin } from "./jobs.mjs";
import { hasRedis, RedisServer } from "./redis-server.js";
import { startWorkers, WorkerProcess } from "./worker-process.js";

const keySpace = new KeySpace();

/** Everything that a test has to close. */
const open: { close(): Promise<unknown> }[] = [];

async function connected(url: string, settings: Partial<ClusterSettings> = {}): Promise<ClusterExecutor> {
  const executor = await clusterExecutor({ url, local: inlineExecutor(), ...settings });
  open.push(executor);
  return executor;
}

/** A worker in this process. */
async function worker(url: string, settings: object = {}): Promise<{ worker: TaskWorker; events: string[] }> {
  const events: string[] = [];
  const started = await startWorker({
    url,
    threads: 2,
    tasks: [echo, spin, refuse, crash].map(({ id }) => id),
    script: new URL("./job-thread.mjs", import.meta.url),
    onEvent: (event) => events.push(JSON.stringify(event)),
    ...settings,
  });
  open.push(started);
  return { worker: started, events };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error("It did not fail."),
    (thrown: unknown) => thrown,
  );
  return error instanceof VouchError ? error.code : String(error);
}

const until = async (condition: () => boolean, milliseconds = 20_000) => {
  const end = performance.now() + milliseconds;
  while (!condition() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  return condition();
};

describe.skipIf(!hasRedis)("a cluster that fails", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
  });
  afterAll(async () => {
    await redis?.stop();
  });

  it("says that the password is wrong, and does not repeat it", async () => {
    const locked = await RedisServer.start("--requirepass", "right-password");
    const url = locked.url.replace("//", "//default:wrong-password@");
    for (const attempt of [() => connected(url), () => worker(url)]) {
      const error = await attempt().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "cluster/denied" });
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain("wrong-password");
    }
    expect(await codeOf(connected(locked.url))).toBe("cluster/denied");
    await worker(locked.url.replace("//", "//default:right-password@"));
    await Promise.all(open.splice(0).map((each) => each.close()));
    await locked.stop();
  });

  it("says that Redis cannot be reached, or that the address is none", async () => {
    expect(await codeOf(connected("redis://127.0.0.1:1"))).toBe("cluster/unreachable");
    expect(await codeOf(worker("redis://127.0.0.1:1"))).toBe("cluster/unreachable");
    const error = await connected("http://user:secret@host").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "option/invalid" });
    expect(String(error)).not.toContain("secret");
  });

  it("says that there is no worker, or only some of another version", async () => {
    expect(await codeOf(connected(redis.url, { patience: 300 }))).toBe("cluster/no-workers");
    await redis.with(async (commands) => {
      const other = { id: "other", name: "old:1", version: "0.0.1-node18", threads: 4 };
      await commands.sadd(keySpace.workers, "other");
      await commands.set(keySpace.worker("other"), JSON.stringify(other), "EX", 5);
    });
    expect(await codeOf(connected(redis.url, { patience: 300 }))).toBe("cluster/version");
    await redis.with((commands) => commands.del(keySpace.workers, keySpace.worker("other")));
  });

  it("passes an error of vouch on at once, with its hint", async () => {
    const { events } = await worker(redis.url);
    const executor = await connected(redis.url);
    await expect(executor.map(refuse, [{}, {}])).rejects.toMatchObject({
      code: "data/malformed",
      hint: "Use others.",
    });
    expect(events.filter((event) => event.includes('"started"')).length).toBeLessThanOrEqual(2);
  });

  it("refuses poisoned jobs, and goes on", async () => {
    const { events } = await worker(redis.url);
    const executor = await connected(redis.url);
    const run = "0".repeat(32);
    const queue = new Queue(queueName("thread"), { connection: { port: redis.port }, prefix: "vouch" });
    const good = { version: CLUSTER_VERSION, run, map: 0, index: 0, task: echo.id, input: { base64: "" } };
    const bad = [
      "text",
      { ...good, run: "../../etc" },
      { ...good, map: -1 },
      { ...good, input: { blob: { hash: "x", bytes: 1 } } },
      { ...good, input: { __proto__: null } },
    ];
    for (const [i, data] of bad.entries()) await queue.add("bad", data, { jobId: `bad-${i}` });
    await redis.with(async (commands) => {
      // Data that is not JSON, and a job without any.
      await queue.add("bad", good, { jobId: "broken", delay: 1 });
      await commands.hset(`vouch:${queueName("thread")}:broken`, "data", "{");
      await commands.lpush(`vouch:${queueName("thread")}:wait`, "nothing");
    });
    expect(await until(() => events.filter((event) => event.includes("refused")).length >= bad.length)).toBe(
      true,
    );
    expect(await executor.map(echo, [{ a: 1 }])).toEqual([{ a: 1 }]);
    await queue.close();
  });

  it("refuses unknown tasks, and messages that need too much memory", async () => {
    await worker(redis.url, {});
    const executor = await connected(redis.url);
    const unknown = { ...echo, id: "fs/remove" };
    expect(await codeOf(executor.map(unknown, [{}]))).toBe("cluster/malformed");
    const small = await RedisServer.start();
    const poor = new WorkerProcess(small.url, { memory: 1 << 20 });
    await poor.says("joined");
    const other = await connected(small.url);
    expect(await codeOf(other.map(echo, [{ values: new Float64Array(1 << 18) }]))).toBe("cluster/too-large");
    expect(await other.map(echo, [{ values: new Float64Array(100) }])).toEqual([
      { values: new Float64Array(100) },
    ]);
    await Promise.all(open.splice(0).map((each) => each.close()));
    await poor.stop();
    await small.stop();
  });

  it("says that Redis is full", async () => {
    const full = await RedisServer.start("--maxmemory", "6mb", "--maxmemory-policy", "noeviction");
    await worker(full.url);
    const executor = await connected(full.url);
    const values = Uint8Array.from({ length: 1 << 23 }, (_, i) => (i * 2654435761) >>> 13);
    expect(await codeOf(executor.map(echo, [{ values }]))).toBe("cluster/full");
    await Promise.all(open.splice(0).map((each) => each.close()));
    await full.stop();
  });

  it("stops its tasks within a second", async () => {
    const { events } = await worker(redis.url);
    const executor = await connected(redis.url);
    const abort = new AbortController();
    // One reaches checkpoints, the other does not.
    const inputs = [{ milliseconds: 60_000 }];
    const { signal } = abort;
    const results = [executor.map(echo, inputs, { signal }), executor.map(spin, inputs, { signal })];
    for (const result of results) result.catch(() => {});
    expect(await until(() => events.filter((event) => event.includes("started")).length === 2)).toBe(true);
    const began = performance.now();
    abort.abort();
    expect(await Promise.all(results.map(codeOf))).toEqual(["run/interrupted", "run/interrupted"]);
    expect(await until(() => events.filter((event) => event.includes("cancelled")).length === 2)).toBe(true);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it("runs a task that blocks its thread for longer than a lock once", async () => {
    const { events } = await worker(redis.url, { lock: 1000 });
    const executor = await connected(redis.url);
    expect(await executor.map(spin, [{ milliseconds: 3500 }])).toEqual([3500]);
    expect(events.filter((event) => event.includes("started")).length).toBe(1);
  });

  it("gives up a task that has ended three workers", async () => {
    const workers = await startWorkers(4, redis.url, { lock: 1000 });
    const executor = await connected(redis.url);
    expect(await codeOf(executor.map(crash, [{}]))).toBe("cluster/worker-died");
    for (const each of workers) await each.stop();
  });

  it("goes on after Redis was away, with what it had written", async () => {
    const durable = await RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
    await worker(durable.url, { lock: 1500 });
    const executor = await connected(durable.url);
    const inputs = Array.from({ length: 24 }, (_, i) => ({ i, milliseconds: 100 }));
    const result = executor.map(echo, inputs);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await durable.kill();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await durable.start();
    expect(await result).toEqual(inputs.map(({ i }) => ({ i })));
    await Promise.all(open.splice(0).map((each) => each.close()));
    expect(await durable.keys()).toEqual([]);
    await durable.stop();
  });

  it("leaves nothing without a time to live", async () => {
    const { worker: gone } = await worker(redis.url);
    const executor = await connected(redis.url);
    await gone.close();
    const abort = new AbortController();
    const waiting = executor.map(echo, [{ values: new Float64Array(5000) }, {}], { signal: abort.signal });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const keys = await redis.keys();
    expect(keys.length).toBeGreaterThan(4);
    const lasting = await redis.with(async (commands) => {
      const times = await Promise.all(keys.map((key) => commands.ttl(key)));
      return keys.filter((_, i) => times[i] < 0);
    });
    expect(lasting).toEqual([]);
    abort.abort();
    expect(await codeOf(waiting)).toBe("run/interrupted");
    await executor.close();
    expect(await redis.keys()).toEqual([]);
  });
});
