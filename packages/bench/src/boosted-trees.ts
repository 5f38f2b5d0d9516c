import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import { onThreads, pythonPeer } from "./contestants.js";
import { categoriesWork, type ForestWork, loadParts, numericWork, trainForestWork } from "./forest-work.js";
import { inTemporaryFolder, type PeerRows, writeRows } from "./peer-files.js";
import { type BenchmarkResult, type Contestant, ifAvailable, race, withoutData } from "./race.js";

const ROUNDS = 300;

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
 * Benchmarks boosted trees on official training parts: 300 rounds of depth 6 with learning rate 0.1, including binning.
 * Accuracies are measured on the official test parts.
 */
export async function* boostedTreesBenchmark(
  threadCounts: readonly number[] = [1, 2],
): AsyncGenerator<BenchmarkResult> {
  for (const { dataset, form, repeats } of benches) {
    const parts = await ifAvailable(() => loadParts(dataset));
    if (parts) yield* inTemporaryFolder((folder) => races(form(parts), folder, repeats, threadCounts));
    else yield withoutData(`boosted-trees: ${dataset}`);
  }
}

async function* races(
  work: ForestWork,
  folder: string,
  repeats: number,
  threadCounts: readonly number[],
): AsyncGenerator<BenchmarkResult> {
  const rows = await writeRows(`${folder}/numeric`, work.numeric, work.labels);
  for (const threads of threadCounts) {
    const title = `boosted-trees: ${ROUNDS} rounds on ${work.name}, ${onThreads(threads)}`;
    const ours = trainForestWork(work, boostedTrees({ rounds: ROUNDS }), threads);
    yield await race(title, [ours, ...BOOSTING_PEERS.map((peer) => peerOf(peer, rows, threads))], repeats);
  }
}

/** The peers: their scripts and the modules that they need. */
export const BOOSTING_PEERS = [
  { name: "XGBoost, hist", script: "xgboost_trees.py", module: "xgboost" },
  { name: "LightGBM", script: "lightgbm_trees.py", module: "lightgbm" },
  { name: "scikit-learn HistGradientBoosting", script: "histogram_boosting.py", module: "sklearn" },
] as const;

function peerOf(
  { name, script, module }: (typeof BOOSTING_PEERS)[number],
  rows: PeerRows,
  threads: number,
): Contestant {
  return pythonPeer({
    name,
    script,
    modules: [module],
    args: [...rows, String(ROUNDS), String(threads)],
    threads,
  });
}
