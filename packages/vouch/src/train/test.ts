import type { Encoder } from "../encode/encoder.js";
import { type Baseline, baselineOf } from "../evaluate/baseline.js";
import type { Model, TrainingFacts } from "../learners/model.js";
import { trainingFacts } from "../learners/training-facts.js";
import { Fingerprint, trainingRowsAmong, unlabelledRowsAmong } from "../table/fingerprint.js";
import { naturalRepeats, repeatedRows } from "../table/repeated-rows.js";
import type { Table } from "../table/table.js";
import type { LabelledRows } from "../table/target.js";
import type { EncodedSplit } from "./encode.js";
import { type HeldOutResult, type HeldOutRows, heldOutResult } from "./held-out-result.js";
import type { SplitRows } from "./split.js";

/** Results of a model on its training rows and on the held-out rows. */
export interface TestedModel {
  readonly training: TrainingFacts;
  readonly fingerprint: Fingerprint;
  readonly baseline: Baseline;
  readonly heldOut?: HeldOutResult;
}

/** Measures a model on its training rows and on the held-out rows, each scored once. */
export function test(
  model: Model,
  rows: SplitRows,
  encoded: EncodedSplit,
  unlabelled: Table | undefined,
): TestedModel {
  const training = model.training ?? trainingFacts(model, encoded.training);
  const { encoder, heldOut: sample } = encoded;
  const fingerprint = Fingerprint.of(rows.training, encoder.schema);
  const baseline = baselineOf(rows.training.labels, model.classes);
  if (!rows.heldOut || !sample) return { training, fingerprint, baseline };
  const { drawn, rows: tested } = rows.heldOut;
  // Rows of the same table that happen to equal training rows are told apart; those of another table were not held out.
  const dependence =
    (drawn === "separate" ? trainingRowsAmong(fingerprint, tested, encoder.schema) : undefined) ??
    (unlabelled && unlabelledRowsAmong(unlabelled, tested.features, encoder.schema));
  const repeated =
    drawn === "separate" ? undefined : repeatsOf(rows.training, tested, encoder);
  const heldOut = heldOutResult(model, { rows: tested, sample, drawn, dependence, repeated }, baseline);
  return { training, fingerprint, baseline, heldOut };
}

/** Finds the held-out rows that repeat training rows, and whether independent rows would. */
function repeatsOf(
  training: LabelledRows,
  heldOut: LabelledRows,
  { schema }: Encoder,
): HeldOutRows["repeated"] {
  const rows = repeatedRows(training.features, heldOut.features, schema);
  return { rows, natural: naturalRepeats(training.features, schema).natural };
}
