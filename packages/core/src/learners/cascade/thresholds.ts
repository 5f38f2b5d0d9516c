import type { Matrix } from "../../runtime/maths/matrix.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { sharedBuffer } from "../../runtime/parallel/shared-array.js";
import { formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { polynomialVcDimension } from "../../theory/vc/vc-dimension.js";
import { indexOfLargest } from "../scores.js";
import { thresholdBetween } from "../stump/prepare-column.js";
import type { Gate, LeafClassifier, Monomial } from "./cascade-level.js";
import type { ClassLabels } from "./class-machines.js";
import { pointsOfFraction } from "./search-space.js";

/** Rows of a sample with their classes, for walks through sorted columns. */
export class CascadeRows {
  readonly rows: Int32Array;
  /** Those of all rows of the sample. */
  readonly labels: Int32Array;
  /** Number of the rows of each class. */
  readonly counts: Int32Array;
  readonly #member: Uint8Array;

  constructor(rows: Int32Array, { labels, classes }: ClassLabels) {
    this.rows = rows;
    this.labels = labels;
    this.#member = new Uint8Array(labels.length);
    this.counts = new Int32Array(classes);
    for (const row of rows) {
      this.#member[row] = 1;
      this.counts[labels[row]]++;
    }
  }

  /** Returns the rows in the order of a column. */
  sorted({ order }: MonomialColumn): Int32Array {
    return order.filter((row) => this.#member[row] === 1);
  }
}

/** A classifier with its errors on the rows. */
interface BestRule {
  readonly classifier: Extract<LeafClassifier, { kind: "constant" | "threshold" }>;
  readonly errors: number;
}

/** Finds the constant with the fewest errors; ties go to the first class. */
export function bestConstant({ counts, rows }: CascadeRows): BestRule {
  const own = indexOfLargest(counts);
  return { classifier: { kind: "constant", class: own }, errors: rows.length - counts[own] };
}

/**
 * Finds the threshold function with one class above the cut of a monomial and another below it, or constant, with the fewest
 * errors on some rows: exact empirical risk minimisation by walking through each column in its order. Ties go to a constant,
 * then to the first monomial, then to the smallest cut.
 */
export function bestThreshold(points: CascadeRows, columns: readonly MonomialColumn[]): BestRule {
  const constant = bestConstant(points);
  let least = constant.errors;
  let best:
    | { readonly column: MonomialColumn; readonly sorted: Int32Array; readonly below: number }
    | undefined;
  for (const column of columns) {
    if (least === 0) break;
    const sorted = points.sorted(column);
    const { below, above } = mostFrequent(points, sorted);
    for (let k = 1; k < sorted.length; k++) {
      const errors = sorted.length - below[k] - above[k];
      if (errors >= least || column.values[sorted[k - 1]] === column.values[sorted[k]]) continue;
      least = errors;
      best = { column, sorted, below: k };
    }
  }
  if (!best) return constant;
  const { column, sorted, below } = best;
  const classifier = {
    kind: "threshold" as const,
    monomial: column.monomial,
    cut: thresholdBetween(column.values[sorted[below - 1]], column.values[sorted[below]]),
    above: mostFrequentClass(points, sorted.subarray(below)),
    below: mostFrequentClass(points, sorted.subarray(0, below)),
  };
  return { classifier, errors: least };
}

/** Counts the rows of the most frequent class among the first k of sorted rows, and among the others. */
function mostFrequent(
  { labels, counts }: CascadeRows,
  sorted: Int32Array,
): { readonly below: Int32Array; readonly above: Int32Array } {
  const n = sorted.length;
  const below = new Int32Array(n + 1);
  const above = new Int32Array(n + 1);
  const seen = new Int32Array(counts.length);
  for (let k = 0; k < n; k++) below[k + 1] = Math.max(below[k], ++seen[labels[sorted[k]]]);
  seen.fill(0);
  for (let k = n - 1; k >= 0; k--) above[k] = Math.max(above[k + 1], ++seen[labels[sorted[k]]]);
  return { below, above };
}

/** Finds the most frequent class of some rows; ties go to the first. */
function mostFrequentClass({ labels, counts }: CascadeRows, rows: Int32Array): number {
  const own = new Int32Array(counts.length);
  for (const row of rows) own[labels[row]]++;
  return indexOfLargest(own);
}

/** A gate with the rows that it passes on, ascending. */
export interface FoundGate {
  readonly gate: Gate;
  readonly on: Int32Array;
}

/**
 * Finds for each fraction μ the gates "monomial above (or not above) a cut" that pass on that fraction of the points. The
 * paper assumes that there is exactly one; with several features there are many. Of each monomial we take the one that comes
 * closest to ⌈μ·n⌉ points and then leaves the purest points behind, where a constant would make the fewest errors; ties go to
 * the lower side. Among the monomials, the best `candidates` are taken by the same order, ties going to the first. Returns as
 * many gates for each fraction, one fraction after the other; undefined where every gate passes on all points or none.
 */
export function bestGates(
  points: CascadeRows,
  columns: readonly MonomialColumn[],
  fractions: readonly number[],
  candidates = 1,
): (FoundGate | undefined)[] {
  const best: { readonly column: MonomialColumn; readonly place: Place }[][] = fractions.map(() => []);
  for (const column of columns) {
    const sorted = new SortedColumn(points, column);
    fractions.forEach((fraction, f) => {
      const [place] = sorted
        .places(pointsOfFraction(fraction, points.rows.length))
        .sort((a, b) => comparePlaces(a, b));
      if (place) insertPlace(best[f], { column, place }, candidates);
    });
  }
  return best.flatMap((found) =>
    Array.from({ length: candidates }, (_, c): FoundGate | undefined => {
      if (c >= found.length) return undefined;
      const { monomial, values } = found[c].column;
      const { cut, above } = found[c].place;
      const on = points.rows.filter((row) => values[row] > cut === above);
      return { gate: { kind: "threshold", monomial, cut, above }, on };
    }),
  );
}

/** Inserts a place behind all that are not worse, and keeps the best ones. */
function insertPlace<P extends { readonly place: Place }>(ranked: P[], own: P, most: number): void {
  let at = ranked.length;
  while (at > 0 && comparePlaces(own.place, ranked[at - 1].place) < 0) at--;
  ranked.splice(at, 0, own);
  if (ranked.length > most) ranked.pop();
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
  /** Points of the most frequent class among the first k, and among the others. */
  readonly #mostFrequent: { readonly below: Int32Array; readonly above: Int32Array };

  constructor(points: CascadeRows, column: MonomialColumn) {
    const sorted = points.sorted(column);
    this.#values = Float64Array.from(sorted, (row) => column.values[row]);
    this.#mostFrequent = mostFrequent(points, sorted);
  }

  /** Lists the cuts nearest to passing on this many points, the lower or the upper ones, from below and from above. */
  places(wanted: number): Place[] {
    const n = this.#values.length;
    return [false, true].flatMap((above) => {
      const target = above ? n - wanted : wanted;
      return this.#cutsNear(target).map((below) => {
        const cut = thresholdBetween(this.#values[below - 1], this.#values[below]);
        const staying = above ? below : n - below;
        const { [above ? "below" : "above"]: right } = this.#mostFrequent;
        return { cut, above, miss: Math.abs(below - target), impurity: staying - right[below] };
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
