/**
 * Train a classifier on a table, choose among several, predict, and certify the error on new data: what programs need, in
 * Node and in browsers.
 *
 * @packageDocumentation
 */

// Tables and labels

export { identifierColumns } from "./data/identifier-columns.js";
export type { Cell, DeclaredKinds } from "./data/raw-cells.js";
export type { ColumnSchema, Schema } from "./data/schema.js";
export { holdout, type Split } from "./data/splits.js";
export {
  type CategoricalColumn,
  type Column,
  type NumericColumn,
  type NumericValues,
  Table,
} from "./data/table.js";
export {
  chooseTarget,
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  selectRows,
} from "./data/target.js";

// Learners

export { boostedTrees } from "./boosted-trees/index.js";
export { adaboost } from "./boosting/index.js";
export { type CascadeLearner, deepCascade, deepCascadePerceptron, deepCascadeSvm } from "./cascade/index.js";
export type { DeepForestLearner } from "./deepforest/index.js";
export { forest, randomTrees } from "./forest/index.js";
export { relaxedHierarchy } from "./hierarchy/index.js";
export type { Learner, LearnerDefinition } from "./learning/learner.js";
export {
  cascadeForest,
  dagSvm,
  gcForest,
  learnerNamed,
  learners,
  mddf,
  oneVsOne,
  oneVsRest,
} from "./learning/registry.js";
export { linearSvm } from "./linear-svm/index.js";
export { majority } from "./majority/index.js";
export type { MulticlassLearner } from "./multiclass/index.js";
export { dbn, mlp, sae } from "./net/index.js";
export { perceptron } from "./perceptron/index.js";
export { stump } from "./stump/index.js";
export { svm } from "./svm/index.js";

// Models

export { BoostedTreesModel } from "./boosted-trees/index.js";
export { AdaBoostModel, AdaBoostTreesModel, type CommitteeModel } from "./boosting/index.js";
export { CascadeModel } from "./cascade/index.js";
export { DeepForestModel } from "./deepforest/index.js";
export { ForestModel } from "./forest/index.js";
export { RelaxedHierarchyModel } from "./hierarchy/index.js";
export type { Model } from "./learning/model.js";
export { LinearSvmModel } from "./linear-svm/index.js";
export { MajorityModel } from "./majority/index.js";
export { MulticlassModel } from "./multiclass/index.js";
export { NetworkModel } from "./net/index.js";
export { PerceptronModel } from "./perceptron/index.js";
export { StumpModel } from "./stump/index.js";
export { SvmModel } from "./svm/index.js";

// Classifiers

export { type Confusion, type Evaluation, evaluate, type Predictions } from "./data/metrics.js";
export {
  type FeatureGroup,
  type FeatureImportance,
  featuresByColumn,
  type PermutationImportance,
  type PermutationOptions,
  permutationImportance,
} from "./learning/permutation-importance.js";
export type { Card, TrainedCard } from "./model/card.js";
export { Classifier } from "./model/classifier.js";
export {
  exportLibsvm,
  importLibsvm,
  type LibsvmImportOptions,
  libsvmLabels,
  libsvmRows,
} from "./model/libsvm.js";
export { deserialise, type LoadOptions, serialise } from "./model/save.js";
export { type Training, type TrainOptions, trainClassifier } from "./model/train.js";
export { VERSION } from "./model/version.js";

// Certificates

export type { Certificate, Premise } from "./bounds/certificate.js";
export { type CertifyOptions, certify } from "./bounds/certify.js";
export type { HeldOut } from "./bounds/held-out.js";
export { heldOutTest } from "./model/held-out-test.js";

// Choosing and comparing

export { agreementInWords, choiceOf } from "./selection/agreement.js";
export {
  byCrossValidation,
  byRacing,
  type Candidate,
  type Choice,
  type LearnerChoice,
} from "./selection/choose-learner.js";
export { type Compared, type CompareOptions, type Comparison, compare } from "./selection/compare.js";
export { criteria, criterionNamed } from "./selection/criteria.js";
export {
  type CrossValidateOptions,
  type CrossValidation,
  crossValidate,
} from "./selection/cross-validate.js";
export type { RaceOptions } from "./selection/race.js";
export {
  type Ranking,
  type Selection,
  type SelectOptions,
  select,
} from "./selection/select.js";
export { usualCandidates } from "./selection/usual-candidates.js";

// Threads, errors, numbers as people read them

export { type ErrorCode, VouchError } from "./error.js";
export type { Progress, Run } from "./learning/run.js";
export {
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
} from "./number-format.js";
export type { Executor } from "./parallel/executor.js";
export { inlineExecutor } from "./parallel/inline.js";
export { hardwareThreads } from "./parallel/platform.js";
export { type ThreadExecutor, threadExecutor } from "./parallel/threads.js";
export type { Json } from "./state/state.js";

// Also here

export type { BinnedColumns } from "./data/binned-columns.js";
export type { Encoder } from "./data/encoder.js";
export type { Features, Sample } from "./data/sample.js";
export type { Matrix } from "./numeric/matrix.js";
export type { SparseRows } from "./numeric/sparse-rows.js";
export type { Criterion } from "./selection/criterion.js";
