import type { DataShift } from "../checks/data-shift.js";
import { ShiftDetector } from "../checks/shift-detector.js";
import type { OnNotice } from "../encode/encoder.js";
import { Sample } from "../encode/sample.js";
import { assessRows } from "../learners/score-rows.js";
import { baselineOfCounts } from "../metrics/baseline.js";
import type { Evaluation } from "../metrics/evaluation.js";
import { ERROR } from "../metrics/objective-metric.js";
import { runOnThreads } from "../runtime/parallel/pausable.js";
import { completeRun, type Run } from "../runtime/parallel/run.js";
import { rowHashesInSteps } from "../table/row-hashes.js";
import type { SplitColumns } from "../table/split-columns.js";
import type { Table } from "../table/table.js";
import { labelsFor } from "../table/target.js";
import type { Card } from "./card.js";
import type { Classifier } from "./classifier.js";
import { encodeNewRows } from "./encode-new-rows.js";
import { type FoundRepeats, type HeldOutResult, heldOutResult } from "./held-out-result.js";
import { copiesAmong, knownGroups, nearTraining, trainingRowsAmongHashes } from "./inspect-rows.js";
import { isOfNewRows } from "./judge.js";
import type { HeldOutTest, SelectiveEvidence } from "./selective-prediction.js";
import { makeVerdict, type Verdict } from "./verdict.js";
import { findWarnings } from "./warnings.js";

/** Options for testing a classifier on labelled rows. */
export interface TestOptions {
  /** Receives warnings: rows left out, unused columns, rows that differ from the training rows. */
  readonly onNotice?: OnNotice;
  /** Threads, and the signal that interrupts the work. */
  readonly run?: Partial<Run>;
}

/** Results of a classifier on labelled rows. */
export interface EvaluatedRows {
  readonly evaluation: Evaluation;
  /** Numbers of answered rows and of covering sets, if the classifier abstains or gives sets. */
  readonly answers: SelectiveEvidence;
  /**
   * Absent if another program trained the model, because the most common class of the training rows is then unknown.
   */
  readonly verdict?: Verdict;
  /** How the rows differ from the training rows. */
  readonly findings: readonly DataShift[];
}

/** Largest significant p-value of a gain over the baseline. */
const SIGNIFICANCE = 0.05;

/**
 * Measures a classifier on a table with the target column and compares it with always answering the most common class
 * of the training rows. Warns if training rows are among the rows, or if the rows differ from them.
 */
export async function evaluateClassifier(
  classifier: Classifier,
  table: Table,
  options: TestOptions = {},
): Promise<EvaluatedRows> {
  const { evidence, evaluation, comparison, classes } = await testOn(classifier, table, options);
  const answers = {
    ...(evidence.answers && { answers: evidence.answers }),
    ...(evidence.coverage && { coverage: evidence.coverage }),
  };
  const { findings = [] } = evidence;
  const { counts } = classifier.card.data;
  if (!counts) return { evaluation, answers, findings };
  const warnings = findWarnings({
    heldOut: evidence,
    classes,
    trainingCounts: new Map(classifier.classes.map((name, k) => [name, counts[k]])),
    leaking: [],
    shifted: [],
    converged: classifier.model.converged,
  });
  const measuredOn = isOfNewRows(evidence) ? "new rows" : "rows";
  const rest = { measuredOn, classes, warnings } as const;
  const { class: name } = baselineOfCounts(counts, classifier.classes, classifier.card.objective);
  return { evaluation, answers, findings, verdict: makeVerdict(name, comparison, rest, SIGNIFICANCE) };
}

/** Tests a classifier on a table with the target column; pass the result to `certify`. */
export async function collectEvidence(
  classifier: Classifier,
  table: Table,
  options: TestOptions = {},
): Promise<HeldOutTest> {
  return (await testOn(classifier, table, options)).evidence;
}

/** Returns the column that grouped or ordered the rows in training. */
function splitColumns({ split: { group, time } = {} }: Card): SplitColumns {
  return { ...(group !== undefined && { group }), ...(time !== undefined && { time }) };
}

async function testOn(
  classifier: Classifier,
  table: Table,
  { onNotice, run: given }: TestOptions,
): Promise<HeldOutResult> {
  const run = completeRun(given);
  const { encoder, model, decision, fingerprint, sketch, groups, card } = classifier;
  const { objective = ERROR } = card;
  const rows = labelsFor(table, { ...encoder.schema, ...splitColumns(card) });
  const ofReading = table.noticesAbout(encoder.schema.columns.map(({ name }) => name));
  for (const notice of [...ofReading, ...rows.notices]) onNotice?.(notice);
  const { group } = card.split ?? {};
  if (group !== undefined && !rows.groups) {
    onNotice?.(`${table.name} has no column "${group}": its rows prove nothing about new groups.`);
  }
  const check = classifier.profile && new ShiftDetector(classifier.profile, encoder.schema);
  const features = await runOnThreads(encodeNewRows(encoder, rows.features, { onNotice, check }), run);
  if (onNotice) check?.notices().forEach(onNotice);
  const { labels } = rows;
  const { featureNames } = encoder;
  const sample = new Sample({ features, labels, classes: encoder.schema.classes, featureNames });
  const hashes = await runOnThreads(rowHashesInSteps(rows, encoder.schema), run);
  const counts = card.data.counts ?? model.classes.map(() => 0);
  const baseline = baselineOfCounts(counts, model.classes, objective);
  const copies = await runOnThreads(copiesAmong({ ...rows, hashes: hashes.cells }, encoder.schema), run);
  const repeated = withTrainingRows(copies, fingerprint.knownAmong(hashes.labelled));
  const known = groups && group !== undefined ? knownGroups(groups, rows) : undefined;
  const dependence =
    known?.dependence ??
    trainingRowsAmongHashes(fingerprint, hashes.labelled, repeated) ??
    (sketch && (await runOnThreads(nearTraining(sketch, rows.features, encoder.schema), run)));
  const unchecked = !sketch || !fingerprint.isComplete || (group !== undefined && !groups);
  const assessment = await assessRows(model, sample, run);
  const tested = {
    ...{ rows, sample, assessment, dependence, unchecked },
    repeated: dependence === undefined ? repeated : undefined,
    drawn: "separate",
    ofKnownGroup: known?.ofKnownGroup,
  } as const;
  const result = heldOutResult({ model, decision, objective }, tested, baseline);
  return { ...result, evidence: { ...result.evidence, findings: check?.findings() ?? [] } };
}

/** Marks rows that equal training rows, in addition to those that repeat each other. */
function withTrainingRows(copies: FoundRepeats | undefined, repeated: Uint8Array): FoundRepeats | undefined {
  if (!repeated.includes(1)) return copies;
  const { natural = true, rows } = copies ?? {};
  return { natural, rows: { repeated, firstOfKind: rows?.firstOfKind ?? repeated.map(() => 1) } };
}
