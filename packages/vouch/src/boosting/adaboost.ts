import type { Sample } from "../data/sample.js";
import { sharedBuffer } from "../data/shared-array.js";
import { checkpoint, type Run } from "../learning/run.js";
import { type FoundStump, type Split, StumpFinder } from "../stump/index.js";
import { VoteCount } from "./votes.js";

/** One stump of the committee and what its round knew. */
export interface Round {
  /** Absent: a constant stump, which says `left` for every row. */
  readonly split: Split | undefined;
  /** Class of rows with x[feature] ≤ threshold, and of the others. */
  readonly left: number;
  readonly right: number;
  /** The stump's vote: α_t of Algorithm 1. */
  readonly alpha: number;
  /** ε_t: weighted error of this stump under D_t. */
  readonly error: number;
  /** Weighted error of the committee so far under D_1. */
  readonly trainingError: number;
}

/** The reasons for which boosting ends. */
export const stops = [
  "all rounds done",
  "perfect stump",
  "no better than chance",
  "validation error no longer falls",
] as const;

/** Why boosting ended. */
export type Stop = (typeof stops)[number];

/** A committee, in the order in which it was formed. */
export interface Committee {
  readonly rounds: readonly Round[];
  readonly stop: Stop;
  /** How many classes the training rows had: K of SAMME. */
  readonly trainingClasses: number;
}

/** A stump whose advantage over chance is not above this is useless: it may be rounding. */
const LEAST_EDGE = 1e-10;

/**
 * Votes are multiples of this. Sums of votes are then exact (up to 2¹³), so that a tie is a tie and a
 * prediction the same in whatever order the votes are counted.
 */
const VOTE_UNIT = 2 ** -40;

/**
 * Discrete AdaBoost on decision stumps (thesis, Algorithm 1), from the initial distribution D_1. For K > 2
 * classes it is SAMME (Zhu, Zou, Rosset, Hastie 2009, "Multi-class AdaBoost") with all votes halved, which
 * changes no prediction and makes K = 2 Algorithm 1 itself:
 *
 *     α_t = ½ (ln((1 − ε_t) / ε_t) + ln(K − 1))
 *
 * A perfect stump (ε_t = 0, for which α_t would be infinite) ends boosting with a vote that outweighs all
 * others together: α_t = 1 + Σ_{s<t} α_s. A stump no better than chance (ε_t ≥ 1 − 1/K) ends it too and is not
 * added, unless it is the first: then it is the whole committee, with α = 1. It also ends once `isEnough` says so of
 * a round that was added.
 */
export async function boost(
  sample: Sample,
  initial: Float64Array,
  most: number,
  run: Run,
  isEnough: (round: Round) => boolean = () => false,
): Promise<Committee> {
  const finder = await StumpFinder.of(sample, run);
  const trainingClasses = new Set(sample.labels).size;
  const distribution = new Float64Array(sharedBuffer(initial.byteLength));
  distribution.set(initial);
  const votes = new VoteCount(sample.rows, sample.classes.length);
  const rounds: Round[] = [];
  let total = 0;

  const add = (found: FoundStump, error: number, alpha: number) => {
    votes.add(found, alpha);
    total += alpha;
    const trainingError = weightOfWrong(votes.leaders, sample.labels, initial);
    const { split, left, right } = found;
    rounds.push({ split, left, right, alpha, error, trainingError });
    const note = `training error ${(100 * trainingError).toFixed(1)} %`;
    run.progress({ stage: "boosting", done: rounds.length, total: most, note });
  };

  while (rounds.length < most) {
    await checkpoint(run);
    const found = await finder.best(distribution, run);
    const error = reweigh(distribution, found, sample.labels, trainingClasses);
    if (error === 0) {
      add(found, error, 1 + total);
      return { rounds, stop: "perfect stump", trainingClasses };
    }
    if (1 - 1 / trainingClasses - error <= LEAST_EDGE) {
      if (rounds.length === 0) add(found, error, 1);
      return { rounds, stop: "no better than chance", trainingClasses };
    }
    add(found, error, vote(error, trainingClasses));
    if (isEnough(rounds[rounds.length - 1])) {
      return { rounds, stop: "validation error no longer falls", trainingClasses };
    }
  }
  return { rounds, stop: "all rounds done", trainingClasses };
}

/** α for a weighted error in (0, 1 − 1/K), rounded to a whole number of units. */
function vote(error: number, classes: number): number {
  const alpha = (Math.log1p(-error) - Math.log(error) + Math.log(classes - 1)) / 2;
  return Math.max(1, Math.round(alpha / VOTE_UNIT)) * VOTE_UNIT;
}

/**
 * Turns D_t into D_{t+1} and returns ε_t. With the α above the normalised update exp(∓α_t) / Z_t leaves the
 * wrong rows (K − 1)/K of the weight and the right rows 1/K of it (half and half for two classes), so
 * each part is scaled to that: no exponential can overflow and the sum stays one.
 */
function reweigh(distribution: Float64Array, found: FoundStump, labels: Int32Array, classes: number): number {
  const { sides, left, right, leaves } = found;
  const size = leaves.length / 2;
  const isRight = (cell: number) => cell === left || cell === size + right;
  let ofWrong = 0;
  let ofRight = 0;
  leaves.forEach((weight, cell) => {
    if (isRight(cell)) ofRight += weight;
    else ofWrong += weight;
  });
  if (ofWrong === 0) return 0;
  const wrongScale = (classes * ofWrong) / (classes - 1);
  const rightScale = classes * ofRight;
  const scales = leaves.map((_, cell) => (isRight(cell) ? rightScale : wrongScale));
  for (let i = 0; i < sides.length; i++) distribution[i] /= scales[sides[i] * size + labels[i]];
  return ofWrong / (ofWrong + ofRight);
}

/** Share of the weight that is on rows of which the prediction is wrong. */
export function weightOfWrong(
  predictions: Int32Array,
  labels: Int32Array,
  distribution: Float64Array,
): number {
  let weight = 0;
  // Nobody can predict which rows are wrong: adding nothing costs less than a wrong guess.
  for (let i = 0; i < labels.length; i++) weight += distribution[i] * Number(predictions[i] !== labels[i]);
  return Math.min(1, weight);
}
