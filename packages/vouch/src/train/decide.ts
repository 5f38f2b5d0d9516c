import { type Decision, UNDECIDED } from "../evaluate/decision.js";
import { fitDecision } from "../evaluate/fit-decision.js";
import { metricFacts, type Objective } from "../evaluate/metric.js";
import { type OutOfFold, outOfBagRows, outOfFoldScores } from "../evaluate/out-of-fold.js";
import type { ClassifiedTest } from "../evaluate/trial.js";
import type { Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import type { Run } from "../runtime/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Labelled } from "../table/target.js";

/** A decision, and the rows that it was fitted to. */
export interface FittedDecision {
  readonly decision: Decision;
  /** Absent if the decision is not fitted to any rows. */
  readonly outOfFold?: OutOfFold;
  /** Warnings: probabilities that are not calibrated. */
  readonly notices: readonly string[];
}

/** A fitted model, and where out-of-fold scores of its learner may come from. */
export interface ModelToDecide {
  readonly learner: Learner;
  readonly model: Model;
  readonly training: Labelled;
  readonly objective: Objective;
  /** Out-of-fold scores of a cross-validation. */
  readonly validated: OutOfFold | undefined;
  /** Results of the first folds of `outOfFoldScores` that the choice of the learner has fitted. */
  readonly known: readonly ClassifiedTest[] | undefined;
  /** Whether to calibrate although the metric does not need it. */
  readonly calibrate: boolean;
}

/**
 * Calibrates the probabilities of a model and chooses the rule of its predictions, by training rows that its models did not see:
 * rows of the folds that chose the learner, the out-of-bag rows of a forest, or those of folds that are fitted for it.
 */
export async function decide(given: ModelToDecide, run: Run): Promise<FittedDecision> {
  const { model, objective, calibrate } = given;
  const { judges } = metricFacts(objective.metric);
  const needsRule = judges === "predictions" && objective.metric !== "error";
  if (!calibrate && !needsRule) return { decision: UNDECIDED, notices: [] };
  try {
    const outOfFold = await rowsToDecide(given, run);
    if (!outOfFold) return uncalibrated("the rows cannot be divided into folds with two classes.");
    const decision = await fitDecision(objective, outOfFold, model.classes.length, run);
    return { decision, outOfFold, notices: [] };
  } catch (error) {
    // A part of the rows may have too few of a class for the learner.
    if (run.signal?.aborted || needsRule || !(error instanceof VouchError)) throw error;
    return uncalibrated(error.message);
  }
}

function uncalibrated(reason: string): FittedDecision {
  return { decision: UNDECIDED, notices: [`The probabilities are not calibrated: ${reason}`] };
}

async function rowsToDecide(
  { learner, model, training, validated, known }: ModelToDecide,
  run: Run,
): Promise<OutOfFold | undefined> {
  return validated ?? outOfBagRows(model, training) ?? (await outOfFoldScores(learner, training, run, known));
}
