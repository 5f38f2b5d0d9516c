/**
 * Measures how a forest and a cross-validation scale with the number of workers, which are processes of this machine. Prints a JSON document.
 * Options: --workers 1,2,4,8, --threads 2 (of each worker), --rows 200000, --columns 28, --trees 200, --folds 40, --rounds 100,
 * --repeats 3, --url redis://… (a running server instead of one of our own), --redis-server PATH (or REDIS_SERVER), --blobs DIR.
 */
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { clusterExecutor } from "@vouch/cluster";
import { createLearner, crossValidate, labelled, Table, threadExecutor } from "vouch";
import { fitEncoder, labelledSample } from "vouch/learning";
import { drawnColumns, LocalRedis, LocalWorker } from "./local-cluster.mjs";

const { values: flags } = parseArgs({
  options: {
    workers: { type: "string", default: "1,2,4,8" },
    threads: { type: "string", default: "2" },
    rows: { type: "string", default: "200000" },
    columns: { type: "string", default: "28" },
    trees: { type: "string", default: "200" },
    folds: { type: "string", default: "40" },
    rounds: { type: "string", default: "100" },
    repeats: { type: "string", default: "3" },
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

/** Encodes a table once: only the fit is measured. */
function encoded(rows) {
  const data = labelled(rows, "y");
  const encoder = fitEncoder(data.features, data, forest.encoding);
  return labelledSample(encoder, data);
}

const samples = new Map([table, few].map((each) => [each, encoded(each)]));

/** The work, given a table: a small one to warm up, then the whole. */
const works = {
  forest: async (rows, run) => void (await forest.fit(samples.get(rows), run)),
  "cross-validation": async (rows, run) =>
    void (await crossValidate(rows, boosted, { target: "y", folds: rows === few ? 4 : folds, run })),
};

const redis = flags.url ? undefined : new LocalRedis(flags["redis-server"]);
await redis?.start();
const url = flags.url ?? redis.url;
const results = [];
for (const count of flags.workers.split(",").map(Number)) {
  const workers = await Promise.all(
    Array.from({ length: count }, () => new LocalWorker(url, threads).joined()),
  );
  for (const [name, work] of Object.entries(works)) {
    for (let repeat = 0; repeat <= repeats; repeat++) {
      const local = threadExecutor({ threads: 2 });
      const executor = await clusterExecutor({ url, local, ...(flags.blobs && { blobs: flags.blobs }) });
      while (executor.machines.count < count) await new Promise((resolve) => setTimeout(resolve, 50));
      const began = performance.now();
      await work(repeat === 0 ? few : table, { seed: 1, executor });
      const seconds = (performance.now() - began) / 1000;
      const { tasks, computing, transferring, bytes, blobs } = executor.report();
      await executor.close();
      // The first is a warm-up: workers load the code.
      if (repeat > 0)
        results.push({
          work: name,
          workers: count,
          threads,
          seconds,
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
const summary = Object.keys(works).flatMap((work) => {
  const of = (workers) => results.filter((each) => each.work === work && each.workers === workers);
  const counts = [...new Set(results.map(({ workers }) => workers))];
  const first = median(of(counts[0]).map(({ seconds }) => seconds)) * counts[0];
  return counts.map((workers) => {
    const seconds = median(of(workers).map((each) => each.seconds));
    const [{ transferring, computing, bytes }] = of(workers);
    return {
      work,
      workers,
      seconds,
      efficiency: first / (workers * seconds),
      transferShare: transferring / (transferring + computing),
      bytesMoved: bytes.sent + bytes.fetched + bytes.workersSent + bytes.workersFetched,
    };
  });
});
console.log(
  JSON.stringify(
    {
      machine: { processors: availableParallelism(), model: cpus()[0]?.model, node: process.version },
      settings: { rows, columns, trees, folds, rounds, repeats, blobs: flags.blobs ?? "redis" },
      summary,
      results,
    },
    null,
    2,
  ),
);
