import { binRows } from "../../encode/bin-matrix.js";
import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "../../encode/binned-columns.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import { sharedBytes } from "../../runtime/parallel/shared-array.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Column } from "../../table/column.js";
import { Table } from "../../table/table.js";
import { TreeColumns } from "../tree/tree-columns.js";

/** The input of a layer for some rows: their features, the predictions of the layer before, or both. */
export class LayerInput {
  readonly rows: number;
  /** Absent in layers that see predictions only. */
  readonly features: BinnedColumns | undefined;
  /** The predictions of the layer before, binned; absent in the first layer. */
  readonly predictions: BinnedColumns | undefined;
  readonly #numbers: Matrix | undefined;
  #columns: BinnedColumns | undefined;

  private constructor(features: BinnedColumns | undefined, predictions?: BinnedColumns, numbers?: Matrix) {
    this.rows = (features ?? predictions)?.rows ?? 0;
    this.features = features;
    this.predictions = predictions;
    this.#numbers = numbers;
  }

  /** Makes the input of the first layer. */
  static first(features: BinnedColumns): LayerInput {
    return new LayerInput(features);
  }

  /** Makes the input of a later layer, with the bins of the training rows. Training rows themselves determine the bins. */
  static *later(
    features: BinnedColumns | undefined,
    numbers: Matrix,
    bins?: readonly BinnedFeature[],
  ): Pausable<LayerInput> {
    const like = bins ?? { names: predictionNames(numbers.columns) };
    return new LayerInput(features, yield* binRows(numbers, like), numbers);
  }

  /** The bins of all columns. */
  get bins(): readonly BinnedFeature[] {
    return [...(this.features?.features ?? []), ...(this.predictions?.features ?? [])];
  }

  /** Returns the input as binned columns. */
  columns(): BinnedColumns {
    const parts = [this.features, this.predictions].filter((part) => part !== undefined);
    this.#columns ??= parts.length === 1 ? parts[0] : joinedColumns(parts);
    return this.#columns;
  }

  /** Returns the input as raw columns, for learners other than trees: a number is the middle of its bin. */
  table(): Table {
    const { features } = this;
    const ofFeatures = features?.features.map((feature, j) => rawColumn(features, feature, j)) ?? [];
    const ofLayer = this.#numbers ? numericColumns(this.#numbers) : [];
    return new Table("The input of a layer", this.rows, [...ofFeatures, ...ofLayer]);
  }
}

/**
 * Lays out the input of a layer for trees: predictions come after the features, if it sees these. The result is released before the
 * base.
 */
export function* layerColumns(
  { features, predictions }: LayerInput,
  base: TreeColumns,
): Pausable<TreeColumns> {
  if (!predictions) return new TreeColumns(base);
  return yield* features ? base.with(predictions) : TreeColumns.copy(predictions);
}

/** Names the columns of predictions. */
export function predictionNames(columns: number): string[] {
  return Array.from({ length: columns }, (_, k) => `prediction ${k + 1}`);
}

/** Joins binned columns of the same rows. */
export function joinedColumns(parts: readonly BinnedColumns[]): BinnedColumns {
  const [{ rows }] = parts;
  const bins = sharedBytes(parts.reduce((sum, part) => sum + part.bins.length, 0));
  let at = 0;
  for (const part of parts) {
    bins.set(part.bins, at);
    at += part.bins.length;
  }
  return new BinnedColumns(
    rows,
    parts.flatMap(({ features }) => features),
    bins,
  );
}

/** Numbers the features, which may have equal names, because columns of a table may not. */
function rawColumn(columns: BinnedColumns, feature: BinnedFeature, j: number): Column {
  const name = `feature ${j + 1}`;
  if (feature.kind === "numeric") {
    const values = binValues(feature);
    return { kind: "numeric", name, values: Float64Array.from(columns.column(j), (bin) => values[bin]) };
  }
  const codes = Int32Array.from(columns.column(j), (bin) => (bin === MISSING_BIN ? -1 : bin));
  return { kind: "categorical", name, codes, levels: feature.levels };
}

/**
 * Returns a number for each bin of a numeric feature: the middle of the bin. The first and the last bin get a number as far
 * beyond their cut as the middle of the next bin is before it (0.5 if there is only one cut). The bin of missing cells, and
 * bins that the feature does not have, get NaN.
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

function numericColumns({ rows, columns, values }: Matrix): Column[] {
  return predictionNames(columns).map((name, k) => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: rows }, (_, i) => values[i * columns + k]),
  }));
}

/** Returns the mean of matrices of the same shape, at least one. */
export function meanOf(matrices: readonly Matrix[]): Matrix {
  const [{ rows, columns }] = matrices;
  const values = new Float64Array(rows * columns);
  for (const matrix of matrices) {
    for (let k = 0; k < values.length; k++) values[k] += matrix.values[k] / matrices.length;
  }
  return new Matrix(rows, columns, values);
}

/** Places matrices of the same rows side by side. */
export function sideBySide(matrices: readonly Matrix[]): Matrix {
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
