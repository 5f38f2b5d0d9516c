import { boostedTrees } from "vouch";
import { pythonPeer } from "./contestants.js";
import {
  categoriesWork,
  type ForestWork,
  loadParts,
  numericWork,
  onThreads,
  trainForestWork,
} from "./forest-work.js";
import { inTemporaryFolder, type PeerRows, writeRows } from "./peer-files.js";
import { type BenchmarkResult, type Contestant, ifAvailable, race, withoutData } from "./race.js";

const ROUNDS = 300;

/** A data set, its form, and the number of repeats. */
interface Bench {
  readonly dataset: string;
  readonly form: typeof numericWork;
  readonly repeats: number;
}

const benches: readonly Bench[] = [
  { dataset: "adult", form: numericWork, repeats: 3 },
  { dataset: "adult", form: categoriesWork, repeats: 3 },
  { dataset: "letter", form: numericWork, repeats: 1 },
];

/**
 * Benchmarks boosted trees on official training parts, 300 rounds of depth 6 with learning rate 0.1, on one and two threads,
 * including the binning. Accuracies are those on the official test parts.
 */
export async function* boostedTreesBenchmark(): AsyncGenerator<BenchmarkResult> {
  for (const { dataset, form, repeats } of benches) {
    const parts = await ifAvailable(() => loadParts(dataset));
    if (parts) yield* inTemporaryFolder((folder) => races(form(parts), folder, repeats));
    else yield withoutData(`boosted-trees: ${dataset}`);
  }
}

async function* races(work: ForestWork, folder: string, repeats: number): AsyncGenerator<BenchmarkResult> {
  const rows = await writeRows(`${folder}/numeric`, work.numeric, work.labels);
  for (const threads of [1, 2]) {
    const title = `boosted-trees: ${ROUNDS} rounds on ${work.name}, ${onThreads(threads)}`;
    const ours = trainForestWork(work, boostedTrees({ rounds: ROUNDS }), threads);
    yield await race(title, [ours, xgboost(rows, threads)], repeats);
  }
}

function xgboost(rows: PeerRows, threads: number): Contestant {
  return pythonPeer({
    name: "XGBoost, hist",
    script: "xgboost_trees.py",
    modules: ["xgboost"],
    args: [...rows, String(ROUNDS), String(threads)],
    threads,
  });
}
