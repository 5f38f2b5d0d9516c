/**
 * Kills workers at random moments, and Redis now and then, while forests are trained and cross-validated on a cluster of this machine.
 * Every result must have the same bytes as that of one process. Options: --kills 50, --restarts 3, --workers 3, --threads 1, --rows 4000,
 * --seed 1, --redis-server PATH. Prints a line for each run, and a JSON document at the end; exits with 1 if any bytes differ.
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { clusterExecutor } from "@vouch/cluster";
import {
  createLearner,
  crossValidate,
  inlineExecutor,
  serialise,
  Table,
  threadExecutor,
  trainClassifier,
} from "vouch";
import { drawnColumns, LocalRedis, LocalWorker } from "./local-cluster.mjs";

const { values: flags } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    restarts: { type: "string", default: "3" },
    workers: { type: "string", default: "3" },
    threads: { type: "string", default: "1" },
    rows: { type: "string", default: "4000" },
    seed: { type: "string", default: "1" },
    "redis-server": { type: "string" },
  },
});
const [kills, restarts, count, threads, rows] = ["kills", "restarts", "workers", "threads", "rows"].map(
  (name) => Number(flags[name]),
);
const table = new Table("drawn", rows, drawnColumns(rows, 8));
let random = Number(flags.seed);
const uniform = () => {
  random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
  return random / 2 ** 32;
};
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Trains a forest, and cross-validates boosted trees; returns a hash of the bytes of both results. */
async function work(executor) {
  const run = { seed: 5, executor };
  const { classifier } = await trainClassifier(table, await createLearner("forest", { trees: 200 }), {
    target: "y",
    run,
  });
  const learner = await createLearner("boosted-trees", { rounds: 40 });
  const { errors } = await crossValidate(table, learner, { target: "y", folds: 12, run });
  return createHash("sha256")
    .update(await serialise(classifier))
    .update(JSON.stringify(errors))
    .digest("hex");
}

const expected = await work(inlineExecutor());
const redis = new LocalRedis(flags["redis-server"]);
await redis.start();
const workers = await Promise.all(
  Array.from({ length: count }, () => new LocalWorker(redis.url, threads).joined()),
);
const began = performance.now();
let killed = 0;
let restarted = 0;
let runs = 0;
let different = 0;
let isOver = false;

async function killAtRandom() {
  while (killed < kills) {
    await pause(500 + 4000 * uniform());
    const k = Math.floor(uniform() * workers.length);
    await workers[k].kill();
    killed++;
    workers[k] = await new LocalWorker(redis.url, threads).joined();
    if (restarts > 0 && restarted < restarts && killed % Math.ceil(kills / (restarts + 1)) === 0) {
      await redis.kill();
      await pause(3000 + 7000 * uniform());
      await redis.start();
      restarted++;
    }
  }
  isOver = true;
}

const killing = killAtRandom();
const local = threadExecutor({ threads: 1 });
const failures = [];
while (!isOver) {
  const executor = await clusterExecutor({ url: redis.url, local });
  const before = killed;
  const start = performance.now();
  try {
    const isSame = (await work(executor)) === expected;
    if (!isSame) different++;
    console.error(
      `run ${++runs}: ${isSame ? "same bytes" : "OTHER BYTES"}, ${((performance.now() - start) / 1000).toFixed(1)} s, ${killed - before} kills`,
    );
  } catch (error) {
    failures.push(String(error));
    console.error(`run ${++runs}: ${error}`);
  }
  await executor.close();
}
await killing;
for (const worker of workers) await worker.stop();
await redis.stop();
console.log(
  JSON.stringify(
    { runs, different, failures, killed, restarted, seconds: (performance.now() - began) / 1000 },
    null,
    2,
  ),
);
process.exit(different > 0 || failures.length > 0 ? 1 : 0);
