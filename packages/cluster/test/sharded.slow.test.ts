import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { joinShards, ShardTransport } from "@vouch/cluster";
import { readTable } from "@vouch/formats";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { boostedTrees, serialise, trainClassifier } from "vouch";
import { hasRedis, RedisServer } from "./redis-server.js";
import { startShard } from "./start-shard.js";

const folder = mkdtempSync(join(tmpdir(), "shards-test-"));
let redis: RedisServer;

beforeAll(async () => {
  if (hasRedis) redis = await RedisServer.start();
});

afterAll(async () => {
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes rows of three classes with missing cells and categories, and with line feeds in quoted cells. */
function writeRows(rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const [a, b] = [((i * 7919) % 1009) / 100, ((i * 104729) % 997) / 100];
    const label = i % 13 === 0 ? "none" : a + b > 10 ? "high" : "low";
    return `${a},${i % 11 === 0 ? "" : b},"level\n${i % 7}",${label}`;
  });
  const path = join(folder, `rows-${rows}.csv`);
  writeFileSync(path, `a,b,category,label\n${lines.join("\n")}\n`);
  return path;
}

/** Options of boosted trees. */
const learner = { rounds: 10, maxDepth: 4 };

describe.skipIf(!hasRedis).each(["direct", "redis"] as const)("shards that connect by %s", (connect) => {
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
    const started = [0, 1, 2].map((shard) =>
      startShard({ url: redis.url, run, shard, shards: 3, file, learner, connect, threads: 2 }),
    );
    const results = await Promise.all(started.map(({ result }) => result));
    expect(results.map(({ sha256, message }) => sha256 ?? message)).toEqual([expected, expected, expected]);
    expect((await redis.keys()).filter((key) => key.includes(run))).toEqual([]);
  });

  it("a killed shard ends the others with an error that names it", async () => {
    const file = writeRows(3000);
    const run = randomUUID();
    const options = { url: redis.url, run, shards: 3, file, learner: { rounds: 100_000 }, connect };
    const started = [0, 1, 2].map((shard) => startShard({ ...options, shard, silence: 4000 }));
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

  it("a shard that fails stops the others at once", async () => {
    const run = randomUUID();
    const began = performance.now();
    const shards = [0, 1].map((shard) =>
      joinShards({ url: redis.url, run, shard, shards: 2, connect }, async (group) => {
        await group.gather(new Uint8Array(1));
        if (shard === 1) throw new Error("no such file");
        return group.gather(new Uint8Array(1));
      }),
    );
    // Either may be the first to fail.
    await Promise.all([
      expect(shards[1]).rejects.toThrow("no such file"),
      expect(shards[0]).rejects.toThrow("Shard 2 has failed: no such file"),
    ]);
    expect(performance.now() - began).toBeLessThan(8000);
  });

  it("a shard that fails before others have joined is an error for them", async () => {
    const options = { url: redis.url, run: randomUUID(), shards: 2, silence: 3000, connect };
    const failed = joinShards({ ...options, shard: 1 }, async () => {
      throw new Error("no such file");
    });
    await expect(failed).rejects.toThrow("no such file");
    const other = joinShards({ ...options, shard: 0 }, (group) => group.gather(new Uint8Array(1)));
    await expect(other).rejects.toThrow("Shard 2 has failed: no such file");
  });

  it("a shard that never joins is an error", async () => {
    const options = { url: redis.url, run: randomUUID(), shards: 2, join: 300, silence: 500, connect };
    const mailbox = await ShardTransport.open({ ...options, shard: 0 });
    const sent = mailbox.put("0/1/0-1", new Uint8Array(1)).catch((error: Error) => error.message);
    await expect(mailbox.get("0/1/1-0")).rejects.toThrow("Shard 2 has not joined within 0.3 s");
    if (connect === "direct") expect(await sent).toBe("Shard 2 has not joined within 0.3 s.");
    await mailbox.close();
  });

  it("two processes with the same number, or of runs of different sizes, are errors", async () => {
    const options = { url: redis.url, run: randomUUID(), connect };
    const first = await ShardTransport.open({ ...options, shard: 0, shards: 2 });
    await expect(ShardTransport.open({ ...options, shard: 0, shards: 2 })).rejects.toThrow(
      "is running already",
    );
    const waiting = expect(first.get("0/0/1-0")).rejects.toThrow(
      "Shard 2 is one of 3, but shard 1 is one of 2.",
    );
    const third = await ShardTransport.open({ ...options, shard: 1, shards: 3 });
    await waiting;
    await Promise.all([first.close(), third.close()]);
  });

  it("messages of any size arrive whole, in any order", async () => {
    const run = randomUUID();
    const [one, other] = await Promise.all(
      [0, 1].map((shard) => ShardTransport.open({ url: redis.url, run, shard, shards: 2, connect })),
    );
    const late = other.get("last/0/0-1");
    const messages = [2 ** 20, 0, 1, 65_536, 3, 8_000_000].map((length, k) =>
      Uint8Array.from({ length }, (_, i) => 31 * i + k),
    );
    await Promise.all(messages.map((bytes, k) => one.put(`${k}/0/0-1`, bytes)));
    const back = other.put("0/0/1-0", messages[0]);
    await one.put("last/0/0-1", new Uint8Array(0));
    expect(await late).toHaveLength(0);
    for (const [k, bytes] of messages.entries())
      expect(Buffer.compare(await other.get(`${k}/0/0-1`), bytes)).toBe(0);
    expect(Buffer.compare(await one.get("0/0/1-0"), messages[0])).toBe(0);
    await back;
    await Promise.all([one.close(), other.close()]);
  });
});

