import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "../../encode/binned-columns.js";
import { binLike, binMatrix } from "../../encode/bins.js";
import { Matrix } from "../../runtime/matrix.js";
import { sharedBytes } from "../../runtime/shared-array.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Column } from "../../table/column.js";
import { Table } from "../../table/table.js";
import type { MarginLoss } from "./margin-loss.js";
import type { FittedMember } from "./members.js";

/**
 * A number for each bin of a numeric feature: the middle of the bin, for the first and the last as far beyond their
 * cut as the middle of the neighbouring bin is before it (0.5 if there is only one cut). Of the bin for missing cells
 * and of bins that there are none of it is NaN.
 */
export function binValues(feature: BinnedFeature): Float64Array {
  const values = new Float64Array(MISSING_BIN + 1).fill(Number.NaN);
  if (feature.kind === "categorical") {
    throw new VouchError("data/wrong-kind", `Column "${feature.name}" holds categories, not numbers.`);
  }
  const { cuts } = feature;
  const last = cuts.length;
  for (let bin = 1; bin < last; bin++) values[bin] = cuts[bin - 1] / 2 + cuts[bin] / 2;
  values[0] = last === 0 ? 0 : cuts[0] - (last === 1 ? 0.5 : values[1] - cuts[0]);
  if (last > 0) values[last] = cuts[last - 1] + (last === 1 ? 0.5 : cuts[last - 1] - values[last - 1]);
  return values;
}

/** The cells of a numeric column as the values of their bins; NaN where they are missing. */
function columnValues(columns: BinnedColumns, j: number): Float64Array {
  const values = binValues(columns.features[j]);
  return Float64Array.from(columns.column(j), (bin) => values[bin]);
}

/** What a layer sees of some rows: their features, what the layer before hands on, or both. */
export class LayerInput {
  readonly rows: number;
  /** Absent in layers that see predictions only. */
  readonly features: BinnedColumns | undefined;
  /** What the layer before hands on, binned; absent in the first layer. */
  readonly handed: BinnedColumns | undefined;
  readonly #numbers: Matrix | undefined;
  #columns: BinnedColumns | undefined;

  private constructor(features: BinnedColumns | undefined, handed?: BinnedColumns, numbers?: Matrix) {
    this.rows = (features ?? handed)?.rows ?? 0;
    this.features = features;
    this.handed = handed;
    this.#numbers = numbers;
  }

  /** The input of the first layer. */
  static first(features: BinnedColumns): LayerInput {
    return new LayerInput(features);
  }

  /** The input of a later layer: `bins` of its training rows are found if they are not given. */
  static later(
    features: BinnedColumns | undefined,
    numbers: Matrix,
    bins?: readonly BinnedFeature[],
  ): LayerInput {
    const handed = bins
      ? binLike(numbers, bins)
      : binMatrix(numbers, MISSING_BIN, handedNames(numbers.columns));
    return new LayerInput(features, handed, numbers);
  }

  /** How all its columns are binned. */
  get bins(): readonly BinnedFeature[] {
    return [...(this.features?.features ?? []), ...(this.handed?.features ?? [])];
  }

  /** All of it as binned columns. */
  columns(): BinnedColumns {
    this.#columns ??= this.#joined();
    return this.#columns;
  }

  #joined(): BinnedColumns {
    const { features, handed } = this;
    if (!handed || !features) return features ?? handed ?? new BinnedColumns(0, [], new Uint8Array(0));
    const bins = sharedBytes(features.bins.length + handed.bins.length);
    bins.set(features.bins);
    bins.set(handed.bins, features.bins.length);
    return new BinnedColumns(this.rows, this.bins, bins);
  }

  /** All of it as raw columns, for learners other than trees: a number is the middle of its bin. */
  table(): Table {
    const { features } = this;
    const ofFeatures = features?.features.map((feature, j) => rawColumn(features, feature, j)) ?? [];
    const ofLayer = this.#numbers ? numericColumns(this.#numbers) : [];
    return new Table("The input of a layer", this.rows, [...ofFeatures, ...ofLayer]);
  }
}

/** What columns are called that a layer hands on. */
export function handedNames(columns: number): string[] {
  return Array.from({ length: columns }, (_, k) => `prediction ${k + 1}`);
}

/** Features need not have different names, but columns of a table do: so they are numbered. */
function rawColumn(columns: BinnedColumns, feature: BinnedFeature, j: number): Column {
  const name = `feature ${j + 1}`;
  if (feature.kind === "numeric") return { kind: "numeric", name, values: columnValues(columns, j) };
  const codes = Int32Array.from(columns.column(j), (bin) => (bin === MISSING_BIN ? -1 : bin));
  return { kind: "categorical", name, codes, levels: feature.levels };
}

function numericColumns({ rows, columns, values }: Matrix): Column[] {
  return handedNames(columns).map((name, k) => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: rows }, (_, i) => values[i * columns + k]),
  }));
}

/** The mean of matrices of one shape, of which there is at least one. */
export function meanOf(matrices: readonly Matrix[]): Matrix {
  const [{ rows, columns }] = matrices;
  const values = new Float64Array(rows * columns);
  for (const matrix of matrices) {
    for (let k = 0; k < values.length; k++) values[k] += matrix.values[k] / matrices.length;
  }
  return new Matrix(rows, columns, values);
}

/** Matrices of as many rows, side by side. */
export function besideEachOther(matrices: readonly Matrix[]): Matrix {
  const [{ rows }] = matrices;
  const columns = matrices.reduce((sum, matrix) => sum + matrix.columns, 0);
  const joined = new Matrix(rows, columns);
  let at = 0;
  for (const matrix of matrices) {
    for (let i = 0; i < rows; i++) joined.values.set(matrix.row(i), i * columns + at);
    at += matrix.columns;
  }
  return joined;
}

/** A trained layer of a deep forest. */
export interface Layer {
  /** How the columns are binned that the layer before hands on; none in the first layer. */
  readonly handed: readonly BinnedFeature[];
  readonly members: readonly FittedMember[];
  /** α_t, not normalised; 0 for a layer that only makes features. */
  readonly alpha: number;
  /** The loss that α_t minimises; absent in a plain cascade. */
  readonly loss?: MarginLoss;
  /** Whether it was grown for the rows with a large loss. */
  readonly reweighted: boolean;
  /** Weighted share of the training rows that the model up to this layer gets right, out of fold. */
  readonly outOfFoldAccuracy: number;
  /** Normalised margins of the model up to this layer on the training rows, out of fold. */
  readonly margins: Float64Array;
  /** ln|H_t| of Theorem 1; absent where the layer is not made of trees alone, so that nobody can count. */
  readonly logFamilySize?: number;
}
