import { JointFeatures } from "@vouch/core/internal/encode/joint-features";
import { type Features, Sample } from "@vouch/core/internal/encode/sample";
import { type FeatureGroup, featuresByColumn } from "@vouch/core/internal/explain/feature-groups";
import {
  type PermutationImportance,
  permutationImportance,
} from "@vouch/core/internal/explain/permutation-importance";
import type { Model } from "@vouch/core/internal/learners/model";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { SparseRows } from "@vouch/core/internal/runtime/maths/sparse-rows";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import type { Training } from "@vouch/core/internal/train/training";

/** Permutation importance of the columns, and how it was measured. */
export interface MeasuredImportance extends PermutationImportance {
  readonly on: "held-out" | "training";
  /** Number of rows measured, and of all rows. */
  readonly rows: number;
  readonly allRows: number;
  readonly repeats: number;
  /** Whether the measurement was reduced because the model is slow. */
  readonly slow: boolean;
  /** If there are too many columns to measure: the numbers of columns and rows that were screened first. */
  readonly screening?: { readonly of: number; readonly columns: number; readonly rows: number };
}

/** Why importance was not measured. */
export interface UnmeasuredImportance {
  readonly reason: string;
}

/** Number of shuffles of each column. */
export const REPEATS = 5;

/** With fewer rows than this, chance outweighs most columns. */
const ENOUGH_ROWS = 100;
/** Number of rows that suffice to see which columns change predictions at all. */
const ENOUGH_TO_SCREEN = 50;
/** Number of columns to measure if there are too many; with fewer than `TOO_FEW`, the result would be meaningless. */
const WORTH_MEASURING = 20;
const TOO_FEW = 5;

/** Numbers of columns to shuffle and of rows to predict. */
interface ImportancePlan {
  /** If there are too many columns: how many are shuffled once in a first pass, on how many rows. */
  readonly screening?: { readonly columns: number; readonly rows: number };
  /** Numbers of columns and rows to measure. Columns that change the most predictions come first. */
  readonly columns: number;
  readonly rows: number;
}

/**
 * Plans how to spend a budget of predictions. If it suffices, all columns are measured. Otherwise one half of the
 * budget finds the columns that change the most predictions, and the other half measures them. Returns undefined if
 * only a handful of many columns could be measured.
 */
export function importancePlan(
  columns: number,
  rows: number,
  predictions: number,
): ImportancePlan | undefined {
  if (columns === 0 || rows === 0) return undefined;
  const enough = Math.min(rows, ENOUGH_ROWS);
  const forAll = Math.min(rows, Math.floor(predictions / (columns * REPEATS)));
  if (forAll >= enough) return { columns, rows: forAll };
  const half = predictions / 2;
  const screenRows = Math.min(rows, Math.max(ENOUGH_TO_SCREEN, Math.floor(half / columns)));
  const screened = Math.min(columns, Math.floor(half / screenRows));
  const measured = Math.min(screened, WORTH_MEASURING, Math.floor(half / (REPEATS * enough)));
  if (measured < Math.min(columns, TOO_FEW)) return undefined;
  return {
    screening: { columns: screened, rows: screenRows },
    columns: measured,
    rows: Math.min(rows, Math.floor(half / (REPEATS * measured))),
  };
}

/** The largest number of rows that are predicted. */
const MOST_PREDICTIONS = 250_000;
/** Limit for sparse rows: a table with text has few columns, a table of word counts too many to shuffle. */
const MOST_SPARSE_COLUMNS = 100;
/** Time limit on one thread, in seconds. */
const MOST_SECONDS = 10;

/** A model, the rows to measure it on, and the features of each column. */
interface Subject {
  readonly model: Model;
  readonly sample: Sample<Features>;
  readonly groups: readonly FeatureGroup[];
  readonly run: Partial<Run> & { readonly seed: number };
}

/**
 * Measures the permutation importance of each column, on the held-out rows if there are any. The result depends on the
 * seed alone, unless a slow model reduces the number of predictions; the result then says so.
 */
export async function columnImportance(
  { classifier, samples }: Training,
  run: Partial<Omit<Run, "seed">>,
): Promise<MeasuredImportance | UnmeasuredImportance> {
  const { seed } = classifier.card;
  const { model, encoder, decision } = classifier;
  const { objective } = classifier.card;
  const sample = samples.heldOut ?? samples.training;
  const groups = featuresByColumn(encoder);
  if (isSparse(sample.features) && groups.length > MOST_SPARSE_COLUMNS) {
    return { reason: "the rows are sparse" };
  }
  const predictions = affordablePredictions(model, sample);
  const plan = importancePlan(groups.length, sample.rows, predictions);
  if (!plan) return { reason: "the model predicts too slowly" };
  const subject = { model, sample, groups, run: { ...run, seed } };
  const chosen = await screened(subject, plan);
  const part = drawn(sample, plan.rows, seed);
  const measured = await permutationImportance(model, part, subject.run, {
    repeats: REPEATS,
    groups: chosen,
    decision,
    ...(objective && objective.metric !== "error" && { objective }),
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

function isSparse(features: Features): boolean {
  return features instanceof JointFeatures
    ? features.parts.some((part) => part instanceof SparseRows)
    : features instanceof SparseRows;
}

/**
 * Chooses the columns to measure: all, or those that change the most predictions when shuffled once. The measurement
 * draws and shuffles rows again, so that a column chosen by chance does not look important.
 */
async function screened(
  { model, sample, groups, run }: Subject,
  { screening, columns }: ImportancePlan,
): Promise<readonly FeatureGroup[]> {
  if (!screening) return groups;
  const seed = new Random(run.seed).fork(1).integer(2 ** 31);
  const part = drawn(sample, screening.rows, seed);
  const some = drawnIndices(groups.length, screening.columns, seed).map((g) => groups[g]);
  // Labels are the model's own predictions, so that each changed prediction counts as an error.
  const own = new Sample({ ...part, labels: model.predict(part.features) });
  const { features } = await permutationImportance(
    model,
    own,
    { ...run, seed },
    { repeats: 1, groups: some, objective: { metric: "error" } },
  );
  return features
    .map(({ mean }, i) => ({ changed: mean, group: some[i] }))
    .sort((a, b) => b.changed - a.changed)
    .slice(0, columns)
    .map(({ group }) => group);
}

/** Draws a random subsample, or takes all rows. */
function drawn(sample: Sample<Features>, rows: number, seed: number): Sample<Features> {
  return rows < sample.rows ? sample.select(drawnIndices(sample.rows, rows, seed)) : sample;
}

/** Draws ascending random indices. Evenly spaced rows might all belong to one class. */
function drawnIndices(all: number, count: number, seed: number): number[] {
  const indices = Int32Array.from({ length: all }, (_, i) => i);
  new Random(seed).shuffle(indices);
  return Array.from(indices.slice(0, count).sort());
}

/** Halves the number of predictions until they fit into the time. */
function affordablePredictions(model: Model, sample: Sample<Features>): number {
  const seconds = secondsPerRow(model, sample);
  let predictions = MOST_PREDICTIONS;
  while (predictions >= 1 && predictions * seconds > MOST_SECONDS) predictions /= 2;
  return Math.floor(predictions);
}

/** Smallest and largest number of rows for timing, and a time limit. Large batches are faster than single rows. */
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
    // The largest batch is timed twice; the second time the code is warm.
    if (now - began > TIMED_MILLISECONDS || rows > 2 * most) return fastest;
  }
}
