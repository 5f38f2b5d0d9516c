import type { TaskContext } from "../../runtime/parallel/executor.js";
import { defineTask } from "../../runtime/parallel/task.js";
import {
  type Cut,
  type InnerOrder,
  LAST_OF_VALUE,
  type PreparedFeature,
  ROW,
  rowsRead,
  sumBuckets,
} from "./prepared-feature.js";

/** The weights of rows and classes in a search. */
export interface Weighting {
  /** Weight of each row; they sum to one. */
  readonly weights: Float64Array;
  readonly labels: Int32Array;
  /** Weight of each class. */
  readonly totals: Float64Array;
}

/** The best cut of a feature. */
export interface FoundCut extends Cut {
  readonly feature: number;
  /** Weight of the rows that are right if each side predicts its heaviest class. */
  readonly accuracy: number;
}

/** Bounds on the accuracy of a feature's cuts, from the sums of its buckets. */
interface CutBounds {
  /** The best accuracy of the cuts between buckets. */
  readonly accuracy: number;
  /** An upper bound for all cuts. */
  readonly bound: number;
}

/** Accuracies that differ by less than this count as equal, so that rounding does not decide ties. */
export const TIE = 1e-12;

/**
 * Cuts whose bound is farther than this below an accuracy already found are skipped. The distance is much larger than a tie
 * and than the rounding of bounds and sums, so that the result does not depend on the order of the search.
 */
export const MARGIN = 1e-9;

/**
 * Searches for the best cuts of features under one weighting.
 *
 * Each side of a cut is right on its heaviest class. Between buckets that is known from the sums of the buckets. A cut
 * inside bucket b has a bound: the heaviest class on its left weighs at most as much as that left of the cut behind b, the
 * heaviest class on its right at most as much as that right of the cut before b. Only buckets whose bound reaches the best
 * known accuracy are searched row by row: mostly those around the best cut.
 */
class SplitSearch {
  readonly #weighting: Weighting;
  readonly #classes: number;
  /** Weight of class k in the buckets up to and including b, at b · classes + k. */
  #sums = new Float64Array(0);
  /** Weight of the heaviest class left of the cut behind bucket b, and right of it. */
  #left = new Float64Array(0);
  #right = new Float64Array(0);
  /** Accuracy of the cut behind each row of the searched bucket; 0 if that would divide equal values. */
  #inside = new Float64Array(0);

  constructor(weighting: Weighting) {
    this.#weighting = weighting;
    this.#classes = weighting.totals.length;
  }

