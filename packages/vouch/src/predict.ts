/**
 * Load a model and predict: a small entry for web pages and services. The learner of the model is loaded on demand.
 *
 * @packageDocumentation
 */

// Models and predictions

export { type DecisionRule, thresholdRule } from "./evaluate/decision-rule.js";
export { type Finding, unlikeTraining } from "./evaluate/finding.js";
export type { RowCheck } from "./evaluate/row-check.js";
export type { Card } from "./train/card.js";
export type {
  ClassifiedTable,
  ClassifyOptions,
  ClassifyRowsOptions,
  PredictRecordsOptions,
} from "./train/classified-table.js";
export { Classifier } from "./train/classifier.js";
export { deserialise } from "./train/model-file.js";
export { packTrees, unpackTrees } from "./train/pack-trees.js";
export type { AnswerReasons, RecordAnswer } from "./train/record-answer.js";

// Rows to predict

export {
  type CategoricalColumn,
  type Cell,
  type Column,
  type ColumnValues,
  type DeclaredKinds,
  denseValues,
  type NumericColumn,
  type NumericValues,
  numberAt,
} from "./table/column.js";
export { SchemaMatch } from "./table/schema-match.js";
export { type SparseCells, SparseValues } from "./table/sparse-values.js";
export { Table, type TableNotice } from "./table/table.js";

// Numbers as people read them

export { formatCount, formatDuration, formatNumber, formatPercent } from "./runtime/number-format.js";

// Also here

export type { Encoder } from "./encode/encoder.js";
export type { Model } from "./learners/model.js";
export type { Matrix } from "./runtime/matrix.js";
export type { Progress, Run } from "./runtime/run.js";
export { type ErrorCode, VouchError } from "./runtime/vouch-error.js";
