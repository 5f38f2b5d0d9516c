import { thresholdBetween } from "../stump/index.js";
import type { Classifier, Question } from "./classifier.js";
import { pointsOfFraction } from "./gate.js";
import type { MonomialColumn } from "./monomial-table.js";

/** Rows of a sample with their signs, and which rows these are, for walks through sorted columns. */
export class LabelledRows {
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

  /** Those of the rows in the order of a column. */
  sorted({ order }: MonomialColumn): Int32Array {
    return order.filter((row) => this.#member[row] === 1);
  }
}

/** A classifier with how many of the rows it gets wrong. */
export interface BestRule {
  readonly classifier: Exclude<Classifier, { kind: "kernel" }>;
  readonly errors: number;
}

/** The constant with the fewest errors; + if both have as many. */
export function bestConstant({ positive, rows }: LabelledRows): BestRule {
  const negative = rows.length - positive;
  const sign = positive >= negative ? 1 : -1;
  return { classifier: { kind: "constant", sign }, errors: Math.min(positive, negative) };
}

/**
 * The threshold function x ↦ ±sgn(monomial − cut), or constant, with the fewest errors on some rows: exact empirical
 * risk minimisation by walking through each column in its order. Of equal ones a constant, then the first monomial, then
 * the smallest cut wins.
 */
export function bestThreshold(points: LabelledRows, columns: readonly MonomialColumn[]): BestRule {
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

/** A question with the rows for which the answer is yes, ascending. */
export interface AskedQuestion {
  readonly question: Question;
  readonly on: Int32Array;
}

/**
 * For each fraction μ the question "is this monomial above (or not above) a cut?" that sends on that share of the points.
 * The paper assumes that there is exactly one; with several features there are many. Of those that come closest to ⌈μ·n⌉
 * points we take the one that keeps the purest rest, where a constant would make the fewest errors; of equal ones the
 * first monomial, and the lower side first. Undefined where every question sends on all points or none.
 */
export function bestQuestions(
  points: LabelledRows,
  columns: readonly MonomialColumn[],
  fractions: readonly number[],
): (AskedQuestion | undefined)[] {
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
    return { question: { kind: "threshold", monomial, cut, above }, on };
  });
}

/** A cut of a column: which side goes on, how far its size is from what is wanted, and how mixed the other side is. */
interface Place {
  readonly cut: number;
  readonly above: boolean;
  readonly miss: number;
  readonly impurity: number;
}

function comparePlaces(a: Place, b: Place): number {
  return a.miss - b.miss || a.impurity - b.impurity;
}

/** Points in the order of a column. */
class SortedColumn {
  /** Values in ascending order. */
  readonly #values: Float64Array;
  /** How many of the first k points are positive. */
  readonly #positive: Int32Array;

  constructor(points: LabelledRows, column: MonomialColumn) {
    const sorted = points.sorted(column);
    this.#values = Float64Array.from(sorted, (row) => column.values[row]);
    this.#positive = new Int32Array(sorted.length + 1);
    sorted.forEach((row, k) => {
      this.#positive[k + 1] = this.#positive[k] + (points.labels[row] > 0 ? 1 : 0);
    });
  }

  /** The cuts nearest to sending on so many points, the lower or the upper ones, from below and from above. */
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

  /** How many points lie below the cuts nearest to `target` on either side; cuts are between distinct values. */
  #cutsNear(target: number): number[] {
    const values = this.#values;
    let down = Math.min(target, values.length - 1);
    while (down > 0 && values[down - 1] === values[down]) down--;
    let up = Math.max(target + 1, 1);
    while (up < values.length && values[up - 1] === values[up]) up++;
    return [...(down > 0 ? [down] : []), ...(up < values.length ? [up] : [])];
  }
}
