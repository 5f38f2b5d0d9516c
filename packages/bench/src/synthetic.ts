import { type Column, Table } from "vouch";
import { Random } from "vouch/learning";

/** Number of features, as in the HIGGS data. */
const FEATURES = 28;

/**
 * Makes a table of two classes with 28 normal features, the last seven of them functions of the others, and a class that depends
 * on products and sums of them with noise: as hard for trees as the HIGGS data, with any number of rows.
 */
export function manyRows(rows: number): Table {
  const random = new Random(1);
  const values = Array.from({ length: FEATURES }, () => new Float64Array(new SharedArrayBuffer(8 * rows)));
  const labels = new Uint8Array(new SharedArrayBuffer(rows));
  const x = new Float64Array(FEATURES);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < 21; j++) x[j] = random.normal();
    for (let j = 21; j < FEATURES; j++) x[j] = Math.hypot(x[j - 21], x[j - 14]) + 0.1 * x[j - 7];
    const signal = x[0] * x[1] - x[2] * x[3] + 0.5 * x[4] + x[22] - 1.2 * x[25];
    labels[i] = signal + 1.5 * random.normal() > 0 ? 1 : 0;
    for (let j = 0; j < FEATURES; j++) values[j][i] = x[j];
  }
  const columns = values.map((each, j): Column => ({ kind: "numeric", name: `x${j + 1}`, values: each }));
  const target: Column = {
    kind: "categorical",
    name: "label",
    levels: ["no", "yes"],
    codes: Int32Array.from(labels),
  };
  return new Table("many rows", rows, [...columns, target]);
}
