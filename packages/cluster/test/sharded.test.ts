import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { joinShards, Mailbox } from "@vouch/cluster/sharded";
import { readTable } from "@vouch/formats";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boostedTrees, serialise, trainClassifier } from "vouch";

const program = process.env.REDIS_SERVER ?? "redis-server";
const hasRedis = spawnSync(program, ["--version"]).status === 0;
if (!hasRedis) console.warn(`Skipped: shards over Redis, because ${program} is not installed.`);

const folder = mkdtempSync(join(tmpdir(), "shards-test-"));
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  if (!hasRedis) return;
  const port = await freePort();
  server = spawn(
    program,
    ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
    { stdio: "ignore" },
  );
  url = `redis://127.0.0.1:${port}`;
  const redis = new Redis(url, { retryStrategy: () => 100, maxRetriesPerRequest: 100 });
  redis.on("error", () => {});
  await redis.ping();
  redis.disconnect();
});

afterAll(() => {
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

/** Writes rows whose class follows from numbers and a category, with line feeds in quoted cells. */
function writeRows(rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const [a, b] = [((i * 7919) % 1009) / 100, ((i * 104729) % 997) / 100];
    return `${a},${i % 11 === 0 ? "" : b},"level\n${i % 7}",${a + b > 10 !== (i % 13 === 0) ? "yes" : "no"}`;
  });
  const path = join(folder, `rows-${rows}.csv`);
  writeFileSync(path, `a,b,category,label\n${lines.join("\n")}\n`);
  return path;
}

interface ShardResult {
  readonly sha256?: string;
  readonly message?: string;
  readonly code?: string;
}

/** Starts a process that trains as a shard. */
function startShard(options: object): { child: ChildProcess; result: Promise<ShardResult> } {
  const script = fileURLToPath(new URL("./shard-process.mjs", import.meta.url));
  const child = fork(script, [JSON.stringify(options)], { silent: true });
  let text = "";
  let errors = "";
  child.stdout?.on("data", (data) => {
    text += data;
  });
  child.stderr?.on("data", (data) => {
    errors += data;
  });
  const result = new Promise<ShardResult>((resolve) => {
    child.on("close", () => resolve(text ? JSON.parse(text) : { message: `no result: ${errors}` }));
  });
  return { child, result };
}

describe.skipIf(!hasRedis)("shards over Redis", () => {
  const learner = { rounds: 10, maxDepth: 4 };

  it("three processes give the model file of one, and leave nothing in Redis", async () => {
    const file = writeRows(2000);
    const table = await readTable(file, { name: "rows" });
    const alone = await trainClassifier(table, boostedTrees(learner), {
      holdout: 0.2,
      calibrate: false,
      run: { seed: 1 },
    });
    const expected = createHash("sha256")
      .update(await serialise(alone.classifier))
      .digest("hex");
    const run = randomUUID();
    const started = [0, 1, 2].map((shard) => startShard({ url, run, shard, shards: 3, file, learner }));
    const results = await Promise.all(started.map(({ result }) => result));
    expect(results.map(({ sha256, message }) => sha256 ?? message)).toEqual([expected, expected, expected]);
    const redis = new Redis(url);
    expect(await redis.keys("*")).toEqual([]);
    redis.disconnect();
  });

  it("a shard that is killed ends the others with an error that names it", async () => {
    const file = writeRows(3000);
    const run = randomUUID();
    const started = [0, 1, 2].map((shard) =>
      startShard({ url, run, shard, shards: 3, file, learner: { rounds: 100_000 }, silence: 1500 }),
    );
    await new Promise<void>((resolve) => {
      started[1].child.on("message", () => resolve());
    });
    started[1].child.kill("SIGKILL");
    const killed = performance.now();
    const [first, , last] = await Promise.all(started.map(({ result }) => result));
    expect(performance.now() - killed).toBeLessThan(20_000);
    for (const { message } of [first, last])
      expect(message).toMatch(/Shard 1 has not been heard of|Shard [02] has failed: Shard 1/);
  });

  it("a shard that fails stops the others at once", async () => {
    const run = randomUUID();
    const shards = [0, 1].map((shard) =>
      joinShards({ url, run, shard, shards: 2 }, async (group) => {
        if (shard === 1) throw new Error("no such file");
        return group.gather(new Uint8Array(1));
      }),
    );
    await expect(shards[1]).rejects.toThrow("no such file");
    await expect(shards[0]).rejects.toThrow("Shard 1 has failed: no such file");
  });

  it("a shard that never joins is an error", async () => {
    const mailbox = await Mailbox.open({
      url,
      run: randomUUID(),
      shard: 0,
      shards: 2,
      join: 300,
      silence: 500,
    });
    await expect(mailbox.get("0/1/1-0")).rejects.toThrow("Shard 1 has not joined within 0.3 s");
    await mailbox.close();
  });

  it("messages of a megabyte arrive whole, in any order", async () => {
    const run = randomUUID();
    const [one, other] = await Promise.all(
      [0, 1].map((shard) => Mailbox.open({ url, run, shard, shards: 2 })),
    );
    const bytes = Uint8Array.from({ length: 2 ** 20 }, (_, i) => i * 31);
    const late = other.get("2/0/0-1");
    await one.put("1/0/0-1", bytes);
    await one.put("2/0/0-1", new Uint8Array(0));
    expect(await late).toEqual(new Uint8Array(0));
    expect(Buffer.compare(await other.get("1/0/0-1"), bytes)).toBe(0);
    await Promise.all([one.close(), other.close()]);
  });

  it("says so if there is no server", async () => {
    const options = { url: "redis://127.0.0.1:1", run: "none", shard: 0, shards: 1 };
    await expect(joinShards(options, async () => 1)).rejects.toThrow(
      "cannot connect to Redis at 127.0.0.1:1",
    );
  });
});
