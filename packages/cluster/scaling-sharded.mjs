/**
 * Measures how training on shards scales:
 *
 *     node packages/cluster/scaling-sharded.mjs [--rows N] [--columns N] [--rounds N] [--shards 1,2,4,8] [--threads N] [--depth N]
 *         [--rows-per-tree F] [--connect direct|redis] [--apart]
 *
 * Starts a Redis server (`REDIS_SERVER` names the program) and one process per shard. Each process generates its own
 * rows with a counter-based generator, so that the rows are the same for all numbers of shards. Prints JSON: seconds
 * per round, efficiency, processor seconds per shard and round, bytes and messages per level, the share of the time
 * that shards wait for each other, the load of the server, and whether all models have the same bytes.
 *
 * With `--apart`, the same processes also train at the same time but independently, each on its own rows. Their
 * efficiency is the limit set by the machine, whose memory and cores they share.
 */
import { fork, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { joinShards } from "@vouch/cluster";
import { fitBoostedShard } from "@vouch/core/internal/learners/boosted-trees/fit-shard";
import { Redis } from "ioredis";
import { threadExecutor } from "vouch";
import { BinnedColumns, memoryExchange, Sample, ShardGroup } from "vouch/extend";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    columns: { type: "string", default: "28" },
    rounds: { type: "string", default: "20" },
    shards: { type: "string", default: "1,2,4,8" },
    threads: { type: "string", default: "2" },
    depth: { type: "string", default: "6" },
    "rows-per-tree": { type: "string", default: "1" },
    connect: { type: "string", default: "direct" },
    apart: { type: "boolean", default: false },
  },
});
const number = (name) => Number(values[name]);
const shape = {
  rows: number("rows"),
  columns: number("columns"),
  rounds: number("rounds"),
  depth: number("depth"),
  rowsPerTree: number("rows-per-tree"),
};

/** Hashes a row and a column to 32 bits (the finaliser of MurmurHash3). */
function bitsAt(row, column) {
  let z = Math.imul(row, 0x9e3779b1) ^ Math.imul(column + 1, 0x85ebca77);
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return (z ^ (z >>> 16)) >>> 0;
}

/** Generates rows begin … end − 1: uniform bins, and a class that depends on some of them with noise. */
function generate(begin, end, columns) {
  const rows = end - begin;
  const bins = new Uint8Array(new SharedArrayBuffer(rows * columns));
  for (let j = 0; j < columns; j++) {
    const column = bins.subarray(j * rows, (j + 1) * rows);
    for (let i = 0; i < rows; i++) column[i] = (bitsAt(begin + i, j) >>> 8) % 255;
  }
  const at = (i, j) => bins[(j % columns) * rows + i] / 255;
  const labels = Int32Array.from({ length: rows }, (_, i) => {
    const score = 2 * at(i, 0) * at(i, 1) + Math.abs(at(i, 2) - 0.5) - at(i, 3) + 0.5 * at(i, 4);
    return score + (bitsAt(begin + i, columns) / 2 ** 32 - 0.5) > 0.5 ? 1 : 0;
  });
  const features = Array.from({ length: columns }, (_, j) => ({
    kind: "numeric",
    name: `x${j + 1}`,
    cuts: Float64Array.from({ length: 254 }, (_, b) => b + 0.5),
  }));
  return new Sample({ features: new BinnedColumns(rows, features, bins), labels, classes: ["0", "1"] });
}

