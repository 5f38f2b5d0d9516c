/**
 * Everything in `vouch` except the learner functions. Learners are loaded by name when they are needed.
 *
 * @packageDocumentation
 */
// Tables and labels

export type { Cell, DeclaredKinds } from "./table/column.js";
export {
  type CategoricalColumn,
  type Column,
  type ColumnValues,
  columnKind,
  denseValues,
  missingCells,
  type NumericColumn,
  type NumericValues,
  numberAt,
} from "./table/column.js";
export type { ColumnSchema, Schema } from "./table/schema.js";
export { SchemaMatch } from "./table/schema-match.js";
export { type SparseCells, SparseValues } from "./table/sparse-values.js";
export type { SplitColumns, SplitValues } from "./table/split-columns.js";
export { Table, type TableNotice } from "./table/table.js";
export {
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  selectRows,
} from "./table/target.js";

// Learners

export { allLearners, createLearner, learnerNamed, learnerNames, withLearners } from "./learners/index.js";
export type { Learner, LearnerKind } from "./learners/learner.js";

// Models

export type { ScoreUnit } from "./learners/additive.js";
export type { Assessment, Classification, Model } from "./learners/model.js";

// Classifiers

export { type DecisionRule, thresholdRule } from "./evaluate/decision-rule.js";
export { type FeatureGroup, featuresByColumn, importanceByColumn } from "./evaluate/feature-groups.js";
export { type Finding, unlikeTraining } from "./evaluate/finding.js";
export type { MetricName, MetricValues, Objective } from "./evaluate/metric.js";
export { type Confusion, type Evaluation, evaluate, type Predictions } from "./evaluate/metrics.js";
export type { ObjectiveOptions } from "./evaluate/objective.js";
export {
  type FeatureImportance,
  type PermutationImportance,
  type PermutationOptions,
  permutationImportance,
} from "./evaluate/permutation-importance.js";
export type { ReasonWord } from "./evaluate/reason-words.js";
export {
  decidingWords,
  type Reason,
  type ReasonOptions,
  type RowReasons,
  reasonsFor,
  reasonText,
} from "./evaluate/reasons.js";
export type { RowCheck } from "./evaluate/row-check.js";
export { VERSION } from "./runtime/version.js";
export type { TrainingProfile } from "./table/training-profile.js";
export type { AnswerOptions, HeldOutTest } from "./train/answers.js";
export type { Card, TrainedCard } from "./train/card.js";
export type {
  ClassifiedTable,
  ClassifyOptions,
  ClassifyRowsOptions,
  PredictRecordsOptions,
} from "./train/classified-table.js";
export { Classifier } from "./train/classifier.js";
export { explainRows } from "./train/explain-rows.js";
export { deserialise, type LoadOptions, serialise } from "./train/model-file.js";
export { type AnswerReasons, type RecordAnswer, recordAnswers } from "./train/record-answer.js";
export { type SplitOptions, type SplitRows, splitRows } from "./train/split.js";
export { type Training, type TrainOptions, trainClassifier } from "./train/train.js";

// Certificates

export type { PairedResult } from "./evaluate/baseline.js";
export type { Period } from "./evaluate/periods.js";
export type { Certificate, Premise } from "./theory/certificate.js";
export type { Draw, HeldOut } from "./theory/held-out/held-out.js";
export { type Certifiable, type CertifyOptions, certify } from "./train/certify.js";
export { heldOutTest, type JudgedRows, judgeOn, type TestOptions } from "./train/test-classifier.js";
export { type Verdict, type VerdictWords, verdictInWords } from "./train/verdict.js";
export type { ClassFound, Warning } from "./train/warnings.js";

// Choosing and comparing

export {
  type CrossValidateOptions,
  type CrossValidation,
  crossValidate,
  type FoldResults,
} from "./evaluate/cross-validate.js";
export { agreementInWords, choiceOf } from "./select/agreement.js";
export { defaultCandidates } from "./select/candidates.js";
export {
  byCrossValidation,
  byRacing,
  type Candidate,
  type Choice,
  type LearnerChoice,
} from "./select/choose-learner.js";
export { type Compared, type CompareOptions, type Comparison, compare } from "./select/compare.js";
export { comparisonInWords, comparisonVerdict } from "./select/comparison-verdict.js";
export { criteria, criterionNamed } from "./select/criteria.js";
export type { RaceOptions } from "./select/race.js";
export type { RaceStanding } from "./select/race-standing.js";
export { type Ranking, type Selection, type SelectOptions, select } from "./select/select.js";

// Threads, errors and number formats

export type { Executor } from "./runtime/executor.js";
export { inlineExecutor } from "./runtime/inline.js";
export {
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRoundPercent,
} from "./runtime/number-format.js";
export { hardwareThreads } from "./runtime/platform.js";
export type { Progress, Run } from "./runtime/run.js";
export type { Json } from "./runtime/state.js";
export { type ThreadExecutor, threadExecutor } from "./runtime/threads.js";
export { type ErrorCode, VouchError } from "./runtime/vouch-error.js";

// Also here

export type { BinnedColumns } from "./encode/binned-columns.js";
export type { Encoder } from "./encode/encoder.js";
export type { Features, Sample } from "./encode/sample.js";
export type { Description } from "./learners/description.js";
export type { Matrix } from "./runtime/matrix.js";
export { limitMemory, memoryLimit } from "./runtime/memory-limit.js";
export type { SparseRows } from "./runtime/sparse-rows.js";
export type { Criterion } from "./select/criterion.js";
