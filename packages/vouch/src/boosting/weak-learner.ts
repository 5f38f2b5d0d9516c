import type { Features, Sample } from "../data/sample.js";
import type { Run } from "../learning/run.js";
import type { SideAnswers } from "./votes.js";

/** A weak classifier that was found for some weights of the training rows. */
export interface Found<Rule> {
  readonly rule: Rule;
  /** What it says of the training rows; overwritten by the next search. */
  readonly answers: SideAnswers;
  /** Turns the weights D_t, for which it was found, into D_{t+1}; returns its weighted error ε_t. */
  reweigh(distribution: Float64Array): number;
}

/** Finds weak classifiers for other and other weights of the same rows. */
export interface RuleFinder<Rule> {
  /** The classifier of round t = 0, 1, … for weights that sum to one. */
  find(distribution: Float64Array, round: number, run: Run): Promise<Found<Rule>>;
  release(): void;
}

/** What boosting makes its committee of. */
export interface WeakLearner<F extends Features, Rule> {
  /** What a classifier is called. */
  readonly name: "stump" | "tree";
  /** Prepares the rows once for all rounds; `classes` of them occur. */
  finder(sample: Sample<F>, classes: number, run: Run): Promise<RuleFinder<Rule>>;
  /** Asks one classifier after the other about rows; what it says is overwritten by the next. */
  asking(features: F): (rule: Rule) => SideAnswers;
}

/** What becomes of the weights when the wrong rows weigh so much, and the right ones so much. */
export interface Reweighing {
  /** ε_t. */
  readonly error: number;
  /** What the weights of wrong rows, and of right ones, are divided by. */
  readonly wrong: number;
  readonly right: number;
}

/**
 * With the α of `boost` the normalised update exp(∓α_t) / Z_t leaves the wrong rows (K − 1)/K of the weight and the
 * right rows 1/K of it (half and half for two classes), so each part is scaled to that: no exponential can overflow
 * and the sum stays one.
 */
export function reweighing(ofWrong: number, ofRight: number, classes: number): Reweighing {
  return {
    error: ofWrong / (ofWrong + ofRight),
    wrong: (classes * ofWrong) / (classes - 1),
    right: classes * ofRight,
  };
}
