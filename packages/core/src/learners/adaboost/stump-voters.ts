import type { Sample } from "../../encode/sample.js";
import { converted, type Part } from "../../runtime/codec/parts.js";
import { records } from "../../runtime/codec/tensor-parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { countBelow } from "../../runtime/maths/sort.js";
import { type FoundStump, StumpFinder, type StumpSplit } from "../stump/stump-finder.js";
import { type FoundRule, reweighing, type WeakLearner } from "./adaboost-rounds.js";

/** A stump of a committee. */
export interface StumpRule {
  /** Absent: a constant stump, which predicts `left` for every row. */
  readonly split: StumpSplit | undefined;
  /** Class of rows with x[feature] ≤ threshold, and of the others. */
  readonly left: number;
  readonly right: number;
}

/** In a file, the feature of a constant stump. */
const NO_FEATURE = -1;

/** The stumps of a committee; their number is the size `rounds`. */
export const stumpRules: Part<readonly StumpRule[]> = converted(
  records("rounds", {
    feature: { type: "int32", min: NO_FEATURE, below: "features" },
    threshold: { type: "float64" },
    left: { type: "int32", min: 0, below: "classes" },
    right: { type: "int32", min: 0, below: "classes" },
  }),
  (stumps) =>
    stumps.map(({ split, left, right }) => ({
      feature: split?.feature ?? NO_FEATURE,
      threshold: split?.threshold ?? 0,
      left,
      right,
    })),
  (stored) => {
    const wrong = stored.findIndex(
      ({ feature, threshold, left, right }) => feature === NO_FEATURE && (left !== right || threshold !== 0),
    );
    if (wrong >= 0) return `stump ${wrong + 1} has two sides but no split`;
    return stored.map(({ feature, threshold, left, right }) => ({
      split: feature === NO_FEATURE ? undefined : { feature, threshold },
      left,
      right,
    }));
  },
);

/** Decision stumps with the lowest weighted error. */
export const stumpLearner: WeakLearner<Matrix, StumpRule> = {
  name: "stump",

  async finder(sample: Sample<Matrix>, classes, run) {
    const finder = await StumpFinder.of(sample, run);
    return {
      find: async (distribution, _, run) =>
        foundStump(await finder.best(distribution, run), sample.labels, classes),
      release: () => {},
    };
  },

  predictor(features) {
    const sides = new Uint8Array(features.rows);
    return ({ split, left, right }) => {
      markSplit(split, features, sides);
      return { left, right, sides };
    };
  },
};

/** Sets the side of every row: 0 left of the split, 1 right of it. */
function markSplit(split: StumpSplit | undefined, features: Matrix, sides: Uint8Array): void {
  sides.fill(0);
  if (!split) return;
  const { values, columns } = features;
  for (let i = 0, k = split.feature; i < sides.length; i++, k += columns) {
    if (!(values[k] <= split.threshold)) sides[i] = 1;
  }
}

function foundStump(found: FoundStump, labels: Int32Array, classes: number): FoundRule<StumpRule> {
  const { split, left, right } = found;
  return {
    rule: { split, left, right },
    predictions: found,
    reweigh: (distribution) => reweigh(distribution, found, labels, classes),
  };
}

/** Reweighs the rows by the weight of each class on each side, which the finder knows. */
function reweigh(distribution: Float64Array, found: FoundStump, labels: Int32Array, classes: number): number {
  const { sides, left, right, leaves } = found;
  const size = leaves.length / 2;
  const isRight = (cell: number) => cell === left || cell === size + right;
  let wrongWeight = 0;
  let rightWeight = 0;
  leaves.forEach((weight, cell) => {
    if (isRight(cell)) rightWeight += weight;
    else wrongWeight += weight;
  });
  if (wrongWeight === 0) return 0;
  const scale = reweighing(wrongWeight, rightWeight, classes);
  const scales = leaves.map((_, cell) => (isRight(cell) ? scale.right : scale.wrong));
  for (let i = 0; i < sides.length; i++) distribution[i] /= scales[sides[i] * size + labels[i]];
  return scale.error;
}

