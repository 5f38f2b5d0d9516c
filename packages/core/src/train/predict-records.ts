import { checkRecordList, RecordReader } from "../table/record-reader.js";
import { SchemaMatch } from "../table/schema-match.js";
import type { Table } from "../table/table.js";
import type {
  ClassifiedTable,
  ClassifyOptions,
  ClassifyRowsOptions,
  PredictRecordsOptions,
} from "./classified-table.js";
import { type Explainable, explainRows } from "./explain-rows.js";
import { type Answering, type RecordAnswer, recordAnswers } from "./record-answer.js";

/** The parts of a classifier that answers to records depend on. */
interface RecordClassifier extends Explainable, Answering {
  classify(table: Table, options: ClassifyOptions): ClassifiedTable;
  classifyRows(table: Table, options: ClassifyRowsOptions): Promise<ClassifiedTable>;
}

/** Answers records: reads them by the schema of the model, classifies them, and explains them if requested. */
export async function predictRecords(
  classifier: RecordClassifier,
  records: readonly object[],
  { reasons: most, onNotice, rule, run }: PredictRecordsOptions,
): Promise<RecordAnswer[]> {
  checkRecordList(records);
  if (records.length === 0) return [];
  const { schema } = classifier.encoder;
  const table = new RecordReader(schema).read(records);
  const match = new SchemaMatch(schema);
  const options = { match, ...(rule && { rule }) };
  const classified = run
    ? await classifier.classifyRows(table, { ...options, run })
    : classifier.classify(table, options);
  match.check();
  if (onNotice) for (const notice of match.notices()) onNotice(notice);
  const reasons =
    most === undefined ? undefined : await explainRows(classifier, table, classified.predictions, most, run);
  // Another rule answers every row.
  const answering = rule ? { classes: classifier.classes, decision: {} } : classifier;
  return recordAnswers(answering, classified, reasons);
}
