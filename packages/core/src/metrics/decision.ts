import type { Model } from "../learners/model.js";
import type { Matrix } from "../runtime/matrix.js";
import type { AbstentionRule } from "../theory/conformal/abstention-rule.js";
import type { SetRule } from "../theory/conformal/set-rule.js";
import type { Calibrator } from "./calibrator.js";
import { type DecisionRule, OWN_ANSWERS, predictionsBy } from "./decision-rule.js";

/** How scores become probabilities, and probabilities predictions. */
export interface Decision {
  /** Absent if no rows were there to fit it, or another program trained the model. */
  readonly calibrator?: Calibrator | undefined;
  readonly rule: DecisionRule;
  /** When to answer; absent if every row is answered. */
  readonly abstention?: AbstentionRule | undefined;
  /** Which classes are in the set of a row; absent without sets. */
  readonly sets?: SetRule | undefined;
}

/** The scores as they are, and the model's own answers. */
export const UNDECIDED: Decision = { rule: OWN_ANSWERS };

/** Rows with their probabilities, or decision values if the model has no probabilities, and the predictions of a rule. */
export interface DecidedRows {
  readonly scores: Matrix;
  readonly predictions: Int32Array;
}

/** Applies a decision to the scores of rows and the model's own answers. */
export function decided(
  { calibrator, rule }: Decision,
  { scores, predictions }: { readonly scores: Matrix; readonly predictions: Int32Array },
): DecidedRows {
  const probabilities = calibrator ? calibrator.probabilities(scores) : scores;
  return { scores: probabilities, predictions: predictionsBy(rule, probabilities, () => predictions) };
}

/** Tells whether the decided scores of a model are probabilities. */
export function decidedScoring(
  { calibrator }: Decision,
  { scoring }: Pick<Model, "scoring">,
): Model["scoring"] {
  return calibrator ? "probability" : scoring;
}

/** Returns the probability of the predicted class of each row. */
export function confidencesOf(predictions: Int32Array, { columns, values }: Matrix): Float64Array {
  return Float64Array.from(predictions, (k, row) => values[row * columns + k]);
}