/** Connects to a shard, sends bytes, and returns what comes back until the shard ends the connection. */
function intrude(port: number, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve) => {
    const answer: Buffer[] = [];
    const socket = connect({ host: "127.0.0.1", port }, () => socket.write(bytes));
    socket.on("data", (piece) => answer.push(piece));
    socket.on("error", () => {});
    socket.on("close", () => resolve(Buffer.concat(answer)));
  });
}

describe.skipIf(!hasRedis)("shards", () => {
  it("that connect directly refuse all others", async () => {
    const run = randomUUID();
    const options = { url: redis.url, run, shards: 2, connect: "direct" } as const;
    const first = await ShardTransport.open({ ...options, shard: 0 });
    const life = await redis.with((commands) => commands.get(`vouch:shards:${run}:alive:0`));
    const { host, port } = JSON.parse(life ?? "").address;
    expect(host).toBe("127.0.0.1");
    // A greeting with the number of the other shard, but without the secret.
    const greeting = Buffer.concat([Buffer.from("vouchsh1"), Buffer.from([1, 0, 0, 0]), Buffer.alloc(16)]);
    const frame = Buffer.concat([Buffer.from([7, 0, 0, 0, 1, 0, 0, 0]), Buffer.from("0/0/1-0x")]);
    expect(await intrude(port, Buffer.concat([greeting, Buffer.alloc(32), frame]))).toHaveLength(48);
    expect(await intrude(port, Buffer.alloc(100_000))).toHaveLength(0);
    expect(await intrude(port, Buffer.concat([greeting.subarray(0, 8), Buffer.alloc(20)]))).toHaveLength(0);
    const second = await ShardTransport.open({ ...options, shard: 1 });
    await second.put("0/0/1-0", Uint8Array.of(7));
    expect([...(await first.get("0/0/1-0"))]).toEqual([7]);
    // The same number again: it is connected already.
    expect(await intrude(port, greeting)).toHaveLength(0);
    await Promise.all([first.close(), second.close()]);
  });

  it("that connect in different ways are an error", async () => {
    const options = { url: redis.url, run: randomUUID(), shards: 2 };
    const [one, other] = await Promise.all([
      ShardTransport.open({ ...options, shard: 0, connect: "direct" }),
      ShardTransport.open({ ...options, shard: 1, connect: "redis" }),
    ]);
    await expect(one.get("0/0/1-0")).rejects.toThrow("sends messages directly, and shard 2 through Redis");
    await Promise.all([one.close(), other.close()]);
  });

  it("say so if one cannot be reached", async () => {
    const options = { url: redis.url, run: randomUUID(), shards: 2 };
    const first = await ShardTransport.open({ ...options, shard: 0 });
    // As if it announced an address of a network that the other is not in.
    const life = `vouch:shards:${options.run}:alive:0`;
    await redis.with(async (commands) => {
      const presence = JSON.parse((await commands.get(life)) ?? "");
      await commands.set(life, JSON.stringify({ ...presence, address: { host: "127.0.0.1", port: 1 } }));
    });
    const second = await ShardTransport.open({ ...options, shard: 1 });
    await expect(second.put("0/0/1-0", new Uint8Array(1))).rejects.toThrow(
      "Shard 2 cannot connect to shard 1 at 127.0.0.1:1",
    );
    await Promise.all([first.close(), second.close()]);
  });

  it("leave nothing behind when they are killed, and keep what they need until then", async () => {
    const keysOf = async (run: string) => (await redis.keys()).filter((key) => key.includes(run));
    const options = { url: redis.url, run: randomUUID(), shards: 2, join: 1000, silence: 1000 };
    const both = await Promise.all([0, 1].map((shard) => ShardTransport.open({ ...options, shard })));
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(await keysOf(options.run)).toContainEqual(expect.stringMatching(/:secret$/));
    await Promise.all(both.map((shard) => shard.close()));
    expect(await keysOf(options.run)).toEqual([]);
    const killed = { ...options, run: randomUUID(), join: 5000 };
    const { child } = startShard({ ...killed, shard: 0, file: writeRows(100) });
    await vi.waitFor(async () => expect(await keysOf(killed.run)).toHaveLength(2), 20_000);
    child.kill("SIGKILL");
    await vi.waitFor(async () => expect(await keysOf(killed.run)).toEqual([]), 15_000);
  });

  it("say so if there is no server, or no such address", async () => {
    const options = { url: "redis://127.0.0.1:1", run: "none", shard: 0, shards: 1 };
    await expect(joinShards(options, async () => 1)).rejects.toThrow(
      "Redis at redis://127.0.0.1:1 cannot be reached",
    );
    const elsewhere = { ...options, url: redis.url, host: "192.0.2.1" };
    await expect(joinShards(elsewhere, async () => 1)).rejects.toThrow("cannot listen on 192.0.2.1");
    expect(await redis.keys()).not.toContain("vouch:shards:none:alive:0");
  });
});
