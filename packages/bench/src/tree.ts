import { tree } from "@vouch/core/internal/learners/tree/tree";
import { stratifiedHoldout } from "@vouch/core/internal/table/splits";
import {
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  selectRows,
} from "@vouch/core/internal/table/target";
import { loadDataset } from "@vouch/datasets";
import { localOn, onThreads, pythonPeer } from "./contestants.js";
import { accuracyPercent, binnedSample, categoriesWork, type ForestWork } from "./forest-work.js";
import { inTemporaryFolder, type PeerRows, writeRows } from "./peer-files.js";
import { type BenchmarkResult, ifAvailable, race, type Standing, withoutData } from "./race.js";

/** Data sets of all kinds; those without an official test part are split several times. */
const DATASETS = [
  "iris",
  "wine",
  "breastcancer",
  "ionosphere",
  "german",
  "german-categorical",
  "wdbc",
  "yeast",
  "vowel",
  "digits",
  "satimage",
];

const SPLITS = 10;

const FOLDS = 10;

/**
 * Benchmarks one tree with cost-complexity pruning by ten-fold cross-validation, on the same splits for all
 * contestants. Sets without an official test part are split ten times into 70% and 30%. The last result contains means
 * over the data sets.
 */
export async function* treeBenchmark(threadCounts: readonly number[] = [1]): AsyncGenerator<BenchmarkResult> {
  for (const threads of threadCounts) yield* allSets(threads);
}

async function* allSets(threads: number): AsyncGenerator<BenchmarkResult> {
  const results: BenchmarkResult[] = [];
  for (const dataset of DATASETS) {
    const works = await ifAvailable(() => loadSplits(dataset));
    if (!works) {
      yield withoutData(`tree: ${dataset}`);
      continue;
    }
    for await (const result of inTemporaryFolder((folder) => races(dataset, works, folder, threads))) {
      results.push(result);
      yield result;
    }
  }
  if (results.length > 0) yield meanOf(results);
}

/** Loads a data set as one split if it has an official test part, otherwise as ten random ones. */
async function loadSplits(name: string): Promise<ForestWork[]> {
  const { train: table, test: official, entry } = await loadDataset(name);
  const data = labelled(table, entry.target);
  const work = (train: Labelled, test: LabelledRows) => categoriesWork({ name, train, test, query: test });
  if (official) return [work(data, labelsFor(official, data))];
  return Array.from({ length: SPLITS }, (_, k) => {
    const { train, test } = stratifiedHoldout(data.labels, 0.3, k + 1);
    return work(selectRows(data, train), selectRows(data, test));
  });
}

async function* races(
  name: string,
  works: readonly ForestWork[],
  folder: string,
  threads: number,
): AsyncGenerator<BenchmarkResult> {
  const files: PeerRows[] = [];
  for (const [k, work] of works.entries()) {
    files.push(await writeRows(`${folder}/${k + 1}`, work.numeric, work.labels));
  }
  const learner = tree({ folds: FOLDS });
  const vouch = localOn(
    "vouch",
    threads,
    async (executor) => {
      const fits = [];
      for (const work of works) {
        const binned = work.bin();
        const run = { executor, seed: 1 };
        fits.push({ work, binned, model: await learner.fit(binnedSample(work, binned), run) });
      }
      return fits;
    },
    (fits) => ({
      "accuracy %": mean(
        fits.map(({ work, binned, model }) =>
          accuracyPercent(model.predict(binned.other("test")), work.labels.test),
        ),
      ),
      leaves: mean(fits.map(({ model }) => model.trees.leaves)),
    }),
  );
  const peer = pythonPeer({
    name: "scikit-learn DecisionTreeClassifier",
    script: "decision_tree.py",
    modules: ["sklearn"],
    args: [String(FOLDS), ...files.flat()],
    threads,
  });
  const splits = works.length === 1 ? "official split" : `${works.length} splits`;
  yield await race(
    `tree: ${name}, ${splits}, pruned by ${FOLDS} folds, ${onThreads(threads)}`,
    [vouch, peer],
    1,
  );
}

/** Sums the times and averages the facts of each contestant. */
function meanOf(results: readonly BenchmarkResult[]): BenchmarkResult {
  const names = results[0].standings.map(({ name }) => name);
  const each = names.map((name) =>
    results.flatMap(({ standings }) => standings.filter((standing) => standing.name === name)),
  );
  const secondsOf = (standings: readonly Standing[]) =>
    standings.reduce((sum, { seconds = 0 }) => sum + seconds, 0);
  return {
    title: `tree: mean of ${results.length} data sets`,
    standings: names.map((name, k) => {
      const absent = each[k].find((standing) => standing.absent !== undefined)?.absent;
      if (absent !== undefined) return { name, absent };
      const facts = {
        "accuracy %": mean(each[k].map(({ facts }) => facts?.["accuracy %"] ?? Number.NaN)),
        leaves: mean(each[k].map(({ facts }) => facts?.leaves ?? Number.NaN)),
      };
      return { name, seconds: secondsOf(each[k]), facts, ratio: secondsOf(each[k]) / secondsOf(each[0]) };
    }),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
