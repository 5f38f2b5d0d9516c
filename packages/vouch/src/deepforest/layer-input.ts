import { binLike, binMatrix } from "../data/bin-matrix.js";
import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "../data/binned-columns.js";
import { sharedBytes } from "../data/shared-array.js";
import { type Column, Table } from "../data/table.js";
import type { Matrix } from "../numeric/matrix.js";
import { columnValues } from "./bin-values.js";

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
