import type { MeasuredImportance } from "@vouch/report";
import { permutationImportance, type Run } from "vouch";
import { Random, SparseRows } from "vouch/learning";
import type { TrainedRun } from "./commands/train.js";

/** Where the parts of a report are computed that take a while. */
export type ReportRun = Pick<Run, "executor" | "progress"> & { readonly signal?: AbortSignal };

/** So many rows are predicted at most to see what features matter: seconds, even with slow models. */
const MOST_PREDICTIONS = 200_000;
/** With fewer rows than this, chance is larger than what most features matter. */
const FEWEST_ROWS = 100;
const REPEATS = 3;
/** Milliseconds after which a report does without. */
const PATIENCE = 10_000;

/** What the model loses without each feature; nothing for so many features, or so slow a model, that it takes too long. */
export async function permutationOf(
  { training, flags }: TrainedRun,
  { executor, progress, signal }: ReportRun,
): Promise<MeasuredImportance | undefined> {
  const { classifier, samples } = training;
  const sample = samples.heldOut ?? samples.training;
  if (sample.features instanceof SparseRows) return undefined;
  const most = Math.floor(MOST_PREDICTIONS / (REPEATS * sample.features.columns));
  const rows = Math.min(sample.rows, most);
  if (rows < Math.min(sample.rows, FEWEST_ROWS)) return undefined;
  const part = rows < sample.rows ? sample.select(drawnRows(sample.rows, rows, flags.seed)) : sample;
  const patience = AbortSignal.timeout(PATIENCE);
  try {
    const run = {
      seed: flags.seed,
      executor,
      progress,
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    };
    const measured = await permutationImportance(classifier.model, part, run, { repeats: REPEATS });
    return { ...measured, rows, on: samples.heldOut ? "held-out" : "training" };
  } catch (error) {
    if (patience.aborted && !signal?.aborted) return undefined;
    throw error;
  }
}

/** So many of all rows, drawn at random: rows at even steps might all be of one class. */
function drawnRows(all: number, count: number, seed: number): Int32Array {
  const rows = Int32Array.from({ length: all }, (_, i) => i);
  new Random(seed).shuffle(rows);
  return rows.slice(0, count).sort();
}
