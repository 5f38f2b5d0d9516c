/**
 * Train a classifier on a data file or a table, choose among learners, predict, and certify the error on new data, in Node and in browsers.
 *
 * @packageDocumentation
 */

// Training as the command does it

export type { TrainRequestInput } from "@vouch/core/internal/train/request/request";
export type { TrainEvents, Trained, TrainServices } from "@vouch/core/internal/train/train-table";
export { train } from "#train";

// Tables and labels

export type { CategoricalColumn, Column, NumericColumn } from "@vouch/core/internal/table/column";
export type { Schema } from "@vouch/core/internal/table/schema";
export { SchemaMatch } from "@vouch/core/internal/table/schema-match";
export { SparseValues } from "@vouch/core/internal/table/sparse-cells";
export { Table, type TableNotice } from "@vouch/core/internal/table/table";
export { type Labelled, labelled, labelsFor, selectRows } from "@vouch/core/internal/table/target";
export { type ReadOptions, readTable, type TableSource } from "@vouch/formats";

// Learners

export { adaboost } from "@vouch/core/internal/learners/adaboost/adaboost";
export { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
export { deepCascade } from "@vouch/core/internal/learners/cascade/deep-cascade";
export { deepCascadePerceptron, deepCascadeSvm } from "@vouch/core/internal/learners/cascade/kernel-cascades";
export { cascadeForest, gcForest, mddf } from "@vouch/core/internal/learners/deep-forest/deep-forests";
export { ensemble } from "@vouch/core/internal/learners/ensemble/ensemble";
export { forest, randomTrees } from "@vouch/core/internal/learners/forest/forest";
export { relaxedHierarchy } from "@vouch/core/internal/learners/hierarchy/relaxed-hierarchy";
export {
  allLearners,
  createLearner,
  learnerNamed,
  learnerNames,
} from "@vouch/core/internal/learners/index";
export type { Learner, LearnerKind } from "@vouch/core/internal/learners/learner";
export { linearSvm } from "@vouch/core/internal/learners/linear/linear-svm";
export { logistic } from "@vouch/core/internal/learners/logistic/logistic";
export { majority } from "@vouch/core/internal/learners/majority/majority";
export { dagSvm, oneVsOne, oneVsRest } from "@vouch/core/internal/learners/multiclass/multiclass";
export { dbn } from "@vouch/core/internal/learners/net/dbn";
export { mlp } from "@vouch/core/internal/learners/net/mlp";
export { sae } from "@vouch/core/internal/learners/net/sae";
export { perceptron } from "@vouch/core/internal/learners/perceptron/perceptron";
export { stump } from "@vouch/core/internal/learners/stump/stump";
export { svm } from "@vouch/core/internal/learners/svm/svm";
export { tree } from "@vouch/core/internal/learners/tree/tree";

// Models

export type { DeepForestModel } from "@vouch/core/internal/learners/deep-forest/deep-forests";
export type { Classification, Model } from "@vouch/core/internal/learners/model";
export type { MulticlassModel } from "@vouch/core/internal/learners/multiclass/multiclass";

// Classifiers

export { type DataShift, shiftError } from "@vouch/core/internal/checks/data-shift";
export { ShiftDetector } from "@vouch/core/internal/checks/shift-detector";
export { type DecisionRule, thresholdRule } from "@vouch/core/internal/metrics/decision-rule";
export { VERSION } from "@vouch/core/internal/runtime/version";
export type { Card } from "@vouch/core/internal/train/card";
export type {
  ClassifiedTable,
  ClassifyOptions,
  PredictRecordsOptions,
} from "@vouch/core/internal/train/classified-table";
export { Classifier } from "@vouch/core/internal/train/classifier";
export { deserialise, serialise } from "@vouch/core/internal/train/model-file";
export type { RecordAnswer } from "@vouch/core/internal/train/record-answer";
export { trainClassifier } from "@vouch/core/internal/train/train";
export type { TrainOptions } from "@vouch/core/internal/train/train-options";
export type { Training } from "@vouch/core/internal/train/training";

// Certificates and verdicts

export { DriftMonitor } from "@vouch/core/internal/checks/drift-monitor";
export type { Certificate, Premise } from "@vouch/core/internal/theory/certificate";
export type { HeldOut, SplitMethod } from "@vouch/core/internal/theory/held-out/held-out";
export { certify } from "@vouch/core/internal/train/certify";
export { collectEvidence, evaluateClassifier } from "@vouch/core/internal/train/evaluate-classifier";
export { monitoredCertificate } from "@vouch/core/internal/train/monitored-certificate";
export type { HeldOutTest } from "@vouch/core/internal/train/selective-prediction";
export { describeVerdict, type Verdict } from "@vouch/core/internal/train/verdict";
export type { Warning } from "@vouch/core/internal/train/warnings";

// Choosing and comparing

export { describeAgreement, findChoice } from "@vouch/core/internal/select/agreement";
export { defaultCandidates } from "@vouch/core/internal/select/candidates";
export {
  byRacing,
  byReplaying,
  type CandidateResult,
  type Choice,
  type LearnerChoice,
} from "@vouch/core/internal/select/choose-learner";
export {
  type Compared,
  type CompareOptions,
  type Comparison,
  compare,
} from "@vouch/core/internal/select/compare";
export { describeComparison } from "@vouch/core/internal/select/comparison-verdict";
export { criteria, findCriterion } from "@vouch/core/internal/select/criteria";
export type { Criterion, Evidence } from "@vouch/core/internal/select/criterion";
export { type RaceOptions, raceLearners } from "@vouch/core/internal/select/race/race";
export { type RaceRecord, readRaceRecord } from "@vouch/core/internal/select/race/record";
export type { LeaderboardRow } from "@vouch/core/internal/select/race/state";
export { type Selection, type SelectOptions, select } from "@vouch/core/internal/select/select";
export { type CrossValidation, crossValidate } from "@vouch/core/internal/validation/cross-validate";

// Metrics

export {
  auc,
  balancedAccuracy,
  confusionMatrix,
  type Evaluation,
  evaluate,
  logLoss,
  macroF1,
  type Predictions,
} from "@vouch/core/internal/metrics/evaluation";
export type { MetricName } from "@vouch/core/internal/metrics/metric-name";
export type { ObjectiveOptions } from "@vouch/core/internal/metrics/objective";
export type { Objective } from "@vouch/core/internal/metrics/objective-metric";
export { calibrationError, type Reliability, reliability } from "@vouch/core/internal/metrics/reliability";
export { averagePrecision, precisionRecallPoints, rocPoints } from "@vouch/core/internal/metrics/score-curve";

// Splits of rows

export { groupFolds, groupHoldout, leaveOneGroupOut } from "@vouch/core/internal/table/group-splits";
export {
  type Folds,
  kFold,
  leaveOneOut,
  randomHoldout,
  type Split,
  stratifiedHoldout,
} from "@vouch/core/internal/table/splits";
export { timeFolds, timeHoldout } from "@vouch/core/internal/table/time-splits";

// Explanations

export { Background } from "@vouch/core/internal/explain/background";
export { partialEffects } from "@vouch/core/internal/explain/effects";
export {
  type PermutationImportance,
  permutationImportance,
} from "@vouch/core/internal/explain/permutation-importance";
export { type Reason, type RowReasons, reasonsFor, reasonText } from "@vouch/core/internal/explain/reasons";

// LIBSVM models

export { exportLibsvm, importLibsvm } from "@vouch/core/internal/train/libsvm";

// Threads, errors and number formats

export { limitMemory } from "@vouch/core/internal/runtime/memory-limit";
export type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
export { inlineExecutor } from "@vouch/core/internal/runtime/parallel/inline";
export type { Progress, Run } from "@vouch/core/internal/runtime/parallel/run";
export { type ThreadExecutor, threadExecutor } from "@vouch/core/internal/runtime/parallel/threads";
export {
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
} from "@vouch/core/internal/runtime/text/number-format";
export { type ErrorCode, VouchError } from "@vouch/core/internal/runtime/vouch-error";
