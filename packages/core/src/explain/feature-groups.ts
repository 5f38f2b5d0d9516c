import { BinnedColumns } from "../encode/binned-columns.js";
import type { Encoder } from "../encode/encoder.js";
import { JointFeatures, type SingleFeatures } from "../encode/joint-features.js";
import type { Features, Selectable } from "../encode/sample.js";
import { type ImportanceSection, importanceSection } from "../learners/description.js";
import { Matrix } from "../runtime/maths/matrix.js";
import { SparseRows } from "../runtime/maths/sparse-rows.js";

/** Features that change together, such as all features of one column of a table. */
export interface FeatureGroup {
  readonly name: string;
  readonly features: readonly number[];
}

/** Groups the features of an encoder by raw column, in the order of its schema. */
export function featuresByColumn({
  schema,
  featureColumns,
}: Pick<Encoder, "schema" | "featureColumns">): FeatureGroup[] {
  const features = schema.columns.map((): number[] => []);
  featureColumns.forEach((column, feature) => {
    features[column].push(feature);
  });
  return schema.columns.map(({ name }, column) => ({ name, features: features[column] }));
}

/** Adds up the importance of the features of each raw column, largest first. */
export function importanceByColumn(
  section: ImportanceSection,
  { schema, featureNames, featureColumns }: Pick<Encoder, "schema" | "featureNames" | "featureColumns">,
): ImportanceSection {
  const columnOf = new Map(featureNames.map((name, j) => [name, featureColumns[j]]));
  const shares = new Float64Array(schema.columns.length);
  for (const { name, share } of section.features) {
    const column = columnOf.get(name);
    // Features that a learner makes itself do not belong to a single column.
    if (column === undefined) return section;
    shares[column] += share;
  }
  const names = schema.columns.map(({ name }) => name);
  const title = section.title.replace("feature", "column");
  return { ...importanceSection(names, shares), title };
}

/**
 * Returns a block whose rows have the values of some features in the given rows of all features. Changes dense blocks
 * in place.
 */
export function withCells<F extends Features>(
  block: F & Selectable<F>,
  exchanged: readonly number[],
  features: Features,
  rows: Int32Array,
): F & Selectable<F>;
export function withCells(
  block: Features,
  exchanged: readonly number[],
  features: Features,
  rows: Int32Array,
): Features {
  if (features instanceof JointFeatures && block instanceof JointFeatures) {
    const { parts, starts } = features;
    const changed = block.parts.map((part, k) => {
      const own = exchanged.map((j) => j - starts[k]).filter((j) => j >= 0 && j < part.columns);
      return own.length === 0 ? part : withPartCells(part, own, parts[k], rows);
    });
    return new JointFeatures(changed);
  }
  if (features instanceof JointFeatures || block instanceof JointFeatures) throw mixedEncodings();
  return withPartCells(block, exchanged, features, rows);
}

function mixedEncodings(): TypeError {
  return new TypeError("Features in several encodings cannot be joined with others.");
}

function withPartCells(
  block: SingleFeatures,
  exchanged: readonly number[],
  features: SingleFeatures,
  rows: Int32Array,
): SingleFeatures {
  if (features instanceof SparseRows && block instanceof SparseRows) {
    return withSparseCells(block, exchanged, features, rows);
  }
  for (const j of exchanged) copyCells(features, j, rows, block);
  return block;
}

/** Sets feature j of the rows of a block to its values in the given rows of all features. */
function copyCells(features: SingleFeatures, j: number, rows: Int32Array, block: SingleFeatures): void {
  if (features instanceof Matrix && block instanceof Matrix) {
    const { columns, values } = features;
    for (let i = 0; i < rows.length; i++) block.values[i * columns + j] = values[rows[i] * columns + j];
  } else if (features instanceof BinnedColumns && block instanceof BinnedColumns) {
    const cells = features.column(j);
    const own = block.column(j);
    for (let i = 0; i < rows.length; i++) own[i] = cells[rows[i]];
  }
}

/** Merges the entries of a block's other features with the exchanged features of the given rows. */
function withSparseCells(
  block: SparseRows,
  exchanged: readonly number[],
  features: SparseRows,
  rows: Int32Array,
): SparseRows {
  const isExchanged = new Set(exchanged);
  const starts = new Int32Array(rows.length + 1);
  const indices: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < rows.length; i++) {
    const entries = [
      ...entriesOf(block, i).filter(({ index }) => !isExchanged.has(index)),
      ...entriesOf(features, rows[i]).filter(({ index }) => isExchanged.has(index)),
    ];
    for (const { index, value } of entries.sort((a, b) => a.index - b.index)) {
      indices.push(index);
      values.push(value);
    }
    starts[i + 1] = indices.length;
  }
  const parts = { starts, indices: Int32Array.from(indices), values: Float64Array.from(values) };
  return new SparseRows(rows.length, block.columns, parts);
}

function entriesOf(
  { starts, indices, values }: SparseRows,
  row: number,
): { readonly index: number; readonly value: number }[] {
  const [begin, end] = [starts[row], starts[row + 1]];
  return Array.from(indices.subarray(begin, end), (index, e) => ({ index, value: values[begin + e] }));
}

/** Stacks rows of the same features. */
export function stackedRows(above: Features, below: Features): Features & Selectable<Features> {
  if (above instanceof JointFeatures && below instanceof JointFeatures) {
    return new JointFeatures(above.parts.map((part, k) => stackedParts(part, below.parts[k])));
  }
  if (above instanceof JointFeatures || below instanceof JointFeatures) throw mixedEncodings();
  return stackedParts(above, below);
}

function stackedParts(above: SingleFeatures, below: SingleFeatures): SingleFeatures {
  const rows = above.rows + below.rows;
  if (above instanceof BinnedColumns && below instanceof BinnedColumns) {
    const bins = new Uint8Array(rows * above.columns);
    for (let j = 0; j < above.columns; j++) {
      bins.set(above.column(j), j * rows);
      bins.set(below.column(j), j * rows + above.rows);
    }
    return new BinnedColumns(rows, above.features, bins);
  }
  if (above instanceof Matrix && below instanceof Matrix) {
    const size = rows * above.columns;
    const values = above.values instanceof Float32Array ? new Float32Array(size) : new Float64Array(size);
    values.set(above.values);
    values.set(below.values, above.values.length);
    return new Matrix(rows, above.columns, values);
  }
  return stackedSparseRows(sparseRowsOf(above), sparseRowsOf(below));
}

function sparseRowsOf(features: SingleFeatures): SparseRows {
  if (features instanceof SparseRows) return features;
  if (features instanceof Matrix) return SparseRows.fromMatrix(features);
  throw new TypeError("Bins cannot be joined with numbers.");
}

function stackedSparseRows(above: SparseRows, below: SparseRows): SparseRows {
  const joined = <A extends Int32Array | Float64Array>(
    array: A,
    first: ArrayLike<number>,
    second: ArrayLike<number>,
  ) => {
    array.set(first);
    array.set(second, first.length);
    return array;
  };
  const rows = above.rows + below.rows;
  const entries = above.entries + below.entries;
  const further = below.starts.subarray(1).map((start) => start + above.entries);
  return new SparseRows(rows, above.columns, {
    starts: joined(new Int32Array(rows + 1), above.starts, further),
    indices: joined(new Int32Array(entries), above.indices, below.indices),
    values: joined(new Float64Array(entries), above.values, below.values),
  });
}