  /** Bounds the accuracy of the cuts of a feature. */
  bounds(prepared: PreparedFeature): CutBounds {
    const buckets = this.#weigh(prepared);
    const inner = innerOrderOf(prepared);
    const accuracy = this.#bestBetween(buckets);
    let bound = accuracy;
    for (let b = 0; inner && b < buckets; b++) bound = Math.max(bound, this.#boundInside(b, inner));
    return { accuracy, bound };
  }

  /** Finds the first of the best cuts of a feature; undefined if they are worse than `atLeast`. */
  best(prepared: PreparedFeature, atLeast: number): FoundCut | undefined {
    const buckets = this.#weigh(prepared);
    const inner = innerOrderOf(prepared);
    const accuracy = this.#bestAccuracy(buckets, inner, atLeast);
    if (accuracy < atLeast - TIE) return undefined;
    return { feature: prepared.feature, accuracy, ...this.#firstWith(accuracy - TIE, buckets, inner) };
  }

  /** Weighs both sides of the cuts between buckets; returns the number of buckets. */
  #weigh(prepared: PreparedFeature): number {
    const { weights, totals } = this.#weighting;
    const buckets = prepared.thresholds.length + 1;
    this.#makeRoom(buckets);
    sumBuckets(prepared, weights, totals, this.#sums);
    this.#weighSides(buckets);
    return buckets;
  }

  #makeRoom(buckets: number): void {
    if (buckets <= this.#left.length) return;
    const room = 2 * buckets;
    this.#sums = new Float64Array(room * this.#classes);
    this.#left = new Float64Array(room);
    this.#right = new Float64Array(room);
  }

  /** Accumulates the sums and weighs both sides of each cut behind a bucket; behind the last one, everything is left. */
  #weighSides(buckets: number): void {
    const { totals } = this.#weighting;
    const classes = this.#classes;
    const sums = this.#sums;
    for (let b = 0; b < buckets; b++) {
      let heaviestLeft = 0;
      let heaviestRight = 0;
      for (let k = 0, at = b * classes; k < classes; k++, at++) {
        if (b > 0) sums[at] += sums[at - classes];
        const left = sums[at];
        const right = totals[k] - left;
        if (left > heaviestLeft) heaviestLeft = left;
        if (right > heaviestRight) heaviestRight = right;
      }
      this.#left[b] = heaviestLeft;
      this.#right[b] = heaviestRight;
    }
  }

  #bestBetween(buckets: number): number {
    let best = 0;
    for (let b = 0; b + 1 < buckets; b++) best = Math.max(best, this.#left[b] + this.#right[b]);
    return best;
  }

  /** Returns the best accuracy of all cuts, or any value below `atLeast`. */
  #bestAccuracy(buckets: number, inner: InnerOrder | undefined, atLeast: number): number {
    let best = this.#bestBetween(buckets);
    for (let b = 0; inner && b < buckets; b++) {
      if (this.#boundInside(b, inner) < Math.max(best, atLeast) - MARGIN) continue;
      const rows = this.#searchInside(b, inner);
      for (let k = 0; k < rows; k++) best = Math.max(best, this.#inside[k]);
    }
    return best;
  }

  /** Finds the first cut with at least this accuracy; there must be one. */
  #firstWith(accuracy: number, buckets: number, inner: InnerOrder | undefined): Cut {
    for (let b = 0; b < buckets; b++) {
      if (inner && this.#boundInside(b, inner) >= accuracy - MARGIN) {
        const rows = this.#searchInside(b, inner);
        for (let k = 0; k < rows; k++) {
          if (this.#inside[k] >= accuracy) return { bucket: b, inside: k + 1 };
        }
      }
      if (b + 1 < buckets && this.#left[b] + this.#right[b] >= accuracy) return { bucket: b + 1, inside: 0 };
    }
    throw new Error("No cut has this accuracy.");
  }

  /** Bounds the accuracy of the cuts inside bucket b; 0 if there are none. */
  #boundInside(b: number, { starts }: InnerOrder): number {
    if (starts[b] === starts[b + 1]) return 0;
    return this.#left[b] + (b > 0 ? this.#right[b - 1] : heaviest(this.#weighting.totals));
  }

  /**
   * Weighs both sides of all cuts inside bucket b; returns its number of rows. Rows join a side and never leave it, so the
   * weight of its heaviest class only grows and is known without reading all classes.
   */
  #searchInside(b: number, { rows, starts }: InnerOrder): number {
    const { weights, labels } = this.#weighting;
    const start = starts[b];
    const count = starts[b + 1] - start;
    if (this.#inside.length < count) this.#inside = new Float64Array(count);
    const inside = this.#inside;

    const left = this.#classesBefore(b);
    let heaviestLeft = heaviest(left);
    for (let k = 0; k < count; k++) {
      const row = rows[start + k] & ROW;
      const weight = left[labels[row]] + weights[row];
      left[labels[row]] = weight;
      if (weight > heaviestLeft) heaviestLeft = weight;
      inside[k] = heaviestLeft;
    }

    const right = this.#classesBehind(b);
    let heaviestRight = heaviest(right);
    for (let k = count - 1; k >= 0; k--) {
      const isCut = rows[start + k] >= LAST_OF_VALUE && k + 1 < count;
      inside[k] = isCut ? inside[k] + heaviestRight : 0;
      const row = rows[start + k] & ROW;
      const weight = right[labels[row]] + weights[row];
      right[labels[row]] = weight;
      if (weight > heaviestRight) heaviestRight = weight;
    }
    return count;
  }

  #classesBefore(b: number): Float64Array {
    const classes = this.#classes;
    return b === 0 ? new Float64Array(classes) : this.#sums.slice((b - 1) * classes, b * classes);
  }

  #classesBehind(b: number): Float64Array {
    const upTo = b * this.#classes;
    return this.#weighting.totals.map((total, k) => Math.max(0, total - this.#sums[upTo + k]));
  }
}

function innerOrderOf(prepared: PreparedFeature): InnerOrder | undefined {
  return prepared.kind === "bucketed" ? prepared.inner : undefined;
}

function heaviest(weights: Float64Array): number {
  let most = 0;
  for (let k = 0; k < weights.length; k++) if (weights[k] > most) most = weights[k];
  return most;
}

/** Some of the features, under a weighting. */
interface SearchPart {
  readonly features: readonly PreparedFeature[];
  readonly weighting: Weighting;
}

/** Rows read between checkpoints: a few milliseconds. */
const ROWS_BETWEEN_CHECKPOINTS = 1 << 20;

/** Bounds the accuracy of the cuts of each feature. */
export const boundsTask = defineTask(
  "stump/bounds",
  async ({ features, weighting }: SearchPart, context: TaskContext): Promise<CutBounds[]> => {
    const search = new SplitSearch(weighting);
    const bounds: CutBounds[] = [];
    await forEachFeature(features, context, (prepared) => {
      bounds.push(search.bounds(prepared));
    });
    return bounds;
  },
);

/** Finds the best cuts that reach an accuracy: one of each feature that is as good as the best one, ascending. */
export const cutTask = defineTask(
  "stump/cut",
  async (part: SearchPart & { readonly atLeast: number }, context: TaskContext): Promise<FoundCut[]> => {
    const search = new SplitSearch(part.weighting);
    const cuts: FoundCut[] = [];
    let best = part.atLeast;
    await forEachFeature(part.features, context, (prepared) => {
      const cut = search.best(prepared, best);
      if (!cut) return;
      cuts.push(cut);
      best = Math.max(best, cut.accuracy);
    });
    return cuts.filter(({ accuracy }) => accuracy >= best - TIE);
  },
);

async function forEachFeature(
  features: readonly PreparedFeature[],
  context: TaskContext,
  visit: (prepared: PreparedFeature) => void,
): Promise<void> {
  let rows = 0;
  for (const prepared of features) {
    visit(prepared);
    rows += rowsRead(prepared);
    if (rows < ROWS_BETWEEN_CHECKPOINTS) continue;
    rows = 0;
    await context.checkpoint();
  }
}
