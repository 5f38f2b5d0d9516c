import type { BinnedFeature } from "vouch/learning";
import type { Graph, Value } from "./graph.js";

/** Numbers in rows, as doubles. */
export interface MatrixTensor {
  readonly kind: "matrix";
  readonly values: Value;
  readonly columns: number;
}

/** Bins in rows, which are computed when they are needed. */
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

/**
 * A column to bin. The bins of numbers are single-precision floats and NaN for missing cells; those of categories are floats, 255
 * for missing and unknown ones.
 */
export type BinnedColumn =
  | { readonly kind: "numeric"; readonly cuts: ArrayLike<number>; readonly numbers: () => Value }
  | { readonly kind: "categorical"; readonly levels: readonly string[]; readonly bins: () => Value }
  /** Already binned: NaN is missing. */
  | { readonly kind: "bins"; readonly bins: () => Value };

/** Computes the bin of each number: the number of cuts below it. */
export function binNumbers(graph: Graph, numbers: Value, cuts: ArrayLike<number>): Value {
  const missing = graph.isNaN(numbers);
  const nothing = graph.floats([Number.NaN], []);
  if (cuts.length === 0) return graph.where(missing, nothing, graph.floats([0], []));
  const above = graph.op("Greater", [numbers, graph.doubles(cuts, [1, cuts.length])]);
  return graph.where(missing, nothing, graph.sum(graph.cast(above, "float")));
}

/** Computes the bins of a column. */
export function binColumn(graph: Graph, column: BinnedColumn): Value {
  return column.kind === "numeric" ? binNumbers(graph, column.numbers(), column.cuts) : column.bins();
}

/** Makes the columns of a matrix as columns to bin by the cuts of features. */
export function binsOfMatrix(
  graph: Graph,
  { values }: MatrixTensor,
  features: readonly BinnedFeature[],
): BinnedTensor {
  const columns = features.map((feature, j): BinnedColumn => {
    const cuts = feature.kind === "numeric" ? feature.cuts : [];
    return { kind: "numeric", cuts, numbers: once(() => graph.columns(values, [j])) };
  });
  return { kind: "binned", columns };
}

/** Calls a function the first time, and returns its result from then on. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
