import { Random } from "@vouch/core/internal/runtime/maths/random";
import type { Column } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";

/** Number of features, as in the HIGGS data. */
const FEATURES = 28;

/**
 * Generates a table of two classes with 28 normal features, the last seven of which are functions of the rest. The
 * class depends on products and sums of them, with noise: as hard for trees as the HIGGS data, with any number of rows.
 */
export function manyRows(rows: number): Table {
  const random = new Random(1);
  const values = Array.from({ length: FEATURES }, () => new Float64Array(new SharedArrayBuffer(8 * rows)));
  const labels = new Uint8Array(rows);
  const x = new Float64Array(FEATURES);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < 21; j++) x[j] = random.normal();
    for (let j = 21; j < FEATURES; j++) x[j] = Math.hypot(x[j - 21], x[j - 14]) + 0.1 * x[j - 7];
    const signal = x[0] * x[1] - x[2] * x[3] + 0.5 * x[4] + x[22] - 1.2 * x[25];
    labels[i] = signal + 1.5 * random.normal() > 0 ? 1 : 0;
    for (let j = 0; j < FEATURES; j++) values[j][i] = x[j];
  }
  return twoClasses("many rows", values, labels);
}

/**
 * Generates a table of two classes with ten uniform features; a smooth function of five of them decides the class
 * (Friedman 1991), with noise near the boundary.
 */
export function smoothRows(rows: number): Table {
  const random = new Random(1);
  const values = Array.from({ length: 10 }, () => new Float64Array(new SharedArrayBuffer(8 * rows)));
  const labels = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) {
    for (const column of values) column[i] = random.uniform();
    const [a, b, c, d, e] = values.map((column) => column[i]);
    const signal = 10 * Math.sin(Math.PI * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e;
    labels[i] = signal + random.normal() > 14.4 ? 1 : 0;
  }
  return twoClasses("smooth rows", values, labels);
}

function twoClasses(name: string, values: readonly Float64Array[], labels: Uint8Array): Table {
  const columns = values.map((each, j): Column => ({ kind: "numeric", name: `x${j + 1}`, values: each }));
  const target: Column = {
    kind: "categorical",
    name: "label",
    levels: ["no", "yes"],
    codes: Int32Array.from(labels),
  };
  return new Table(name, labels.length, [...columns, target]);
}
