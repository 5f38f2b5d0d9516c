import { BinnedColumns } from "../encode/binned-columns.js";
import type { Features, Sample } from "../encode/sample.js";
import { Matrix } from "../runtime/maths/matrix.js";
import { shortList } from "../runtime/text/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";

/** A checked sample to learn from: the rows of positive weight, and their weights. */
export interface TrainingSample<F extends Features> {
  /** The rows with a positive weight. */
  readonly sample: Sample<F>;
  /** Their weights, scaled to sum to one. */
  readonly distribution: Float64Array;
}

/** Checks what every learner needs: rows, a class for each of them, at least two classes. Rows of weight zero are left out. */
export function trainingSample<F extends Features>(learner: string, given: Sample<F>): TrainingSample<F> {
  if (given.rows === 0) throw new VouchError("data/no-rows", `There are no rows to train ${learner} on.`);
  const unlabelled = given.labels.indexOf(-1);
  if (unlabelled >= 0) {
    throw new VouchError(
      "data/missing-target",
      `Row ${unlabelled + 1} has no class to train ${learner} on.`,
      {
        hint: `Known classes are ${shortList(given.classes)}.`,
      },
    );
  }
  const sample = withoutZeroWeights(given);
  const first = sample.labels[0];
  if (sample.labels.every((label) => label === first)) {
    throw new VouchError(
      "data/one-class",
      `All rows to train ${learner} on have the class "${sample.classes[first]}".`,
      { hint: "A classifier needs rows of at least two classes." },
    );
  }
  return { sample, distribution: distributionOf(sample) };
}

/** Throws unless features are a matrix. */
export function checkDense(features: Features): asserts features is Matrix {
  if (features instanceof Matrix) return;
  throw new VouchError("data/wrong-kind", "Expected numbers in rows (a Matrix or SparseRows).", {
    hint: "Encode the table with the encoding of the learner.",
  });
}

/** Checks that features are a matrix in which every feature of every row is a finite number. */
export function checkFinite(features: Features, names: readonly string[]): void {
  checkDense(features);
  const { values, columns } = features;
  // 0 · x is NaN for NaN and ±∞ only: one cheap pass, and a search only when something is wrong.
  let probe = 0;
  for (let k = 0; k < values.length; k++) probe += 0 * values[k];
  if (probe === 0) return;
  const k = values.findIndex((value) => !Number.isFinite(value));
  throw new VouchError(
    "data/not-finite",
    `Row ${Math.floor(k / columns) + 1} has ${values[k]} in feature ${names[k % columns]}.`,
    { hint: "Features must be finite numbers: fill in or leave out what is missing." },
  );
}

/** Checks features to classify: as many columns as in training, all numbers finite. */
export function checkFeatures(features: Features, names: readonly string[]): void {
  checkColumns(features, names);
  checkFinite(features, names);
}

/** Checks that features have as many columns as in training. */
export function checkColumns({ columns }: Features, names: readonly string[]): void {
  if (columns === names.length) return;
  throw new VouchError(
    "data/malformed",
    `The model was trained on ${names.length} features, but the rows have ${columns}.`,
  );
}

/** Leaves out rows of weight zero. */
export function withoutZeroWeights<F extends Features>(sample: Sample<F>): Sample<F> {
  const { weights } = sample;
  if (!weights?.includes(0)) return sample;
  const kept: number[] = [];
  for (let i = 0; i < weights.length; i++) if (weights[i] > 0) kept.push(i);
  return sample.select(kept);
}

function distributionOf<F extends Features>({ rows, weights }: Sample<F>): Float64Array {
  if (!weights) return new Float64Array(rows).fill(1 / rows);
  // Weights are scaled by the largest first, so that the sum of huge weights does not overflow.
  let largest = 0;
  for (const weight of weights) if (weight > largest) largest = weight;
  const scaled = weights.map((weight) => weight / largest);
  let total = 0;
  for (const weight of scaled) total += weight;
  return scaled.map((weight) => weight / total);
}

/** Throws unless features are binned columns. */
export function checkBinned(learner: string, features: Features): asserts features is BinnedColumns {
  if (features instanceof BinnedColumns) return;
  throw new VouchError("data/wrong-kind", `${learner} expects binned columns.`, {
    hint: "Bin the matrix with binMatrix, and further rows with binLike.",
  });
}
