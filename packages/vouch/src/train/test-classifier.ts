import type { OnNotice } from "../encode/encoder.js";
import { Sample } from "../encode/sample.js";
import { baselineOfCounts } from "../evaluate/baseline.js";
import type { Finding } from "../evaluate/finding.js";
import { ERROR } from "../evaluate/metric.js";
import type { Evaluation } from "../evaluate/metrics.js";
import { RowCheck } from "../evaluate/row-check.js";
import { inOneGo } from "../runtime/steps.js";
import { trainingRowsAmong } from "../table/fingerprint.js";
import type { SplitColumns } from "../table/split-columns.js";
import type { Table } from "../table/table.js";
import { labelsFor } from "../table/target.js";
import type { AnswerEvidence, HeldOutTest } from "./answers.js";
import type { Card } from "./card.js";
import type { Classifier } from "./classifier.js";
import { encodeNewRows } from "./encode-new-rows.js";
import { type HeldOutResult, heldOutResult } from "./held-out-result.js";
import { copiesAmong } from "./test.js";
import { type Verdict, verdictOf } from "./verdict.js";
import { warningsOf } from "./warnings.js";

/** A classifier on labelled rows. */
export interface JudgedRows {
  readonly evaluation: Evaluation;
  /** How many rows are answered and how many sets have the class of their row, if the classifier abstains or gives sets. */
  readonly answers: AnswerEvidence;
  /** Absent if another program trained the model: then the commonest class of the training rows is not known. */
  readonly verdict?: Verdict;
  /** How the rows are unlike the training rows. */
  readonly findings: readonly Finding[];
}

/** Largest p-value of a gain over the baseline that counts. */
const SIGNIFICANCE = 0.05;

/**
 * Measures a classifier on a table with the target column and compares it with always answering the commonest class of the
 * training rows, with a warning if training rows are among the rows, or if the rows are unlike them.
 */
export function judgeOn(classifier: Classifier, table: Table, onNotice?: OnNotice): JudgedRows {
  const { evidence, evaluation, comparison, classes } = testOn(classifier, table, onNotice);
  const answers = {
    ...(evidence.answers && { answers: evidence.answers }),
    ...(evidence.coverage && { coverage: evidence.coverage }),
  };
  const { findings = [] } = evidence;
  const { counts } = classifier.card.data;
  if (!counts) return { evaluation, answers, findings };
  const warnings = warningsOf({
    heldOut: evidence,
    classes,
    trainingCounts: new Map(classifier.classes.map((name, k) => [name, counts[k]])),
    leaking: [],
    shifted: [],
    converged: classifier.model.converged,
  });
  const measuredOn = evidence.repeats?.natural === false ? "new rows" : "rows";
  const rest = { measuredOn, classes, warnings } as const;
  const { class: name } = baselineOfCounts(counts, classifier.classes, classifier.card.objective);
  return { evaluation, answers, findings, verdict: verdictOf(name, comparison, rest, SIGNIFICANCE) };
}

/** Tests a classifier on a table with the target column; pass the result to `certify`. */
export function heldOutTest(classifier: Classifier, table: Table, onNotice?: OnNotice): HeldOutTest {
  return testOn(classifier, table, onNotice).evidence;
}

/** Returns the column that grouped or ordered the rows in training. */
function splitColumns({ split: { group, time } = { drawn: "random" } }: Card): SplitColumns {
  return { ...(group !== undefined && { group }), ...(time !== undefined && { time }) };
}

function testOn(classifier: Classifier, table: Table, onNotice: OnNotice | undefined): HeldOutResult {
  const { encoder, model, decision, fingerprint, card } = classifier;
  const { objective = ERROR } = card;
  const rows = labelsFor(table, { ...encoder.schema, ...splitColumns(card) });
  for (const notice of rows.notices) onNotice?.(notice);
  const { group } = card.split ?? {};
  if (group !== undefined && !rows.groups) {
    onNotice?.(`${table.name} has no column "${group}": its rows count as independent.`);
  }
  const check = classifier.profile && new RowCheck(classifier.profile, encoder.schema);
  const features = inOneGo(encodeNewRows(encoder, rows.features, { onNotice, check }));
  if (onNotice) check?.notices().forEach(onNotice);
  const { labels } = rows;
  const { featureNames } = encoder;
  const sample = new Sample({ features, labels, classes: encoder.schema.classes, featureNames });
  const dependence = trainingRowsAmong(fingerprint, rows, encoder.schema);
  const counts = card.data.counts ?? model.classes.map(() => 0);
  const baseline = baselineOfCounts(counts, model.classes, objective);
  const repeated = inOneGo(copiesAmong(rows.features, encoder.schema));
  const unchecked = fingerprint.rows === 0 || !fingerprint.isComplete;
  const assessment = model.assess(sample);
  const tested = { rows, sample, assessment, drawn: "separate", dependence, unchecked, repeated } as const;
  const result = heldOutResult({ model, decision, objective }, tested, baseline);
  return { ...result, evidence: { ...result.evidence, findings: check?.findings() ?? [] } };
}
