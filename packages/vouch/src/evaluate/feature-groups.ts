import { BinnedColumns } from "../encode/binned-columns.js";
import type { Encoder } from "../encode/encoder.js";
import type { Features, Selectable } from "../encode/sample.js";
import { Matrix } from "../runtime/matrix.js";
import { VouchError } from "../runtime/vouch-error.js";

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

/** Sets feature j of the first rows of a block to its values in the given rows of all features. */
export function copyCells(features: Features, j: number, rows: Int32Array, block: Features): void {
  if (features instanceof Matrix && block instanceof Matrix) {
    const { columns, values } = features;
    for (let i = 0; i < rows.length; i++) block.values[i * columns + j] = values[rows[i] * columns + j];
  } else if (features instanceof BinnedColumns && block instanceof BinnedColumns) {
    const cells = features.column(j);
    const own = block.column(j);
    for (let i = 0; i < rows.length; i++) own[i] = cells[rows[i]];
  }
}

/** Puts rows of the same features below others. */
export function stackedRows(above: Features, below: Features): Features & Selectable<Features> {
  const rows = above.rows + below.rows;
  if (above instanceof Matrix && below instanceof Matrix) {
    const size = rows * above.columns;
    const values = above.values instanceof Float32Array ? new Float32Array(size) : new Float64Array(size);
    values.set(above.values);
    values.set(below.values, above.values.length);
    return new Matrix(rows, above.columns, values);
  }
  if (above instanceof BinnedColumns && below instanceof BinnedColumns) {
    const bins = new Uint8Array(rows * above.columns);
    for (let j = 0; j < above.columns; j++) {
      bins.set(above.column(j), j * rows);
      bins.set(below.column(j), j * rows + above.rows);
    }
    return new BinnedColumns(rows, above.features, bins);
  }
  throw new VouchError("learner/unsupported", "The columns of sparse rows cannot be exchanged.", {
    hint: "Convert them to a matrix with features.toMatrix().",
  });
}
