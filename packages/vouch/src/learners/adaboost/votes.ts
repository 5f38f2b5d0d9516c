import type { Matrix } from "../../runtime/matrix.js";
import { countBelow } from "../../runtime/sort.js";
import type { StumpRule } from "./stumps.js";

/** A stump and the weight of its vote. */
interface Voter extends StumpRule {
  readonly alpha: number;
}

/** Class `left` for the rows on side 0 and class `right` for those on side 1. */
export interface SideAnswers {
  readonly left: number;
  readonly right: number;
  readonly sides: Uint8Array | Int32Array;
}

/** Counts votes classifier by classifier and knows the leading class of each row at any time. */
export class VoteCount {
  readonly #classes: number;
  /** Votes of row i for class k, at i · classes + k. Of two classes only how far the second is ahead, at i. */
  readonly #votes: Float64Array;
  /** Class with most votes of each row; ties go to the smaller index. */
  readonly leaders: Int32Array;

  constructor(rows: number, classes: number) {
    this.#classes = classes;
    this.#votes = new Float64Array(classes === 2 ? rows : rows * classes);
    this.leaders = new Int32Array(rows);
  }

  /** Adds the vote of a classifier for each row. */
  add(answers: SideAnswers, alpha: number): void {
    if (this.#classes === 2) this.#addToTwo(answers, alpha);
    else this.#addToMany(answers, alpha);
  }

  #addToTwo({ left, right, sides }: SideAnswers, alpha: number): void {
    const ahead = this.#votes;
    const leaders = this.leaders;
    const steps = Float64Array.of((2 * left - 1) * alpha, (2 * right - 1) * alpha);
    for (let i = 0; i < sides.length; i++) {
      const now = ahead[i] + steps[sides[i]];
      ahead[i] = now;
      leaders[i] = Number(now > 0);
    }
  }

  #addToMany({ left, right, sides }: SideAnswers, alpha: number): void {
    const votes = this.#votes;
    const leaders = this.leaders;
    const classes = this.#classes;
    for (let i = 0; i < sides.length; i++) {
      const chosen = left + sides[i] * (right - left);
      const start = i * classes;
      votes[start + chosen] += alpha;
      // Only the class that has just won a vote can take the lead.
      const lead = votes[start + chosen] - votes[start + leaders[i]];
      if (lead > 0 || (lead === 0 && chosen < leaders[i])) leaders[i] = chosen;
    }
  }
}

/** The steps of one feature: all stumps on it add up to one piecewise constant function per class. */
interface FeatureVotes {
  readonly feature: number;
  /** Ascending. */
  readonly thresholds: Float64Array;
  /** Votes for each class where x is above exactly g thresholds, at g · classes + k. */
  readonly votes: Float64Array;
}

/**
 * The votes of a committee, grouped by feature, so that a row costs a search per feature that is used instead
 * of a question per stump. Sums are formed in an order that depends on the committee alone.
 */
export class VoteTable {
  readonly #classes: number;
  /** Votes of the constant stumps. */
  readonly #constant: Float64Array;
  readonly #features: readonly FeatureVotes[];
  /** Sum of all votes. */
  readonly total: number;

  constructor(voters: readonly Voter[], classes: number) {
    this.#classes = classes;
    this.#constant = new Float64Array(classes);
    this.total = voters.reduce((sum, { alpha }) => sum + alpha, 0);
    const byFeature = new Map<number, Asking[]>();
    for (const { split, left, right, alpha } of voters) {
      if (!split) this.#constant[left] += alpha;
      else {
        const asking = byFeature.get(split.feature) ?? [];
        asking.push({ threshold: split.threshold, left, right, alpha });
        byFeature.set(split.feature, asking);
      }
    }
    this.#features = [...byFeature]
      .sort(([a], [b]) => a - b)
      .map(([feature, asking]) => featureVotes(feature, asking, classes));
  }

  /** Each class's share of the votes for each row. */
  shares(features: Matrix): Float64Array {
    const shares = new Float64Array(features.rows * this.#classes);
    for (let from = 0; from < features.rows; from += ROWS_AT_A_TIME) {
      this.#count(features, from, Math.min(from + ROWS_AT_A_TIME, features.rows), shares);
    }
    for (let k = 0; k < shares.length; k++) shares[k] /= this.total;
    return shares;
  }

  /** Counts the votes for the rows from … to. */
  #count({ values, columns }: Matrix, from: number, to: number, counts: Float64Array): void {
    const classes = this.#classes;
    for (let i = from; i < to; i++) counts.set(this.#constant, i * classes);
    for (const { feature, thresholds, votes } of this.#features) {
      for (let i = from, k = from * columns + feature; i < to; i++, k += columns) {
        const step = countBelow(thresholds, 0, thresholds.length, values[k]) * classes;
        for (let c = 0; c < classes; c++) counts[i * classes + c] += votes[step + c];
      }
    }
  }
}

/** Rows that are predicted feature by feature while they are in the cache. */
const ROWS_AT_A_TIME = 256;

/** A stump among those on the same feature. */
type Asking = Omit<Voter, "split"> & { readonly threshold: number };

function featureVotes(feature: number, asking: Asking[], classes: number): FeatureVotes {
  asking.sort((a, b) => a.threshold - b.threshold);
  const votes = new Float64Array((asking.length + 1) * classes);
  for (const { left, alpha } of asking) votes[left] += alpha;
  asking.forEach(({ left, right, alpha }, g) => {
    const next = (g + 1) * classes;
    votes.copyWithin(next, g * classes, next);
    votes[next + left] -= alpha;
    votes[next + right] += alpha;
  });
  return { feature, thresholds: Float64Array.from(asking, ({ threshold }) => threshold), votes };
}
