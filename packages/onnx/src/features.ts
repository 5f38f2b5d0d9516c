import type { BinnedFeature } from "@vouch/core/internal/encode/binned-columns";
import type { Graph, Value } from "./graph.js";

/** Rows of numbers, as doubles. */
export interface MatrixTensor {
  readonly kind: "matrix";
  readonly values: Value;
  readonly columns: number;
}

/** Rows of bins, computed on demand. */
export interface BinnedTensor {
  readonly kind: "binned";
  readonly columns: readonly BinnedColumn[];
}

/** Rows in several encodings. */
export interface JointTensor {
  readonly kind: "joint";
  readonly parts: readonly SingleTensor[];
}

/** Rows in one encoding. */
export type SingleTensor = MatrixTensor | BinnedTensor;

/** The encoded rows of a table. */
export type FeatureTensor = SingleTensor | JointTensor;

/** A numeric column: a value with one column, or a column of a matrix. */
export interface NumberColumn {
  readonly values: () => Value;
  /** Absent if there is only one. */
  readonly column?: number;
}

/** A column to bin. */
export type BinnedColumn =
  | { readonly kind: "numeric"; readonly cuts: ArrayLike<number>; readonly numbers: NumberColumn }
  /** Bins of categories are floats, 255 for missing and unknown ones. */
  | { readonly kind: "categorical"; readonly levels: readonly string[]; readonly bins: () => Value };

/** Number of comparisons per operator: all at once would need much memory, each on its own many operators. */
const MOST_COMPARISONS = 4096;

/**
 * Bins columns, [rows, columns], in single precision. The bin of a number is the number of cuts below it; NaN is
 * missing.
 */
export function binColumns(graph: Graph, columns: readonly BinnedColumn[]): Value {
  const blocks: Value[] = [];
  let group: Extract<BinnedColumn, { kind: "numeric" }>[] = [];
  let longest = 0;
  const close = () => {
    if (group.length > 0) blocks.push(binNumbers(graph, group, longest));
    group = [];
    longest = 0;
  };
  for (const column of columns) {
    if (column.kind === "categorical") {
      close();
      blocks.push(column.bins());
      continue;
    }
    const length = Math.max(1, longest, column.cuts.length);
    if (length * (group.length + 1) > MOST_COMPARISONS) close();
    group.push(column);
    longest = Math.max(1, longest, column.cuts.length);
  }
  close();
  return graph.concat(blocks);
}

/** Bins numeric columns with up to `longest` cuts; shorter lists are padded with infinity. */
function binNumbers(
  graph: Graph,
  columns: readonly Extract<BinnedColumn, { kind: "numeric" }>[],
  longest: number,
): Value {
  const numbers = numbersOf(
    graph,
    columns.map((column) => column.numbers),
  );
  const cuts = new Float64Array(columns.length * longest).fill(Number.POSITIVE_INFINITY);
  for (const [j, column] of columns.entries()) cuts.set(Array.from(column.cuts), j * longest);
  const cells = graph.reshape(numbers, [-1, columns.length, 1]);
  const isAbove = graph.op("Greater", [cells, graph.doubles(cuts, [1, columns.length, longest])]);
  const counts = graph.reshape(graph.sum(graph.cast(isAbove, "float"), 2), [-1, columns.length]);
  return graph.where(graph.isNaN(numbers), graph.floats([Number.NaN], []), counts);
}

/** Concatenates numeric columns. */
function numbersOf(graph: Graph, columns: readonly NumberColumn[]): Value {
  const values = columns.map((column) => column.values());
  const indices = columns.flatMap(({ column }) => column ?? []);
  const isOneMatrix = indices.length === columns.length && values.every((each) => each === values[0]);
  if (isOneMatrix) return graph.columns(values[0], indices);
  return graph.concat(
    columns.map(({ column }, k) => (column === undefined ? values[k] : graph.columns(values[k], [column]))),
  );
}

/** Prepares the columns of a matrix for binning by the cuts of features. */
export function binsOfMatrix({ values }: MatrixTensor, features: readonly BinnedFeature[]): BinnedTensor {
  const columns = features.map((feature, column): BinnedColumn => {
    const cuts = feature.kind === "numeric" ? feature.cuts : [];
    return { kind: "numeric", cuts, numbers: { values: () => values, column } };
  });
  return { kind: "binned", columns };
}

/** Memoises a function without arguments. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
