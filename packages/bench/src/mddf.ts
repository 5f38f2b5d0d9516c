import type { BinnedColumns } from "@vouch/core/internal/encode/binned-columns";
import { cascadeForest, mddf } from "@vouch/core/internal/learners/deep-forest/deep-forests";
import type { Learner } from "@vouch/core/internal/learners/learner";
import type { Model } from "@vouch/core/internal/learners/model";
import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import { executorWith, type Facts, local, onThreads, pythonPeer } from "./contestants.js";
import {
  accuracyPercent,
  binnedSample,
  categoriesWork,
  type ForestWork,
  loadParts,
  numericWork,
} from "./forest-work.js";
import { withTemporaryFolder, writeRows } from "./peer-files.js";
import { type BenchmarkResult, ifAvailable, race, withoutData } from "./race.js";

/** The published settings. */
const OPTIONS = { trees: 50, folds: 5 };
const REPEATS = 1;

interface Bench {
  readonly dataset: string;
  readonly form: typeof numericWork;
  /**
   * DF21 with its defaults, measured elsewhere on the same kind of split and two cores. It is not a peer here, because
   * it needs its own Python environment.
   */
  readonly df21: { readonly accuracy: number; readonly seconds: number };
}

const benches: readonly Bench[] = [
  { dataset: "letter", form: numericWork, df21: { accuracy: 96.85, seconds: 11 } },
  { dataset: "satimage", form: numericWork, df21: { accuracy: 91.58, seconds: 4 } },
  { dataset: "yeast", form: numericWork, df21: { accuracy: 61.6, seconds: 1.5 } },
  { dataset: "adult", form: categoriesWork, df21: { accuracy: 86.05, seconds: 16 } },
];

/**
 * Benchmarks mdDF with the published settings, from binning to predictions of the test part. The peers are our cascade
 * without mdDF's weights, and a cascade of scikit-learn's forests with as many layers as mdDF keeps.
 */
export async function* mddfBenchmark(threadCounts: readonly number[] = [2]): AsyncGenerator<BenchmarkResult> {
  for (const threads of threadCounts) yield* races(threads);
}

async function* races(threads: number): AsyncGenerator<BenchmarkResult> {
  const executor = executorWith(threads);
  try {
    for (const { dataset, form, df21 } of benches) {
      const parts = await ifAvailable(() => loadParts(dataset));
      if (parts) yield await raceDeepForests(form(parts), df21, executor);
      else yield withoutData(`mddf: ${dataset}`);
    }
  } finally {
    await executor.close();
  }
}

async function raceDeepForests(
  work: ForestWork,
  df21: Bench["df21"],
  executor: Executor,
): Promise<BenchmarkResult> {
  const { threads } = executor;
  const { layers } = await trainAndTest(work, mddf(OPTIONS), executor);
  return withTemporaryFolder(async (folder) => {
    const rows = await writeRows(`${folder}/numeric`, work.numeric, work.labels);
    const numbers = [layers, OPTIONS.trees, OPTIONS.folds, threads].map(String);
    return race(
      `mddf: 4 forests × ${OPTIONS.trees} trees, ${OPTIONS.folds} folds, training and test on ${work.name}, ${onThreads(threads)}\n` +
        `  (for orientation, measured elsewhere: DF21 at its defaults ${df21.accuracy}% in ${df21.seconds} s)`,
      [
        local("vouch mddf", () => trainAndTest(work, mddf(OPTIONS), executor)),
        local("vouch cascade-forest", () => trainAndTest(work, cascadeForest(OPTIONS), executor)),
        pythonPeer({
          name: "scikit-learn forests in a cascade",
          script: "cascade_forest.py",
          modules: ["sklearn"],
          args: [...rows, ...numbers],
          threads,
        }),
      ],
      REPEATS,
    );
  });
}

async function trainAndTest(
  work: ForestWork,
  learner: Learner<Model<BinnedColumns>, BinnedColumns>,
  executor: Executor,
): Promise<Facts> {
  const binned = work.bin();
  const model = await learner.fit(binnedSample(work, binned), { executor, seed: 1 });
  const predictions = model.predict(binned.other("test"));
  return {
    "accuracy %": accuracyPercent(predictions, work.labels.test),
    layers: model.complexity().counts.layers,
  };
}