/** Runs one shard and sends its results to the parent. */
async function work({ url, run, shard, shards, threads, connect, apart, ...options }) {
  const { rows, columns, rounds, depth, rowsPerTree } = options;
  const executor = threadExecutor({ threads });
  try {
    const sample = generate(
      Math.floor((rows * shard) / shards),
      Math.floor((rows * (shard + 1)) / shards),
      columns,
    );
    const result = await joinShards({ url, run, shard, shards, connect }, async (all) => {
      const group = apart ? new ShardGroup(memoryExchange(), 0, 1) : all;
      // Start threads and compile kernels before the clock starts.
      const tree = { maxDepth: depth, rowsPerTree };
      await fitBoostedShard(sample, { ...tree, rounds: 1 }, group, { executor });
      await all.gather(new Uint8Array(0));
      const before = group.traffic;
      const cpuBefore = process.cpuUsage();
      const start = performance.now();
      const model = await fitBoostedShard(sample, { ...tree, rounds }, group, { executor });
      const seconds = (performance.now() - start) / 1000;
      const { user, system } = process.cpuUsage(cpuBefore);
      const { messages, bytesSent, waited } = group.traffic;
      await all.gather(new Uint8Array(0));
      const hash = createHash("sha256");
      const { json, tensors } = model.toState();
      hash.update(JSON.stringify(json));
      for (const { data } of Object.values(tensors))
        hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      return {
        seconds,
        cpu: (user + system) / 1e6,
        messages: messages - before.messages,
        bytes: bytesSent - before.bytesSent,
        waited: (waited - before.waited) / 1000,
        loss: model.trainingLosses.at(-1),
        sha256: hash.digest("hex"),
      };
    });
    process.send(result);
  } finally {
    await executor.close();
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts a Redis server without persistence. */
async function startRedis() {
  const port = await freePort();
  const program = process.env.REDIS_SERVER ?? "redis-server";
  const options = ["--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const server = spawn(program, options.map(String), { stdio: "ignore" });
  await new Promise((resolve, reject) => {
    server.on("error", (error) => reject(new Error(`${program} does not start: ${error.message}`)));
    setTimeout(resolve, 500);
  });
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.kill() };
}

/** Reads the server's totals: bytes in and out, and processor seconds. */
async function serverCounts(url) {
  const redis = new Redis(url);
  try {
    const info = await redis.info();
    const read = (name) => Number(new RegExp(`^${name}:([0-9.]+)`, "m").exec(info)?.[1] ?? 0);
    return {
      bytesIn: read("total_net_input_bytes"),
      bytesOut: read("total_net_output_bytes"),
      seconds: read("used_cpu_user") + read("used_cpu_sys"),
    };
  } finally {
    redis.disconnect();
  }
}

async function measure(shards, url, apart = false) {
  const before = await serverCounts(url);
  const run = `scaling-${process.pid}-${shards}${apart ? "-apart" : ""}`;
  const results = await Promise.all(
    Array.from({ length: shards }, (_, shard) => {
      const child = fork(fileURLToPath(import.meta.url), { env: { ...process.env, VOUCH_SHARD: "1" } });
      const { connect } = values;
      child.send({ url, run, shard, shards, connect, apart, threads: number("threads"), ...shape });
      return new Promise((resolve, reject) => {
        child.on("message", resolve);
        child.on("exit", (code) => reject(new Error(`Shard ${shard} of ${shards} ended with ${code}.`)));
      });
    }),
  );
  const most = (key) => Math.max(...results.map((result) => result[key]));
  const mean = (key) => results.reduce((sum, result) => sum + result[key], 0) / shards;
  const levels = shape.rounds * shape.depth;
  const after = await serverCounts(url);
  // One more round is for warming up.
  const perRound = (key) => (after[key] - before[key]) / (shape.rounds + 1);
  return {
    shards,
    secondsPerRound: most("seconds") / shape.rounds,
    cpuSecondsPerRoundAndShard: mean("cpu") / shape.rounds,
    bytesPerLevelAndShard: Math.round(mean("bytes") / levels),
    messagesPerLevelAndShard: mean("messages") / levels,
    waitingShare: mean("waited") / most("seconds"),
    server: {
      bytesInPerRound: Math.round(perRound("bytesIn")),
      bytesOutPerRound: Math.round(perRound("bytesOut")),
      secondsPerRound: perRound("seconds"),
    },
    loss: results[0].loss,
    models: [...new Set(results.map(({ sha256 }) => sha256))],
  };
}

if (process.env.VOUCH_SHARD) {
  process.once("message", async (input) => {
    await work(input);
    process.disconnect();
  });
} else {
  const redis = await startRedis();
  try {
    const measured = [];
    for (const shards of values.shards.split(",").map(Number)) {
      const result = await measure(shards, redis.url);
      const first = measured[0] ?? result;
      const efficiencyOf = ({ secondsPerRound }) =>
        (first.secondsPerRound * first.shards) / (secondsPerRound * shards);
      const apart = values.apart && shards > 1 ? await measure(shards, redis.url, true) : undefined;
      measured.push({
        ...result,
        efficiency: efficiencyOf(result),
        ...(apart && {
          apart: { secondsPerRound: apart.secondsPerRound, efficiency: efficiencyOf(apart) },
        }),
      });
      console.error(JSON.stringify(measured.at(-1)));
    }
    const models = new Set(measured.flatMap((result) => result.models));
    console.log(
      JSON.stringify(
        {
          ...shape,
          threads: number("threads"),
          connect: values.connect,
          sameBytes: models.size === 1,
          measured,
        },
        null,
        2,
      ),
    );
  } finally {
    redis.stop();
  }
}
