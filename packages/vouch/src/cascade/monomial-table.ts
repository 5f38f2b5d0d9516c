import { polynomialVcDimension } from "../bounds/vc-dimension-polynomial.js";
import { sharedBuffer } from "../data/shared-array.js";
import { VouchError } from "../error.js";
import { checkpoint, type Run } from "../learning/run.js";
import { formatNumber } from "../number-format.js";
import type { Matrix } from "../numeric/matrix.js";
import type { Monomial } from "./classifier.js";

/** A monomial of the features: its value for every row of a sample, and the rows in ascending order of it. */
export interface MonomialColumn {
  readonly monomial: Monomial;
  readonly values: Float64Array;
  readonly order: Int32Array;
}

/** The columns of monomials, one after the other, in memory that threads share: structured-cloneable. */
export interface MonomialTable {
  readonly rows: number;
  /** By degree and then by features. */
  readonly monomials: readonly Monomial[];
  readonly values: Float64Array;
  readonly orders: Int32Array;
}

/** The most values that are held: 240 MB with their order. */
const MOST_VALUES = 2e7;

/**
 * The monomials of degree 1 to `degree` of the features of a sample. Sorted once: whoever looks for a threshold on some
 * of the rows walks through the order and skips the others.
 */
export async function monomialTable(features: Matrix, degree: number, run: Run): Promise<MonomialTable> {
  const count = polynomialVcDimension(features.columns, degree) - 1;
  const { rows } = features;
  if (count * rows > MOST_VALUES) throw tooMany(count, degree, features);
  const table = {
    rows,
    monomials: [...monomialsUpTo(features.columns, degree)],
    values: new Float64Array(sharedBuffer(8 * count * rows)),
    orders: new Int32Array(sharedBuffer(4 * count * rows)),
  };
  for (const { monomial, values, order } of columnsUpTo(table, degree)) {
    values.fill(1);
    for (const feature of monomial) {
      for (let i = 0; i < rows; i++) values[i] *= features.values[i * features.columns + feature];
    }
    checkFinite(values, monomial);
    for (let i = 0; i < rows; i++) order[i] = i;
    order.sort((a, b) => values[a] - values[b] || a - b);
    await checkpoint(run);
  }
  return table;
}

/** The columns of the monomials up to a degree. */
export function columnsUpTo(
  { rows, monomials, values, orders }: MonomialTable,
  degree: number,
): MonomialColumn[] {
  const higher = monomials.findIndex((monomial) => monomial.length > degree);
  return monomials.slice(0, higher < 0 ? monomials.length : higher).map((monomial, c) => ({
    monomial,
    values: values.subarray(c * rows, (c + 1) * rows),
    order: orders.subarray(c * rows, (c + 1) * rows),
  }));
}

/** Lists of features, never descending, shorter ones first. */
function* monomialsUpTo(features: number, degree: number): Generator<Monomial> {
  let last: Monomial[] = [[]];
  for (let d = 1; d <= degree; d++) {
    const longer: Monomial[] = [];
    for (const monomial of last) {
      for (let feature = monomial.at(-1) ?? 0; feature < features; feature++)
        longer.push([...monomial, feature]);
    }
    yield* longer;
    last = longer;
  }
}

function tooMany(count: number, degree: number, { rows, columns }: Matrix): VouchError {
  return new VouchError(
    "data/too-large",
    `${columns} features have ${formatNumber(count)} monomials up to degree ${degree}: too many for ${rows} rows.`,
    { hint: "Use thresholds of a lower degree, fewer features or fewer rows." },
  );
}

function checkFinite(values: Float64Array, monomial: Monomial): void {
  const row = values.findIndex((value) => !Number.isFinite(value));
  if (row < 0) return;
  throw new VouchError(
    "data/not-finite",
    `The product of features ${monomial.map((feature) => feature + 1).join(", ")} overflows at training row ${row + 1}.`,
    { hint: "Standardise the features, or use thresholds of a lower degree." },
  );
}
