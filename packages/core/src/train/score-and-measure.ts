import type { Features, Sample } from "../encode/sample.js";
import { measuredRows } from "../learners/ensemble/measured-rows.js";
import type { Assessment, Model, TrainingErrors } from "../learners/model.js";
import { assessRows } from "../learners/score-rows.js";
import { countErrors, trainingErrorsFrom } from "../learners/training-errors.js";
import { type Baseline, baselineOf } from "../metrics/baseline.js";
import { keepsOwnAnswers } from "../metrics/choose-rule.js";
import { applyDecision } from "../metrics/decision.js";
import type { Objective } from "../metrics/objective-metric.js";
import type { Run } from "../runtime/run.js";
import type { EncodedSplit } from "./encode.js";
import { type HeldOutResult, heldOutResult, type TestedClassifier } from "./held-out-result.js";
import type { RowFacts } from "./row-facts.js";
import type { SplitRows } from "./split.js";

/** Results of a model on its training rows and on the held-out rows. */
export interface TestedModel {
  readonly training: TrainingErrors;
  readonly baseline: Baseline;
  readonly heldOut?: HeldOutResult;
}

/** The rows of a split as a model scores them. */
export interface ScoredSplit {
  /** Absent if the model knows its errors and margins, and no rule changes its answers. */
  readonly training?: Assessment;
  readonly heldOut?: Assessment;
}

/** Scores the training rows, if need be, and the held-out rows, each once. */
export async function scoreSplit(
  model: Model,
  { training, heldOut }: Pick<EncodedSplit, "training" | "heldOut">,
  objective: Objective,
  run: Run,
): Promise<ScoredSplit> {
  const isKnown = model.training !== undefined && keepsOwnAnswers(objective);
  return {
    ...(!isKnown && { training: await assessRows(model, measuredRows(model, training), run) }),
    ...(heldOut && { heldOut: await assessRows(model, heldOut, run) }),
  };
}

/** Measures a decided model on the training rows and on the held-out rows. */
export function test(
  classifier: TestedClassifier,
  scored: ScoredSplit,
  { training, heldOut }: SplitRows,
  encoded: Pick<EncodedSplit, "training" | "heldOut">,
  { repeated, ofKnownGroup, dependence, alike: [alike] }: RowFacts,
): TestedModel {
  const { model, objective } = classifier;
  const tested = {
    training: factsOf(classifier, measuredRows(model, encoded.training), scored.training),
    baseline: baselineOf(training.labels, model.classes, objective),
  };
  const { heldOut: assessment } = scored;
  const { heldOut: sample } = encoded;
  if (!heldOut || !sample || !assessment) return tested;
  const { drawn, rows } = heldOut;
  const separate = drawn === "separate";
  const measured = {
    ...{ rows, sample, assessment, drawn, dependence, ofKnownGroup, alike },
    repeated: separate && dependence !== undefined ? undefined : repeated,
  };
  return { ...tested, heldOut: heldOutResult(classifier, measured, tested.baseline) };
}

/** Counts errors of the decision and summarises margins of the model on the training rows. */
function factsOf(
  { model, decision }: TestedClassifier,
  sample: Sample<Features>,
  scored: Assessment | undefined,
): TrainingErrors {
  const facts = model.training ?? (scored && trainingErrorsFrom(scored, sample));
  if (!facts) throw new TypeError("The training rows have not been scored.");
  if (!scored || decision.rule.kind === "model") return facts;
  return { ...facts, errors: countErrors(applyDecision(decision, scored).predictions, sample.labels) };
}
