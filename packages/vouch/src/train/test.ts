import type { Features, Sample } from "../encode/sample.js";
import { type Baseline, baselineOf } from "../evaluate/baseline.js";
import { decided } from "../evaluate/decision.js";
import type { TrainingFacts } from "../learners/model.js";
import { assessRows } from "../learners/score-rows.js";
import { countErrors, factsFrom, trainingFacts } from "../learners/training-facts.js";
import { formatCount, formatNumber } from "../runtime/number-format.js";
import type { Run } from "../runtime/run.js";
import { type Steps, withThreads } from "../runtime/steps.js";
import { Fingerprint, trainingRowsIn, unlabelledRowsAmong } from "../table/fingerprint.js";
import { naturalRepeats } from "../table/natural-repeats.js";
import { repeatsOfHashes } from "../table/repeated-rows.js";
import { rowHashesInSteps } from "../table/row-hashes.js";
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
  const { model, objective } = classifier;
  const { encoder, heldOut: sample } = encoded;
  const { schema } = encoder;
  const { heldOut } = rows;
  const hashes = await withThreads(rowHashesInSteps(rows.training, schema), run);
  const others = heldOut && (await withThreads(rowHashesInSteps(heldOut.rows, schema), run));
  const fingerprint = Fingerprint.ofHashes(hashes.labelled);
  const none = { table: rows.training.features.select([]), hashes: new Float64Array(0) };
  const { repeated, copiedRows } = await withThreads(
    repeatsBetween(
      { table: rows.training.features, hashes: hashes.cells },
      others ? { table: heldOut.rows.features, hashes: others.cells } : none,
      schema,
    ),
    run,
  );
  const tested = {
    training: await factsOf(classifier, encoded.training, run),
    fingerprint,
    baseline: baselineOf(rows.training.labels, model.classes, objective),
    copiedRows,
  };
  if (!heldOut || !sample || !others) return tested;
  const { drawn } = heldOut;
  // Rows of the same table that equal training rows are told apart; rows of another table may be the training rows.
  const dependence =
    (drawn === "separate" ? trainingRowsIn(fingerprint, Fingerprint.ofHashes(others.labelled)) : undefined) ??
    sharedGroups(rows.training, heldOut.rows) ??
    (unlabelled && (await withThreads(unlabelledRowsAmong(unlabelled, heldOut.rows.features, schema), run)));
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

/** A table and the hashes of the cells of its rows. */
interface HashedTable {
  readonly table: Table;
  readonly hashes: Float64Array;
}

/** Finds rows of a table that repeat others of it, and whether independent rows would. */
export function* copiesAmong(others: HashedTable, schema: Schema): Steps<HeldOutRows["repeated"]> {
  const none = { table: others.table.select([]), hashes: new Float64Array(0) };
  return (yield* repeatsBetween(none, others, schema)).repeated;
}

/** Finds rows that repeat, and whether independent rows would. */
function* repeatsBetween(training: HashedTable, others: HashedTable, schema: Schema): Steps<FoundRepeats> {
  const rows = yield* repeatsOfHashes(training.hashes, others.hashes);
  const { repeated, firstOfKind, repeatedInTraining } = rows;
  if (repeatedInTraining === 0 && !repeated.includes(1) && !firstOfKind.includes(0)) {
    return { repeated: undefined, copiedRows: 0 };
  }
  const tables = [training, others];
  const { natural } = naturalRepeats(
    tables.map(({ table }) => table),
    schema,
    tables.map(({ hashes }) => hashes),
  );
  return { repeated: { rows, natural }, copiedRows: natural ? 0 : repeatedInTraining };
}
