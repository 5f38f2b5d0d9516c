import type { Features } from "../encode/sample.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import type { TreeSet } from "./tree/tree-set.js";

/** The scale of a score: log-odds of the class, or the raw score of one of several classes before the softmax (margin), … */
export type ScoreUnit = "probability" | "log-odds" | "margin" | "decision value" | "share of votes";

/** A score that is a sum over trees on binned columns: base + Σ_t weight(t) · (value of `output` in the row's leaf of tree t). */
export interface TreeSum {
  readonly kind: "trees";
  readonly unit: ScoreUnit;
  readonly base: number;
  readonly trees: TreeSet;
  /** The class of the tree set whose values are summed. */
  readonly output: number;
  weight(tree: number): number;
}

/** A score that is a sum of functions of single features, such as a linear one: base + Σ_j g_j(x_j). */
interface TermSum<F extends Features> {
  readonly kind: "terms";
  readonly unit: ScoreUnit;
  readonly base: number;
  /** Sums the terms of the features of each raw column, for every row; feature j belongs to column `columnOf[j]`. */
  columnTerms(features: F, columnOf: readonly number[], columns: number): Matrix;
}

/** The score of a class as a sum whose Shapley values are known in closed form or can be computed exactly. */
export type AdditiveScore<F extends Features = Features> = TreeSum | TermSum<F>;
