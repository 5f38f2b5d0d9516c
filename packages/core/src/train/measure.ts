import type { Features, Sample } from "../encode/sample.js";
import { measuredRows } from "../learners/ensemble/measured-rows.js";
import type { Assessment, TrainingSummary } from "../learners/model.js";
import { countErrors, summaryFrom } from "../learners/training-summary.js";
import { type Baseline, computeBaseline } from "../metrics/baseline.js";
import { applyDecision } from "../metrics/decision.js";
import type { EncodedSplit } from "./encode.js";
import { type HeldOutResult, heldOutResult, type TestedClassifier } from "./held-out-result.js";
import type { RowInspection } from "./inspect-rows.js";
import type { ScoredSplit } from "./score.js";
import type { SplitRows } from "./split.js";

/** Results of a model on its training rows and on the held-out rows. */
export interface MeasuredModel {
  readonly training: TrainingSummary;
  readonly baseline: Baseline;
  readonly heldOut?: HeldOutResult;
}

/** Measures a decided model on the training rows and on the held-out rows. */
export function measure(
  classifier: TestedClassifier,
  scored: ScoredSplit,
  { training, heldOut }: SplitRows,
  encoded: Pick<EncodedSplit, "training" | "heldOut">,
  { repeated, ofKnownGroup, dependence, alike: [alike] }: RowInspection,
): MeasuredModel {
  const { model, objective } = classifier;
  const tested = {
    training: countTrainingErrors(classifier, measuredRows(model, encoded.training), scored.training),
    baseline: computeBaseline(training.labels, model.classes, objective),
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

/** Counts errors of the decision and summarises the model's margins on the training rows. */
function countTrainingErrors(
  { model, decision }: TestedClassifier,
  sample: Sample<Features>,
  scored: Assessment | undefined,
): TrainingSummary {
  const facts = model.training ?? (scored && summaryFrom(scored, sample));
  if (!facts) throw new TypeError("The training rows have not been scored.");
  if (!scored || decision.rule.kind === "model") return facts;
  return { ...facts, errors: countErrors(applyDecision(decision, scored).predictions, sample.labels) };
}
