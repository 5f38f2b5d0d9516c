import { polynomialVcDimension } from "../bounds/vc-dimension-polynomial.js";
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

/** The most values that are held: 240 MB with their order. */
const MOST_VALUES = 2e7;

/**
 * The monomials of degree 1 to `degree` of the features of a sample, by degree and then by features. Sorted once:
 * whoever looks for a threshold on some of the rows walks through the order and skips the others.
 */
export async function monomialTable(features: Matrix, degree: number, run: Run): Promise<MonomialColumn[]> {
  const count = polynomialVcDimension(features.columns, degree) - 1;
  if (count * features.rows > MOST_VALUES) throw tooMany(count, degree, features);
  const columns: MonomialColumn[] = [];
  for (const monomial of monomialsUpTo(features.columns, degree)) {
    const values = new Float64Array(features.rows).fill(1);
    for (const feature of monomial) {
      for (let i = 0; i < features.rows; i++) values[i] *= features.values[i * features.columns + feature];
    }
    checkFinite(values, monomial);
    const order = Int32Array.from(values, (_, row) => row).sort((a, b) => values[a] - values[b] || a - b);
    columns.push({ monomial, values, order });
    await checkpoint(run);
  }
  return columns;
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
