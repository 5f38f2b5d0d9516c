/**
 * Load a model and predict: a small door for web pages and services. The learner of the model is loaded on demand.
 *
 * @packageDocumentation
 */

// Models and predictions

export { type DataShift, shiftError } from "@vouch/core/internal/checks/data-shift";
export type { ShiftDetector } from "@vouch/core/internal/checks/shift-detector";
export { type DecisionRule, thresholdRule } from "@vouch/core/internal/metrics/decision-rule";
export type { Card } from "@vouch/core/internal/train/card";
export type {
  ClassifiedTable,
  ClassifyOptions,
  ClassifyRowsOptions,
  PredictRecordsOptions,
} from "@vouch/core/internal/train/classified-table";
export { Classifier } from "@vouch/core/internal/train/classifier";
export { deserialise } from "@vouch/core/internal/train/model-file";
export { packTrees, unpackTrees } from "@vouch/core/internal/train/pack-trees";
export type { AnswerReasons, RecordAnswer } from "@vouch/core/internal/train/record-answer";

// Rows to predict

export type {
  CategoricalColumn,
  Cell,
  Column,
  ColumnValues,
  DeclaredKinds,
  NumericColumn,
  NumericValues,
} from "@vouch/core/internal/table/column";
export { SchemaMatch } from "@vouch/core/internal/table/schema-match";
export { type SparseCells, SparseValues } from "@vouch/core/internal/table/sparse-cells";
export { Table, type TableNotice } from "@vouch/core/internal/table/table";

// Numbers as people read them

export {
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
} from "@vouch/core/internal/runtime/text/number-format";

// Also here

export type { Encoder } from "@vouch/core/internal/encode/encoder";
export type { Model } from "@vouch/core/internal/learners/model";
export { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
export type { Progress, Run } from "@vouch/core/internal/runtime/parallel/run";
export { type ErrorCode, VouchError } from "@vouch/core/internal/runtime/vouch-error";
