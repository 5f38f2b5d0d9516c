import type { Model } from "../learners/model.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import { type Pausable, runNow, workRanges } from "../runtime/parallel/pausable.js";
import type { AbstentionRule } from "../theory/conformal/abstention-rule.js";
import type { SetRule } from "../theory/conformal/set-rule.js";
import type { Calibrator } from "./calibrator.js";
import { ARGMAX, type DecisionRule, predictionsBy } from "./decision-rule.js";

/** How scores become probabilities, and probabilities become predictions. */
export interface Decision {
  /** Absent if there were no rows to fit it, or if another program trained the model. */
  readonly calibrator?: Calibrator | undefined;
  readonly rule: DecisionRule;
  /** Absent if every row is answered. */
  readonly abstention?: AbstentionRule | undefined;
  /** Absent without prediction sets. */
  readonly sets?: SetRule | undefined;
}

/** Unchanged scores, and the model's own answers. */
export const DEFAULT_DECISION: Decision = { rule: ARGMAX };

/** Rows with their probabilities, or decision values if there are none, and the predictions of a rule. */
export interface DecidedRows {
  readonly scores: Matrix;
  readonly predictions: Int32Array;
}

/** Applies a decision to the scores of rows and the model's own answers. */
export function applyDecision(decision: Decision, own: DecidedRows): DecidedRows {
  return runNow(applyDecisionInSteps(decision, own));
}

/** Number of values that a rule reads between two pauses: a few milliseconds. */
const CELLS_AT_ONCE = 2 ** 18;

/** Applies a decision like `applyDecision`, with pauses. */
export function* applyDecisionInSteps(
  { calibrator, rule }: Decision,
  { scores, predictions: own }: DecidedRows,
): Pausable<DecidedRows> {
  const probabilities = calibrator ? yield* calibrator.probabilitiesInSteps(scores) : scores;
  if (rule.kind === "model") return { scores: probabilities, predictions: own };
  const { rows, columns } = probabilities;
  const predictions = new Int32Array(rows);
  const work = rule.kind === "costs" ? columns * columns : columns;
  for (const [begin, end] of workRanges(rows, work, CELLS_AT_ONCE)) {
    predictions.set(
      predictionsBy(rule, probabilities.slice(begin, end), () => own.subarray(begin, end)),
      begin,
    );
    yield;
  }
  return { scores: probabilities, predictions };
}

/** Returns whether the decided scores of a model are probabilities or decision values. */
export function outputKind({ calibrator }: Decision, { scoring }: Pick<Model, "scoring">): Model["scoring"] {
  return calibrator ? "probability" : scoring;
}

/** Returns the probability of the predicted class of each row. */
export function computeConfidences(predictions: Int32Array, { columns, values }: Matrix): Float64Array {
  return Float64Array.from(predictions, (k, row) => values[row * columns + k]);
}
