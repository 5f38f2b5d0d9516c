import type { Matrix } from "../../runtime/matrix.js";
import { formatNumber } from "../../runtime/number-format.js";
import { checkpoint, type Run } from "../../runtime/run.js";
import { sharedBuffer } from "../../runtime/shared-array.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { polynomialVcDimension } from "../../theory/vc/vc-dimension.js";
import { thresholdBetween } from "../stump/prepare-column.js";
import type { Gate, LeafClassifier, Monomial } from "./cascade-level.js";
import { pointsOfFraction } from "./search-space.js";

/** Rows of a sample with their signs, for walks through sorted columns. */
export class SignedRows {
  readonly rows: Int32Array;
  readonly labels: Int8Array;
  readonly positive: number;
  readonly #member: Uint8Array;

  /** `labels` are the signs of all rows of the sample. */
  constructor(rows: Int32Array, labels: Int8Array) {
    this.rows = rows;
    this.labels = labels;
    this.#member = new Uint8Array(labels.length);
    let positive = 0;
    for (const row of rows) {
      this.#member[row] = 1;
      if (labels[row] > 0) positive++;
    }
    this.positive = positive;
  }

  /** Returns the rows in the order of a column. */
  sorted({ order }: MonomialColumn): Int32Array {
    return order.filter((row) => this.#member[row] === 1);
  }
}

/** A classifier with its errors on the rows. */
interface BestRule {
  readonly classifier: Exclude<LeafClassifier, { kind: "kernel" }>;
  readonly errors: number;
}

/** Finds the constant with the fewest errors; + in a tie. */
export function bestConstant({ positive, rows }: SignedRows): BestRule {
  const negative = rows.length - positive;
  const sign = positive >= negative ? 1 : -1;
  return { classifier: { kind: "constant", sign }, errors: Math.min(positive, negative) };
}

/**
 * Finds the threshold function x ↦ ±sgn(monomial − cut), or constant, with the fewest errors on some rows: exact empirical
 * risk minimisation by walking through each column in its order. Ties go to a constant, then to the first monomial, then to
 * the smallest cut.
 */
export function bestThreshold(points: SignedRows, columns: readonly MonomialColumn[]): BestRule {
  const { labels, positive, rows } = points;
  let best = bestConstant(points);
  for (const column of columns) {
    if (best.errors === 0) break;
    const sorted = points.sorted(column);
    // Errors of "+ above the cut": positives below it and negatives above it.
    let errors = rows.length - positive;
    for (let k = 0; k + 1 < sorted.length; k++) {
      errors += labels[sorted[k]];
      const low = column.values[sorted[k]];
      const high = column.values[sorted[k + 1]];
      if (low === high) continue;
      const least = Math.min(errors, rows.length - errors);
      if (least >= best.errors) continue;
      const { monomial } = column;
      const sign = errors === least ? 1 : -1;
      const cut = thresholdBetween(low, high);
      best = { classifier: { kind: "threshold", monomial, cut, sign }, errors: least };
    }
  }
  return best;
}

/** A gate with the rows that it passes on, ascending. */
export interface FoundGate {
  readonly gate: Gate;
  readonly on: Int32Array;
}

/**
 * Finds for each fraction μ the gate "monomial above (or not above) a cut" that passes on that fraction of the points. The
 * paper assumes that there is exactly one; with several features there are many. Among those that come closest to ⌈μ·n⌉
 * points we take the one that leaves the purest points behind, where a constant would make the fewest errors; ties go to the
 * first monomial, then to the lower side. Undefined where every gate passes on all points or none.
 */
export function bestGates(
  points: SignedRows,
  columns: readonly MonomialColumn[],
  fractions: readonly number[],
): (FoundGate | undefined)[] {
  const best: ({ column: MonomialColumn; place: Place } | undefined)[] = fractions.map(() => undefined);
  for (const column of columns) {
    const sorted = new SortedColumn(points, column);
    fractions.forEach((fraction, f) => {
      for (const place of sorted.places(pointsOfFraction(fraction, points.rows.length))) {
        const leader = best[f];
        if (!leader || comparePlaces(place, leader.place) < 0) best[f] = { column, place };
      }
    });
  }
  return best.map((found) => {
    if (!found) return undefined;
    const { monomial, values } = found.column;
    const { cut, above } = found.place;
    const on = points.rows.filter((row) => values[row] > cut === above);
    return { gate: { kind: "threshold", monomial, cut, above }, on };
  });
}

/** A cut of a column. */
interface Place {
  readonly cut: number;
  /** Whether the upper side goes on. */
  readonly above: boolean;
  /** Distance from the target number of points that go on. */
  readonly miss: number;
  /** Errors of the best constant on the points that stay. */
  readonly impurity: number;
}

function comparePlaces(a: Place, b: Place): number {
  return a.miss - b.miss || a.impurity - b.impurity;
}

/** Points in the order of a column. */
class SortedColumn {
  readonly #values: Float64Array;
  /** Positive points among the first k. */
  readonly #positive: Int32Array;

  constructor(points: SignedRows, column: MonomialColumn) {
    const sorted = points.sorted(column);
    this.#values = Float64Array.from(sorted, (row) => column.values[row]);
    this.#positive = new Int32Array(sorted.length + 1);
    sorted.forEach((row, k) => {
      this.#positive[k + 1] = this.#positive[k] + (points.labels[row] > 0 ? 1 : 0);
    });
  }

  /** Lists the cuts nearest to passing on this many points, the lower or the upper ones, from below and from above. */
  places(wanted: number): Place[] {
    const n = this.#values.length;
    return [false, true].flatMap((above) => {
      const target = above ? n - wanted : wanted;
      return this.#cutsNear(target).map((below) => {
        const cut = thresholdBetween(this.#values[below - 1], this.#values[below]);
        const staying = above ? below : n - below;
        const positive = above ? this.#positive[below] : this.#positive[n] - this.#positive[below];
        return {
          cut,
          above,
          miss: Math.abs(below - target),
          impurity: Math.min(positive, staying - positive),
        };
      });
    });
  }

  /** Counts the points below the cuts nearest to `target` on either side; cuts are between distinct values. */
  #cutsNear(target: number): number[] {
    const values = this.#values;
    let down = Math.min(target, values.length - 1);
    while (down > 0 && values[down - 1] === values[down]) down--;
    let up = Math.max(target + 1, 1);
    while (up < values.length && values[up - 1] === values[up]) up++;
    return [...(down > 0 ? [down] : []), ...(up < values.length ? [up] : [])];
  }
}

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
 * Computes the monomials of degree 1 to `degree` of the features of a sample. They are sorted once: a search for a threshold
 * on some of the rows walks through the order and skips the others.
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

/** Returns the columns of the monomials up to a degree. */
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

/** Generates lists of features, never descending, shorter ones first. */
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
    `${columns} features have ${formatNumber(count)} monomials up to degree ${degree}, too many for ${rows} rows.`,
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