/** Counts the distinct stumps that vote, without constant ones; for two classes, those with the same split are one. */
export function countDistinct(stumps: readonly StumpRule[], classes: number): number {
  const distinct = new Set(
    stumps.flatMap(({ split, left, right }) =>
      split ? [`${split.feature} ${split.threshold} ${classes === 2 ? "" : `${left} ${right}`}`] : [],
    ),
  );
  return distinct.size;
}

/** The votes of the stumps on one feature: they add up to one step function per class. */
interface FeatureVotes {
  readonly feature: number;
  /** Ascending. */
  readonly thresholds: Float64Array;
  /** Votes for each class where x is above exactly g thresholds, at g · classes + k. */
  readonly votes: Float64Array;
}

/**
 * The votes of a committee of stumps, grouped by feature: a row takes one search per feature in use, instead of one comparison
 * per stump. The order of summation depends only on the committee.
 */
interface VoteTable {
  readonly classes: number;
  /** Votes of the constant stumps. */
  readonly constant: Float64Array;
  readonly features: readonly FeatureVotes[];
  readonly total: number;
}

/** The stumps on a feature. */
type SplitVote = Omit<StumpRule, "split"> & { readonly threshold: number; readonly alpha: number };

/** Tables are made once for each committee. */
const tables = new WeakMap<readonly StumpRule[], VoteTable>();

function tableOf(
  stumps: readonly StumpRule[],
  rounds: readonly { readonly alpha: number }[],
  classes: number,
): VoteTable {
  const known = tables.get(stumps);
  if (known) return known;
  const constant = new Float64Array(classes);
  const byFeature = new Map<number, SplitVote[]>();
  stumps.forEach(({ split, left, right }, t) => {
    const { alpha } = rounds[t];
    if (!split) constant[left] += alpha;
    else {
      const votes = byFeature.get(split.feature) ?? [];
      votes.push({ threshold: split.threshold, left, right, alpha });
      byFeature.set(split.feature, votes);
    }
  });
  const features = [...byFeature]
    .sort(([a], [b]) => a - b)
    .map(([feature, votes]) => featureVotes(feature, votes, classes));
  const total = rounds.reduce((sum, { alpha }) => sum + alpha, 0);
  const table = { classes, constant, features, total };
  tables.set(stumps, table);
  return table;
}

function featureVotes(feature: number, given: SplitVote[], classes: number): FeatureVotes {
  given.sort((a, b) => a.threshold - b.threshold);
  const votes = new Float64Array((given.length + 1) * classes);
  for (const { left, alpha } of given) votes[left] += alpha;
  given.forEach(({ left, right, alpha }, g) => {
    const next = (g + 1) * classes;
    votes.copyWithin(next, g * classes, next);
    votes[next + left] -= alpha;
    votes[next + right] += alpha;
  });
  return { feature, thresholds: Float64Array.from(given, ({ threshold }) => threshold), votes };
}

/** Rows that are counted feature by feature while they are in the cache. */
const ROWS_AT_A_TIME = 256;

/** Computes each class's share of the votes for each row. */
export function stumpVoteShares(
  stumps: readonly StumpRule[],
  rounds: readonly { readonly alpha: number }[],
  classes: number,
  features: Matrix,
): Matrix {
  const table = tableOf(stumps, rounds, classes);
  const shares = new Float64Array(features.rows * classes);
  for (let from = 0; from < features.rows; from += ROWS_AT_A_TIME) {
    countVotes(table, features, from, Math.min(from + ROWS_AT_A_TIME, features.rows), shares);
  }
  for (let k = 0; k < shares.length; k++) shares[k] /= table.total;
  return new Matrix(features.rows, classes, shares);
}

/** Counts the votes for the rows from … to − 1. */
function countVotes(
  { classes, constant, features }: VoteTable,
  { values, columns }: Matrix,
  from: number,
  to: number,
  counts: Float64Array,
): void {
  for (let i = from; i < to; i++) counts.set(constant, i * classes);
  for (const { feature, thresholds, votes } of features) {
    for (let i = from, k = from * columns + feature; i < to; i++, k += columns) {
      const step = countBelow(thresholds, 0, thresholds.length, values[k]) * classes;
      for (let c = 0; c < classes; c++) counts[i * classes + c] += votes[step + c];
    }
  }
}
