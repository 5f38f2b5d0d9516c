import type { MeasuredImportance, UnmeasuredImportance } from "@vouch/report";
import { type FeatureGroup, featuresByColumn, type Model, permutationImportance, type Run } from "vouch";
import { type Features, Random, Sample, SparseRows } from "vouch/learning";
import type { TrainedRun } from "./commands/train.js";
import { type ImportancePlan, importancePlan, REPEATS } from "./report-importance-plan.js";

/** Where the parts of a report are computed that take a while. */
export type ReportRun = Pick<Run, "executor" | "progress"> & { readonly signal?: AbortSignal };

/** So many rows are predicted at most to see what columns matter. */
const MOST_PREDICTIONS = 250_000;
/** Seconds that this may take on one thread. */
const PATIENCE = 10;

/** A model, rows to look at it on, and the columns that these are made of. */
interface Subject {
  readonly model: Model;
  readonly sample: Sample<Features>;
  readonly groups: readonly FeatureGroup[];
  readonly run: Partial<Run> & { readonly seed: number };
}

/**
 * What the model loses without each column, on held-out rows where there are any. Depends on the seed alone, unless the model is
 * so slow that fewer predictions have to do, which the result says.
 */
export async function permutationOf(
  { training, flags }: TrainedRun,
  work: ReportRun,
): Promise<MeasuredImportance | UnmeasuredImportance> {
  const { classifier, samples } = training;
  const { model, encoder } = classifier;
  const sample = samples.heldOut ?? samples.training;
  if (sample.features instanceof SparseRows) return { reason: "sparse rows cannot be shuffled" };
  const groups = featuresByColumn(encoder);
  const predictions = affordablePredictions(model, sample);
  const plan = importancePlan(groups.length, sample.rows, predictions);
  if (!plan) return { reason: "the model takes too long to predict" };
  const subject = { model, sample, groups, run: { ...work, seed: flags.seed } };
  const chosen = await screened(subject, plan);
  const part = drawn(sample, plan.rows, flags.seed);
  const measured = await permutationImportance(model, part, subject.run, {
    repeats: REPEATS,
    groups: chosen,
  });
  return {
    ...measured,
    on: samples.heldOut ? "held-out" : "training",
    rows: plan.rows,
    allRows: sample.rows,
    repeats: REPEATS,
    slow: predictions < MOST_PREDICTIONS,
    ...(plan.screening && {
      screening: { ...plan.screening, of: groups.length },
    }),
  };
}

/**
 * The columns to measure: all, or those that change most predictions when they are shuffled once. The rows that are measured
 * on are then drawn, and shuffled, anew, so that what is chosen by chance here is not taken for important there.
 */
async function screened(
  { model, sample, groups, run }: Subject,
  { screening, columns }: ImportancePlan,
): Promise<readonly FeatureGroup[]> {
  if (!screening) return groups;
  const seed = new Random(run.seed).fork(1).integer(2 ** 31);
  const part = drawn(sample, screening.rows, seed);
  const some = drawnIndices(groups.length, screening.columns, seed).map((g) => groups[g]);
  // Compared with its own predictions, a model makes no error, and each that changes is one.
  const own = new Sample({ ...part, labels: model.predict(part.features) });
  const { features } = await permutationImportance(
    model,
    own,
    { ...run, seed },
    { repeats: 1, groups: some },
  );
  return features
    .map(({ mean }, i) => ({ changed: mean, group: some[i] }))
    .sort((a, b) => b.changed - a.changed)
    .slice(0, columns)
    .map(({ group }) => group);
}

/** So many rows of a sample, or all. */
function drawn(sample: Sample<Features>, rows: number, seed: number): Sample<Features> {
  return rows < sample.rows ? sample.select(drawnIndices(sample.rows, rows, seed)) : sample;
}

/** So many of all indices, drawn at random, in ascending order: those at even steps might all be of one class. */
function drawnIndices(all: number, count: number, seed: number): number[] {
  const indices = Int32Array.from({ length: all }, (_, i) => i);
  new Random(seed).shuffle(indices);
  return Array.from(indices.slice(0, count).sort());
}

/** As many predictions as usual, or of a slow model a half, a quarter, … of that, so that it takes not too long. */
function affordablePredictions(model: Model, sample: Sample<Features>): number {
  const seconds = secondsPerRow(model, sample);
  let predictions = MOST_PREDICTIONS;
  while (predictions >= 1 && predictions * seconds > PATIENCE) predictions /= 2;
  return Math.floor(predictions);
}

/** Rows to time predictions with, first and at most, and for how many milliseconds: many at once are faster than one by one. */
const FIRST_TIMED_ROWS = 16;
const MOST_TIMED_ROWS = 512;
const TIMED_MILLISECONDS = 200;

function secondsPerRow(model: Model, sample: Sample<Features>): number {
  const most = Math.min(sample.rows, MOST_TIMED_ROWS);
  const began = performance.now();
  let fastest = Number.POSITIVE_INFINITY;
  for (let rows = FIRST_TIMED_ROWS; ; rows *= 2) {
    const count = Math.min(rows, most);
    const { features } = sample.select(Array.from({ length: count }, (_, i) => i));
    const start = performance.now();
    model.predict(features);
    const now = performance.now();
    fastest = Math.min(fastest, (now - start) / 1000 / count);
    // The largest number of rows is timed twice, the second time with code that is warm.
    if (now - began > TIMED_MILLISECONDS || rows > 2 * most) return fastest;
  }
}
