import { Matrix } from "../runtime/matrix.js";
import { onSharedMemory } from "../runtime/shared-array.js";
import { SparseRows } from "../runtime/sparse-rows.js";
import { VouchError } from "../runtime/vouch-error.js";
import { BinnedColumns } from "./binned-columns.js";

/**
 * Encoded features: numbers in rows (kernel machines, nets, stumps), binned columns (trees), or rows that are mostly zero
 * (linear machines), which no encoder makes: programs give them.
 */
export type Features = Matrix | BinnedColumns | SparseRows;

/** What features of every kind can do: give some of their rows as features of the same kind. */
export interface Selectable<F> {
  select(rows: ArrayLike<number>): F & Selectable<F>;
}

/** The parts of a sample; `classes` and `labels` belong together. */
export interface SampleParts<F extends Features> {
  readonly features: F & Selectable<F>;
  /** Class index of each row. −1 marks a class that `classes` does not have: always an error to predict. */
  readonly labels: Int32Array;
  readonly classes: readonly string[];
  /** Non-negative, not all zero; absent means that every row counts one. */
  readonly weights?: Float64Array;
  readonly featureNames?: readonly string[];
  /** Further rows, whose class is not known, for learners that pre-train (`Learner.pretrains`): they take numbers. */
  readonly unlabelled?: Matrix;
}

/** Encoded, labelled data: what a learner fits and what a bound is evaluated on. */
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
        `Rows with a label have ${features.columns} features, but rows without one ${unlabelled.columns}.`,
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

  /** The given rows, in the given order; rows may repeat. Those without a label stay. */
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

  /** The same rows with other weights. */
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
      throw new VouchError("data/malformed", `The weight of row ${i + 1} is ${weights[i]}.`, {
        hint: "Weights are finite numbers ≥ 0.",
      });
    }
    total += weights[i];
  }
  if (rows > 0 && total === 0) throw new VouchError("data/malformed", "All weights are zero.");
}

/** Features as they are sent to another thread, which shares their numbers where it can. */
export type FeaturePieces =
  | Pick<Matrix, "rows" | "columns" | "values">
  | Pick<SparseRows, "rows" | "columns" | "starts" | "indices" | "values">
  | Pick<BinnedColumns, "rows" | "features" | "bins">;

/** What to send of features. */
export function inPieces(features: Features): FeaturePieces {
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

/** The same on memory that threads share, for pieces that are sent many times; a copy unless they are there already. */
export function inSharedPieces(features: Features): FeaturePieces {
  const pieces = inPieces(features);
  if ("bins" in pieces) return { ...pieces, bins: onSharedMemory(pieces.bins) };
  const values = onSharedMemory(pieces.values);
  if (!("indices" in pieces)) return { ...pieces, values };
  const starts = onSharedMemory(pieces.starts);
  return { ...pieces, values, starts, indices: onSharedMemory(pieces.indices) };
}

/** The features that were sent. */
export function ofPieces(pieces: FeaturePieces): Features & Selectable<Features> {
  if ("bins" in pieces) return new BinnedColumns(pieces.rows, pieces.features, pieces.bins);
  if ("indices" in pieces) return new SparseRows(pieces.rows, pieces.columns, pieces);
  return new Matrix(pieces.rows, pieces.columns, pieces.values);
}
