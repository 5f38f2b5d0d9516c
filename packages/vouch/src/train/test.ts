import { type Evaluation, evaluationOf } from "../evaluate/metrics.js";
import type { Assessment, Model, TrainingFacts } from "../learners/model.js";
import { countErrors, trainingFacts } from "../learners/training-facts.js";
import { Fingerprint, trainingRowsAmong, unlabelledRowsAmong } from "../table/fingerprint.js";
import type { Table } from "../table/table.js";
import type { HeldOut } from "../theory/held-out/held-out.js";
import type { EncodedSplit } from "./encode.js";
import type { SplitRows } from "./split.js";

/** Results of a model on its training rows and on the held-out rows. */
export interface TestedModel {
  readonly training: TrainingFacts;
  readonly fingerprint: Fingerprint;
  readonly heldOut?: HeldOutResult;
}

/** Results of a model on held-out rows. */
interface HeldOutResult {
  /** The counts that certificates need. */
  readonly counts: HeldOut;
  readonly evaluation: Evaluation;
  readonly assessment: Assessment;
}

/** Measures a model on its training rows and on the held-out rows, each scored once. */
export function test(
  model: Model,
  rows: SplitRows,
  encoded: EncodedSplit,
  unlabelled: Table | undefined,
): TestedModel {
  const training = model.training ?? trainingFacts(model, encoded.training);
  const fingerprint = Fingerprint.of(rows.training, encoded.encoder.schema);
  const { heldOut: sample } = encoded;
  if (!rows.heldOut || !sample) return { training, fingerprint };
  const { drawn } = rows.heldOut;
  const assessment = model.assess(sample);
  const errors = countErrors(assessment.predictions, sample.labels);
  const { schema } = encoded.encoder;
  // Rows of the same table that happen to equal training rows are still independent draws.
  const dependence =
    (drawn === "separate" ? trainingRowsAmong(fingerprint, rows.heldOut.rows, schema) : undefined) ??
    (unlabelled && unlabelledRowsAmong(unlabelled, rows.heldOut.rows.features, schema));
  const counts = { rows: sample.rows, errors, drawn, ...(dependence && { dependence }) };
  const evaluation = evaluationOf(model, sample, assessment);
  return { training, fingerprint, heldOut: { counts, evaluation, assessment } };
}
