import { writeFile } from "node:fs/promises";
import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import { Sample } from "@vouch/core/internal/encode/sample";
import { adaboost } from "@vouch/core/internal/learners/adaboost/adaboost";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { labelled } from "@vouch/core/internal/table/target";
import { loadDataset } from "@vouch/datasets";
import { localOn, onThreads, pythonPeer } from "./contestants.js";
import { withTemporaryFolder } from "./peer-files.js";
import { type BenchmarkResult, race } from "./race.js";

const ROUNDS = 200;
const REPEATS = 3;

/**
 * Benchmarks AdaBoost with 200 stumps on adult (or breastcancer if adult is not available locally), with the same
 * features for all contestants.
 */
export async function* adaboostBenchmark(
  threadCounts: readonly number[] = [1],
): AsyncGenerator<BenchmarkResult> {
  for (const threads of threadCounts) yield await raceStumps(threads);
}

async function raceStumps(threads: number): Promise<BenchmarkResult> {
  const { name, table } = await adultOrShipped();
  const learner = adaboost({ rounds: ROUNDS });
  const { features, ...target } = labelled(table, "label");
  const encoder = fitEncoder(features, target, { kind: "numeric", standardise: false });
  const matrix = encoder.encode(features);
  const { labels, classes } = target;
  const sample = new Sample({ features: matrix, labels, classes });
  return await withTemporaryFolder(async (folder) => {
    await writeFile(`${folder}/features`, Float64Array.from(matrix.values));
    await writeFile(`${folder}/labels`, labels);
    const shape = [matrix.rows, matrix.columns, ROUNDS].map(String);
    return race(
      `adaboost: ${ROUNDS} stumps on ${name}, ${matrix.rows} × ${matrix.columns}, ${onThreads(threads)}`,
      [
        localOn(
          "vouch",
          threads,
          async (executor) => (await learner.fit(sample, { executor })).predict(matrix),
          (predictions) => {
            const errors = predictions.filter((prediction, i) => prediction !== labels[i]).length;
            return { "training error %": (100 * errors) / labels.length };
          },
        ),
        pythonPeer({
          name: "scikit-learn AdaBoostClassifier",
          script: "adaboost.py",
          modules: ["sklearn"],
          args: [`${folder}/features`, `${folder}/labels`, ...shape],
          threads,
        }),
      ],
      REPEATS,
    );
  });
}

async function adultOrShipped() {
  try {
    return { name: "adult", table: (await loadDataset("adult.train")).train };
  } catch (error) {
    if (!(error instanceof VouchError && error.code === "dataset/unavailable")) throw error;
    return { name: "breastcancer", table: (await loadDataset("breastcancer")).train };
  }
}
