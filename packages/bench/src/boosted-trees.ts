import { boostedTrees } from "vouch";
import { categoriesWork, type ForestWork, loadParts, numericWork } from "./forest-work.js";
import { ifPresent, withoutData } from "./if-present.js";
import { type PeerRows, writeRows } from "./peer-files.js";
import { pythonPeer } from "./python-peer.js";
import { type Contestant, type RaceResult, race } from "./race.js";
import { inTemporaryFolder } from "./temporary-folder.js";
import { onThreads, trainForestWork } from "./train-forest-work.js";

const ROUNDS = 300;

/** A data set in some form, and how often its races are repeated. */
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
 * Boosted trees on official training parts, 300 rounds of depth 6 with learning rate 0.1, on one thread and on two, with
 * the binning before; accuracies are those on the official test parts.
 */
export async function* boostedTreesBenchmark(): AsyncGenerator<RaceResult> {
  for (const { dataset, form, repeats } of benches) {
    const parts = await ifPresent(() => loadParts(dataset));
    if (parts) yield* inTemporaryFolder((folder) => races(form(parts), folder, repeats));
    else yield withoutData(`boosted-trees: ${dataset}`);
  }
}

async function* races(work: ForestWork, folder: string, repeats: number): AsyncGenerator<RaceResult> {
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
