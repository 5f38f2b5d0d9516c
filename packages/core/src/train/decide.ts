import type { Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import { DEFAULT_DECISION, type Decision } from "../metrics/decision.js";
import { metricFacts } from "../metrics/metric-name.js";
import type { Objective } from "../metrics/objective-metric.js";
import type { Run } from "../runtime/parallel/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Labelled } from "../table/target.js";
import { fitDecision } from "../validation/fit-decision.js";
import { type OutOfFold, outOfFoldScores, unseenRows } from "../validation/out-of-fold.js";
import type { ClassifiedTest } from "../validation/trial.js";

/** A decision, and the rows that it was fitted to. */
export interface FittedDecision {
  readonly decision: Decision;
  /** Absent if the decision is not fitted to any rows. */
  readonly outOfFold?: OutOfFold;
  /** Warnings about uncalibrated probabilities. */
  readonly notices: readonly string[];
}

/** A fitted model, and possible sources of out-of-fold scores of its learner. */
export interface ModelToDecide {
  readonly learner: Learner;
  readonly model: Model;
  readonly training: Labelled;
  readonly objective: Objective;
  /** Out-of-fold scores of a cross-validation. */
  readonly validated: OutOfFold | undefined;
  /** Results of the first folds of `outOfFoldScores` that the choice of the learner has fitted. */
  readonly known: readonly ClassifiedTest[] | undefined;
  /** Duration of the model's fit, in seconds. */
  readonly fitSeconds: number;
  /** Whether to calibrate even if the metric does not need it. */
  readonly calibrate: boolean;
}

/**
 * Calibrates the probabilities of a model and chooses the rule of its predictions, on training rows that its models did
 * not see: rows of the folds that chose the learner, out-of-bag rows of a forest, or rows of folds fitted for this
 * purpose. Throws if the metric needs that and there are too few rows.
 */
export async function decide(given: ModelToDecide, run: Run): Promise<FittedDecision> {
  const { model, objective, calibrate } = given;
  const need = needOf(objective, model);
  if (!calibrate && need === undefined) return { decision: DEFAULT_DECISION, notices: [] };
  try {
    const outOfFold = await rowsToDecide(given, run);
    if (!outOfFold) throw new VouchError("data/too-few-rows", "There are fewer rows than folds.");
    const decision = await fitDecision(objective, outOfFold, model.classes.length, run);
    return { decision, outOfFold, notices: [] };
  } catch (error) {
    if (run.signal?.aborted || !(error instanceof VouchError)) throw error;
    // A part of the rows may contain too few of a class for the learner.
    if (need !== undefined) {
      throw new VouchError(error.code, `${need}, which takes a part of the training rows. ${error.message}`, {
        cause: error,
        hint: "Use more rows, or the metric error.",
      });
    }
    return {
      decision: DEFAULT_DECISION,
      notices: [`The probabilities are not calibrated. ${error.message}`],
    };
  }
}

/** Explains why a metric needs out-of-fold rows; undefined if it does not. */
function needOf({ metric }: Objective, { scoring }: Model): string | undefined {
  const { title, judges } = metricFacts(metric);
  if (judges === "predictions" && metric !== "error") return `The metric ${title} needs a decision rule`;
  if (judges === "probabilities" && scoring === "decision")
    return `The metric ${title} needs calibrated probabilities`;
  return undefined;
}

async function rowsToDecide(
  { learner, model, training, validated, known, fitSeconds }: ModelToDecide,
  run: Run,
): Promise<OutOfFold | undefined> {
  const rows = validated ?? unseenRows(model, training);
  return rows ?? (await outOfFoldScores(learner, training, run, { known, fitSeconds }));
}
