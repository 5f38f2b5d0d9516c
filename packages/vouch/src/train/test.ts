import type { Features, Sample } from "../encode/sample.js";
import { type Baseline, baselineOf } from "../evaluate/baseline.js";
import { decided } from "../evaluate/decision.js";
import type { TrainingFacts } from "../learners/model.js";
import { assessRows } from "../learners/score-rows.js";
import { countErrors, factsFrom, trainingFacts } from "../learners/training-facts.js";
import { formatCount, formatNumber } from "../runtime/number-format.js";
import type { Run } from "../runtime/run.js";
import { type Steps, withPauses } from "../runtime/steps.js";
import { Fingerprint, trainingRowsAmong, unlabelledRowsAmong } from "../table/fingerprint.js";
import { naturalRepeats } from "../table/natural-repeats.js";
import { repeatedRowsInSteps } from "../table/repeated-rows.js";
import type { Schema } from "../table/schema.js";
import type { Table } from "../table/table.js";
import type { LabelledRows } from "../table/target.js";
import type { EncodedSplit } from "./encode.js";
import {
  type HeldOutResult,
  type HeldOutRows,
  heldOutResult,
  type TestedClassifier,
} from "./held-out-result.js";
import type { SplitRows } from "./split.js";

/** Results of a model on its training rows and on the held-out rows. */
export interface TestedModel {
  readonly training: TrainingFacts;
  readonly fingerprint: Fingerprint;
  readonly baseline: Baseline;
  /** Number of training rows that equal another one although independent rows would not. */
  readonly copiedRows: number;
  readonly heldOut?: HeldOutResult;
}

/** Measures a model on its training rows and on the held-out rows, each scored once. */
export async function test(
  classifier: TestedClassifier,
  rows: SplitRows,
  encoded: EncodedSplit,
  unlabelled: Table | undefined,
  run: Run,
): Promise<TestedModel> {
  const { signal } = run;
  const { model, objective } = classifier;
  const { encoder, heldOut: sample } = encoded;
  const { schema } = encoder;
  const { heldOut } = rows;
  const fingerprint = await withPauses(Fingerprint.inSteps(rows.training, schema), signal);
  const { repeated, copiedRows } = await withPauses(repeatsOf(rows, schema), signal);
  const tested = {
    training: await factsOf(classifier, encoded.training, run),
    fingerprint,
    baseline: baselineOf(rows.training.labels, model.classes, objective),
    copiedRows,
  };
  if (!heldOut || !sample) return tested;
  const { drawn } = heldOut;
  // Rows of the same table that equal training rows are told apart; rows of another table may be the training rows.
  const dependence =
    (drawn === "separate" ? trainingRowsAmong(fingerprint, heldOut.rows, schema) : undefined) ??
    sharedGroups(rows.training, heldOut.rows) ??
    (unlabelled && unlabelledRowsAmong(unlabelled, heldOut.rows.features, schema));
  const own = drawn === "separate" && dependence !== undefined ? undefined : repeated;
  const unchecked = drawn === "separate" && !fingerprint.isComplete;
  const assessment = await assessRows(model, sample, run);
  const measured = { rows: heldOut.rows, sample, assessment, drawn, dependence, unchecked, repeated: own };
  return { ...tested, heldOut: heldOutResult(classifier, measured, tested.baseline) };
}

/** Counts errors of the decision and summarises margins of the model on the training rows, which are scored at most once. */
async function factsOf(
  { model, decision }: TestedClassifier,
  sample: Sample<Features>,
  run: Run,
): Promise<TrainingFacts> {
  if (decision.rule.kind === "model") return model.training ?? (await trainingFacts(model, sample, run));
  const own = await assessRows(model, sample, run);
  const errors = countErrors(decided(decision, own).predictions, sample.labels);
  return { ...(model.training ?? factsFrom(own, sample)), errors };
}

/** Says so if test rows of another table are of groups that have training rows. */
function sharedGroups(training: LabelledRows, { groupNames = [] }: LabelledRows): string | undefined {
  if (groupNames === training.groupNames) return undefined;
  const known = new Set(training.groupNames);
  const shared = groupNames.filter((name) => known.has(name)).length;
  if (shared === 0) return undefined;
  return `${formatNumber(shared)} of ${formatCount(groupNames.length, "test group")} also ${shared === 1 ? "has" : "have"} training rows.`;
}

/** Rows that repeat, and the number of training rows that repeat others although independent rows would not. */
interface FoundRepeats {
  readonly repeated: HeldOutRows["repeated"];
  readonly copiedRows: number;
}

/** Finds rows that repeat, and whether independent rows would. */
function* repeatsOf({ training: { features }, heldOut }: SplitRows, schema: Schema): Steps<FoundRepeats> {
  return yield* repeatsBetween(features, heldOut?.rows.features ?? features.select([]), schema);
}

/** Finds rows of a table that repeat others of it, and whether independent rows would. */
export function* copiesAmong(table: Table, schema: Schema): Steps<HeldOutRows["repeated"]> {
  return (yield* repeatsBetween(table.select([]), table, schema)).repeated;
}

function* repeatsBetween(training: Table, others: Table, schema: Schema): Steps<FoundRepeats> {
  const rows = yield* repeatedRowsInSteps(training, others, schema);
  const { repeated, firstOfKind, repeatedInTraining } = rows;
  if (repeatedInTraining === 0 && !repeated.includes(1) && !firstOfKind.includes(0)) {
    return { repeated: undefined, copiedRows: 0 };
  }
  const { natural } = naturalRepeats([training, others], schema);
  return { repeated: { rows, natural }, copiedRows: natural ? 0 : repeatedInTraining };
}
