import { checkLearner, type Learner } from "../learners/learner.js";
import { objectiveFor } from "../metrics/objective.js";
import { checkpoint, completeRun, type Run } from "../runtime/parallel/run.js";
import type { LearnerChoice } from "../select/choose-learner.js";
import { withClassWeights } from "../table/class-weights.js";
import type { Table } from "../table/table.js";
import type { Labelled } from "../table/target.js";
import { cardOptions, choiceOnCard } from "./card.js";
import { choose } from "./choose.js";
import { decide, type ModelToDecide } from "./decide.js";
import { type EncodedSplit, encode } from "./encode.js";
import { fit } from "./fit.js";
import { inspectRows } from "./inspect-rows.js";
import { label } from "./label.js";
import { scoreSplit } from "./score.js";
import { splitRows, subsample } from "./split.js";
import { checkTrainOptions, type TrainOptions } from "./train-options.js";
import {
  assembleTraining,
  certifyTraining,
  type FittedTraining,
  judgeTraining,
  measureTraining,
  type Training,
} from "./training.js";

/**
 * Trains a classifier on a table and certifies its error, stage by stage:
 *
 *     label → split → choose → encode → fit → decide → measure → certify → judge
 *
 * While the model is fitted, other threads inspect the rows, and while its decision is fitted, they score them.
 *
 * The returned model is the one that was tested. With `holdout` it is not refitted to all rows, because held-out bounds
 * are about one fixed classifier. With `folds`, k other models are tested and the returned one is trained on all rows;
 * the errors of the folds are an estimate and prove nothing. Without `holdout`, `test` and `folds` there is no verdict,
 * no evaluation and no held-out certificate.
 */
export async function trainClassifier(
  table: Table,
  learnerOrChoice: Learner | LearnerChoice,
  options: TrainOptions = {},
): Promise<Training> {
  const { confidence = 0.95, folds, unlabelled, calibrate = true } = options;
  checkTrainOptions(options);
  if (typeof learnerOrChoice !== "function") checkLearner(learnerOrChoice);
  const run = completeRun(options.run);
  const data = label(table, options);
  startThreads(data, learnerOrChoice, run);
  await checkpoint(run);
  const split = splitRows(data, options, run.seed);
  const whole = { ...split, training: withClassWeights(split.training, options.classWeights) };
  const objective = objectiveFor(options, whole.training);
  await checkpoint(run);
  options.onChecked?.([...split.training.notices, ...(split.heldOut?.rows.notices ?? [])]);
  const { learner, choice } = await choose(whole, learnerOrChoice, options, objective, run);
  const rows = subsample(whole, choice?.rows ?? options.rows, run.seed);
  const encoded = await encode(rows, learner, unlabelled, run);
  const { schema } = encoded.encoder;
  const judged = rows.heldOut !== undefined || folds !== undefined;
  const known = rows === whole ? choice?.classifiedFolds : undefined;
  const [fitted, inspected] = await settleBoth(
    fitAndDecide({ learner, encoded, training: rows.training, folds, objective, known, calibrate }, run),
    inspectRows(rows, { schema, unlabelled, judged }, run),
  );
  await checkpoint(run);
  const training: FittedTraining = {
    ...{ table: table.name, rows, encoded, inspected, objective, options, confidence, fitted },
    learner: { name: learner.name, options: cardOptions(learner.options) },
    choice: choiceOnCard(choice, options.chosenAmong),
    isSubsample: rows !== whole,
  };
  const measured = measureTraining(training);
  await checkpoint(run);
  const certificates = certifyTraining(training, measured);
  const verdict = judgeTraining(training, measured, certificates);
  await checkpoint(run);
  const finished = assembleTraining(training, measured, certificates, verdict, run.seed);
  return { ...finished, candidates: choice?.candidates ?? [], choice };
}

/** Minimum number of cells for which starting threads is worthwhile. */
const CELLS_FOR_THREADS = 200_000;

/** Starts threads and lets them load the learner's modules while this thread splits and encodes the rows. */
function startThreads({ labels, features }: Labelled, learner: Learner | LearnerChoice, run: Run): void {
  if (typeof learner === "function" || labels.length * features.columns.length < CELLS_FOR_THREADS) return;
  run.executor.prepare?.(learner.tasks ?? []);
}

/** Input of a fit and of the decision after it. */
interface FitPlan extends Pick<ModelToDecide, "learner" | "training" | "objective" | "known" | "calibrate"> {
  readonly encoded: EncodedSplit;
  readonly folds: number | undefined;
}

/** Fits a model, then scores the rows while its probabilities are calibrated. */
async function fitAndDecide({ encoded, folds, ...plan }: FitPlan, run: Run) {
  const { learner, objective } = plan;
  const { model, fitSeconds, validation } = await fit(learner, encoded, { ...plan, folds }, run);
  await checkpoint(run);
  const [decided, scored] = await settleBoth(
    decide({ ...plan, model, fitSeconds, validated: validation?.outOfFold }, run),
    scoreSplit(model, encoded, objective, run),
  );
  return { model, validation, decided, scored };
}

/** Waits for both, even if one fails, so that nothing keeps running. */
async function settleBoth<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}
