/**
 * Measures how a forest and a cross-validation scale with the number of local worker processes. Prints a JSON document.
 * Options: --workers 1,2,4,8, --threads 2 (of each worker), --rows 200000, --columns 28, --trees 200, --folds 40,
 * --rounds 100, --works forest,cross-validation, --local-threads 8 (of the calling process), --repeats 3, --url
 * redis://… (a running server instead of our own), --redis-server PATH (or REDIS_SERVER), --blobs DIR (also of the
 * workers), --timeline FILE (trace events of all runs, for https://ui.perfetto.dev).
 */
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { clusterExecutor } from "@vouch/cluster";
import { createLearner, crossValidate, labelled, Table, threadExecutor } from "vouch";
import { fitEncoder, labelledSample } from "vouch/extend";
import { drawnColumns, LocalRedis, LocalWorker } from "./local-cluster.mjs";
import { timeShares, traceOf } from "./timeline.mjs";

const { values: flags } = parseArgs({
  options: {
    workers: { type: "string", default: "1,2,4,8" },
    threads: { type: "string", default: "2" },
    rows: { type: "string", default: "200000" },
    columns: { type: "string", default: "28" },
    trees: { type: "string", default: "200" },
    folds: { type: "string", default: "40" },
    rounds: { type: "string", default: "100" },
    "local-threads": { type: "string", default: "8" },
    works: { type: "string", default: "forest,cross-validation" },
    repeats: { type: "string", default: "3" },
    timeline: { type: "string" },
    url: { type: "string" },
    "redis-server": { type: "string" },
    blobs: { type: "string" },
  },
});
const [threads, rows, columns, trees, folds, rounds, repeats] = [
  "threads",
  "rows",
  "columns",
  "trees",
  "folds",
  "rounds",
  "repeats",
].map((name) => Number(flags[name]));
const table = new Table("drawn", rows, drawnColumns(rows, columns));
const few = new Table("few", 2000, drawnColumns(2000, columns));
const forest = await createLearner("forest", { trees });
const boosted = await createLearner("boosted-trees", { rounds });

/** Encodes a table once, so that only the fit is measured. */
function encoded(rows) {
  const data = labelled(rows, "y");
  const encoder = fitEncoder(data.features, data, forest.encoding);
  return labelledSample(encoder, data);
}

const samples = new Map([table, few].map((each) => [each, encoded(each)]));

/** The work on a table: on a small one to warm up, then on the whole. */
const works = {
  forest: async (rows, run) => void (await forest.fit(samples.get(rows), run)),
  "cross-validation": async (rows, run) =>
    void (await crossValidate(rows, boosted, { target: "y", folds: rows === few ? 4 : folds, run })),
};

const redis = flags.url ? undefined : new LocalRedis(flags["redis-server"]);
await redis?.start();
const url = flags.url ?? redis.url;
const place = flags.blobs ? ["--blobs", flags.blobs] : [];
const results = [];
const runs = [];
for (const count of flags.workers.split(",").map(Number)) {
  const workers = await Promise.all(
    Array.from({ length: count }, () => new LocalWorker(url, threads, ...place).joined()),
  );
  for (const name of flags.works.split(",")) {
    for (let repeat = 0; repeat <= repeats; repeat++) {
      const records = [];
      const executor = await clusterExecutor({
        url,
        local: threadExecutor({ threads: Number(flags["local-threads"]) }),
        ...(flags.blobs && { blobs: flags.blobs }),
        onTask: (record) => records.push(record),
      });
      while (executor.cluster.count < count) await new Promise((resolve) => setTimeout(resolve, 50));
      const processor = process.cpuUsage();
      const began = performance.timeOrigin + performance.now();
      await works[name](repeat === 0 ? few : table, { seed: 1, executor });
      const ended = performance.timeOrigin + performance.now();
      const { user, system } = process.cpuUsage(processor);
      const { tasks, computing, transferring, bytes, blobs } = executor.report();
      await executor.close();
      // The first run is a warm-up, in which workers load the code.
      if (repeat === 0) continue;
      runs.push({ name: `${name}, ${count} workers, ${repeat}`, began, ended, records });
      results.push({
        work: name,
        workers: count,
        threads,
        seconds: (ended - began) / 1000,
        ...timeShares(records, { began, ended, workers: count, threads }),
        callerProcessorSeconds: (user + system) / 1e6,
        tasks,
        computing,
        transferring,
        bytes,
        blobs,
      });
    }
  }
  for (const worker of workers) await worker.stop();
}
await redis?.stop();

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const summary = flags.works.split(",").flatMap((work) => {
  const of = (workers) => results.filter((each) => each.work === work && each.workers === workers);
  const medianOf = (workers, value) => median(of(workers).map(value));
  const counts = [...new Set(results.map(({ workers }) => workers))];
  const [fewest] = counts;
  const total = fewest * medianOf(fewest, ({ seconds }) => seconds);
  const computed = ({ shares, seconds, workers }) => shares.computing * seconds * workers;
  return counts.map((workers) => {
    const seconds = medianOf(workers, (each) => each.seconds);
    const [{ transferring, computing, bytes, tasks }] = of(workers);
    const share = (name) => medianOf(workers, ({ shares }) => shares[name]);
    return {
      work,
      workers,
      seconds,
      efficiency: total / (workers * seconds),
      localSeconds: medianOf(
        workers,
        ({ localSeconds: { before, between, after } }) => before + between + after,
      ),
      localShare: share("local"),
      tailShare: share("tail"),
      waitingShare: share("waiting"),
      computingShare: share("computing"),
      computingGrowth: medianOf(workers, computed) / medianOf(fewest, computed),
      transferShare: transferring / (transferring + computing),
      bytesMoved: bytes.sent + bytes.fetched + bytes.workersSent + bytes.workersFetched,
      tasks,
    };
  });
});
if (flags.timeline) writeFileSync(flags.timeline, JSON.stringify(traceOf(runs)));
console.log(
  JSON.stringify(
    {
      machine: { processors: availableParallelism(), model: cpus()[0]?.model, node: process.version },
      settings: {
        rows,
        columns,
        trees,
        folds,
        rounds,
        repeats,
        localThreads: Number(flags["local-threads"]),
        blobs: flags.blobs ?? "redis",
      },
      summary,
      results,
    },
    null,
    2,
  ),
);
