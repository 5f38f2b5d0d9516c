import { Matrix } from "../runtime/maths/matrix.js";
import { SparseRows } from "../runtime/maths/sparse-rows.js";
import { onSharedMemory } from "../runtime/parallel/shared-array.js";
import { VouchError } from "../runtime/vouch-error.js";
import { BinnedColumns } from "./binned-columns.js";
import { JointFeatures, type SingleFeatures } from "./joint-features.js";

/**
 * Encoded features: numbers in rows (kernel machines, networks, stumps), binned columns (trees), sparse rows (linear
 * machines), or several of them at once (ensembles). Encoders make sparse rows of text and of sparse columns; programs may pass
 * them directly.
 */
export type Features = SingleFeatures | JointFeatures;

/** Features whose rows can be selected. */
export interface Selectable<F> {
  select(rows: ArrayLike<number>): F & Selectable<F>;
}

/** The parts of a sample. */
export interface SampleParts<F extends Features> {
  readonly features: F & Selectable<F>;
  /** Class index of each row; −1 marks an unknown class, for which every prediction is an error. */
  readonly labels: Int32Array;
  readonly classes: readonly string[];
  /** Non-negative, not all zero; absent if every row has weight 1. */
  readonly weights?: Float64Array;
  readonly featureNames?: readonly string[];
  /** Rows without a label, for learners that pre-train (`Learner.pretrains`). */
  readonly unlabelled?: Matrix;
}

/** Encoded, labelled data that learners are fitted to and bounds are evaluated on. */
export class Sample<F extends Features = Matrix> {
  readonly features: F & Selectable<F>;
  readonly labels: Int32Array;
  readonly classes: readonly string[];
  readonly weights: Float64Array | undefined;
  readonly featureNames: readonly string[];
  readonly unlabelled: Matrix | undefined;

  constructor(parts: SampleParts<F>) {
    const { features, labels, classes, weights, unlabelled } = parts;
    if (labels.length !== features.rows) {
      throw new VouchError("data/malformed", `There are ${features.rows} rows but ${labels.length} labels.`);
    }
    for (let i = 0; i < labels.length; i++) {
      if (labels[i] < -1 || labels[i] >= classes.length) {
        throw new VouchError(
          "data/malformed",
          `Row ${i + 1} has class index ${labels[i]}, but there are ${classes.length} classes.`,
        );
      }
    }
    if (weights) checkWeights(weights, features.rows);
    if (unlabelled && unlabelled.columns !== features.columns) {
      throw new VouchError(
        "data/malformed",
        `Labelled rows have ${features.columns} features, but unlabelled rows have ${unlabelled.columns}.`,
      );
    }
    this.features = features;
    this.labels = labels;
    this.classes = classes;
    this.weights = weights;
    this.unlabelled = unlabelled;
    this.featureNames = parts.featureNames ?? Array.from({ length: features.columns }, (_, j) => `x${j + 1}`);
  }

  get rows(): number {
    return this.features.rows;
  }

  /** Copies the given labelled rows, in this order; rows may repeat. Unlabelled rows stay. */
  select(rows: ArrayLike<number>): Sample<F> {
    const labels = new Int32Array(rows.length);
    const weights = this.weights && new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      labels[i] = this.labels[rows[i]];
      if (weights && this.weights) weights[i] = this.weights[rows[i]];
    }
    const features: Selectable<F> = this.features;
    return new Sample<F>({ ...this, features: features.select(rows), labels, ...(weights && { weights }) });
  }

  /** Returns the same rows with other weights. */
  weighted(weights: Float64Array): Sample<F> {
    return new Sample({ ...this, weights });
  }
}

function checkWeights(weights: Float64Array, rows: number): void {
  if (weights.length !== rows) {
    throw new VouchError("data/malformed", `There are ${rows} rows but ${weights.length} weights.`);
  }
  let total = 0;
  for (let i = 0; i < weights.length; i++) {
    if (!(weights[i] >= 0 && weights[i] < Infinity)) {
      throw new VouchError(
        "data/malformed",
        `Row ${i + 1} has weight ${weights[i]}, but weights must be finite numbers ≥ 0.`,
      );
    }
    total += weights[i];
  }
  if (rows > 0 && total === 0) throw new VouchError("data/malformed", "All weights are zero.");
}

/** Features in one encoding as they are sent to another thread. */
type PlainSingleFeatures =
  | Pick<Matrix, "rows" | "columns" | "values">
  | Pick<SparseRows, "rows" | "columns" | "starts" | "indices" | "values">
  | Pick<BinnedColumns, "rows" | "features" | "bins">;

/** Features as they are sent to another thread; structured-cloneable. */
export type PlainFeatures = PlainSingleFeatures | { readonly parts: readonly PlainSingleFeatures[] };

/** Turns features into plain data for another thread. */
export function plainFeatures(features: Features): PlainFeatures {
  return features instanceof JointFeatures ? { parts: features.parts.map(plainPart) } : plainPart(features);
}

function plainPart(features: SingleFeatures): PlainSingleFeatures {
  if (features instanceof Matrix) {
    const { rows, columns, values } = features;
    return { rows, columns, values };
  }
  if (features instanceof SparseRows) {
    const { rows, columns, starts, indices, values } = features;
    return { rows, columns, starts, indices, values };
  }
  const { rows, features: columns, bins } = features;
  return { rows, features: columns, bins };
}

/** Turns features into plain data on shared memory, to be sent many times; copies only what is not shared already. */
export function sharedFeatures(features: Features): PlainFeatures {
  return features instanceof JointFeatures ? { parts: features.parts.map(sharedPart) } : sharedPart(features);
}

function sharedPart(features: SingleFeatures): PlainSingleFeatures {
  const plain = plainPart(features);
  if ("bins" in plain) return { ...plain, bins: onSharedMemory(plain.bins) };
  const values = onSharedMemory(plain.values);
  if (!("indices" in plain)) return { ...plain, values };
  const starts = onSharedMemory(plain.starts);
  return { ...plain, values, starts, indices: onSharedMemory(plain.indices) };
}

/** Restores features from plain data. */
export function featuresFrom(plain: PlainFeatures): Features & Selectable<Features> {
  return "parts" in plain ? new JointFeatures(plain.parts.map(partFrom)) : partFrom(plain);
}

function partFrom(plain: PlainSingleFeatures): SingleFeatures {
  if ("bins" in plain) return new BinnedColumns(plain.rows, plain.features, plain.bins);
  if ("indices" in plain) return new SparseRows(plain.rows, plain.columns, plain);
  return new Matrix(plain.rows, plain.columns, plain.values);
}

/** Returns rows `begin` … `end` − 1: views of the same numbers where rows follow each other, a copy of binned columns. */
export function rowRange<F extends Features>(
  features: F & Selectable<F>,
  begin: number,
  end: number,
): F & Selectable<F>;
export function rowRange(features: Features & Selectable<Features>, begin: number, end: number): Features {
  return begin === 0 && end === features.rows ? features : features.slice(begin, end);
}
