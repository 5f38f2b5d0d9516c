/**
 * Kills workers at random moments, and sometimes Redis, while a local cluster trains forests and cross-validates
 * boosted trees. Every result must have the same bytes as on one process, and nothing may be left in Redis.
 *
 *   node chaos.mjs                              short runs in sequence, until 50 workers were killed
 *   node chaos.mjs --long                       one run of minutes, in which 50 workers are killed and replaced
 *   node chaos.mjs --kills 0 --restarts 1 --outage 60 --long   Redis is away for a minute in the middle of a run
 *
 * Options: --kills 50, --restarts 3 (of Redis), --outage SECONDS without Redis (3 to 10 by default), --workers 3,
 * --threads 1, --rows 4000, --folds (12; 240 for --long), --seed 1, --redis-server PATH. Prints a line for each kill
 * and each result, and a JSON document at the end. Exits with 1 if any bytes differ, a run fails, or a key is left.
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { clusterExecutor } from "@vouch/cluster";
import { createLearner, crossValidate, serialise, Table, threadExecutor, trainClassifier } from "vouch";
import { drawnColumns, LocalRedis, LocalWorker } from "./local-cluster.mjs";

const { values: flags } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    restarts: { type: "string", default: "3" },
    outage: { type: "string" },
    workers: { type: "string", default: "3" },
    threads: { type: "string", default: "1" },
    rows: { type: "string", default: "4000" },
    folds: { type: "string" },
    long: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    "redis-server": { type: "string" },
  },
});
const [kills, restarts, count, threads, rows] = ["kills", "restarts", "workers", "threads", "rows"].map(
  (name) => Number(flags[name]),
);
const folds = Number(flags.folds ?? (flags.long ? 240 : 12));
const rounds = flags.long ? 400 : 40;
const table = new Table("drawn", rows, drawnColumns(rows, 8));
let random = Number(flags.seed);
const uniform = () => {
  random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
  return random / 2 ** 32;
};
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const secondsSince = (start) => Number(((performance.now() - start) / 1000).toFixed(1));

/** Trains a forest and cross-validates boosted trees; returns a hash of both results. */
async function work(executor) {
  const run = { seed: 5, executor };
  const { classifier } = await trainClassifier(table, await createLearner("forest", { trees: 200 }), {
    target: "y",
    run,
  });
  const learner = await createLearner("boosted-trees", { rounds });
  const { errors } = await crossValidate(table, learner, { target: "y", folds, run });
  return createHash("sha256")
    .update(await serialise(classifier))
    .update(JSON.stringify(errors))
    .digest("hex");
}

const reference = threadExecutor();
const computed = performance.now();
const expected = await work(reference);
await reference.close();
console.error(
  `expected: ${expected.slice(0, 16)}, ${secondsSince(computed)} s on the threads of this machine`,
);

const redis = new LocalRedis(flags["redis-server"]);
await redis.start();
const workers = await Promise.all(
  Array.from({ length: count }, () => new LocalWorker(redis.url, threads).joined()),
);
const began = performance.now();
let killed = 0;
let restarted = 0;
let isOver = false;

async function restart() {
  const seconds = flags.outage === undefined ? 3 + 7 * uniform() : Number(flags.outage);
  console.error(`${secondsSince(began)} s: Redis is killed, and away for ${seconds.toFixed(1)} s`);
  await redis.kill();
  await pause(1000 * seconds);
  await redis.start();
  restarted++;
}

/** Kills and replaces workers one after the other, and restarts Redis at regular intervals. */
async function killAtRandom() {
  await pause(2000);
  const distance = Math.ceil(kills / (restarts + 1));
  while (killed < kills) {
    await pause(500 + 4000 * uniform());
    const k = Math.floor(uniform() * workers.length);
    await workers[k].kill();
    killed++;
    console.error(`${secondsSince(began)} s: worker ${k + 1} is killed, ${killed} of ${kills}`);
    workers[k] = await new LocalWorker(redis.url, threads).joined();
    if (restarted < restarts && killed % distance === 0) await restart();
  }
  while (restarted < restarts) await restart();
  isOver = true;
}

const killing = killAtRandom();
const results = [];

/** Does the work once, and compares the result. */
async function compared(executor) {
  const [start, before] = [performance.now(), killed];
  const result = { same: false, error: undefined, seconds: 0, kills: 0 };
  try {
    result.same = (await work(executor)) === expected;
  } catch (error) {
    result.error = String(error);
  }
  results.push({ ...result, seconds: secondsSince(start), kills: killed - before });
  console.error(
    `result ${results.length}: ${result.error ?? (result.same ? "same bytes" : "OTHER BYTES")}, ${secondsSince(start)} s, ${killed - before} kills`,
  );
}

const local = threadExecutor({ threads: 1 });
const connected = () => clusterExecutor({ url: redis.url, local, patience: 60_000 });
let runs = 0;
let report;
if (flags.long) {
  // A single run repeats its work until all kills are done.
  const executor = await connected();
  runs = 1;
  do await compared(executor);
  while (!isOver);
  report = executor.report();
  await executor.close();
} else {
  while (!isOver) {
    const executor = await connected();
    runs++;
    await compared(executor);
    await executor.close();
  }
}
await killing;
for (const worker of workers) await worker.stop();
const left = await redis.keys();
await redis.stop();
const failed = results.filter(({ same }) => !same).length;
console.log(
  JSON.stringify(
    {
      runs,
      results: results.length,
      failed,
      errors: results.flatMap(({ error }) => error ?? []),
      killed,
      restarted,
      keysLeft: left,
      seconds: secondsSince(began),
      ...(report && { tasks: report.tasks, workers: Object.keys(report.workers).length }),
    },
    null,
    2,
  ),
);
process.exit(failed > 0 || left.length > 0 ? 1 : 0);
