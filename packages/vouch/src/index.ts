/**
 * Train a classifier on a table, select among learners, predict, and certify the error on new data, in Node and in browsers.
 *
 * @packageDocumentation
 */
// Tables and labels

export type {
  CategoricalColumn,
  Cell,
  Column,
  DeclaredKinds,
  NumericColumn,
  NumericValues,
} from "./table/column.js";
export { identifierColumns } from "./table/identifier-columns.js";
export type { ColumnSchema, Schema } from "./table/schema.js";
export { holdout, type Split } from "./table/splits.js";
export { Table } from "./table/table.js";
export {
  chooseTarget,
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  selectRows,
} from "./table/target.js";

// Learners

export { adaboost } from "./learners/adaboost/adaboost.js";
export { boostedTrees } from "./learners/boosted-trees/boosted-trees.js";
export type { CascadeLearner } from "./learners/cascade/cascade-learner.js";
export { deepCascade } from "./learners/cascade/deep-cascade.js";
export { deepCascadePerceptron, deepCascadeSvm } from "./learners/cascade/kernel-cascades.js";
export type { DeepForestLearner } from "./learners/deep-forest/deep-forests.js";
export { cascadeForest, gcForest, mddf } from "./learners/deep-forest/deep-forests.js";
export { forest, randomTrees } from "./learners/forest/forest.js";
export { relaxedHierarchy } from "./learners/hierarchy/relaxed-hierarchy.js";
export { allLearners, createLearner, learnerNamed, learnerNames } from "./learners/index.js";
export type { Learner, LearnerKind } from "./learners/learner.js";
export { linearSvm } from "./learners/linear/linear-svm.js";
export { majority } from "./learners/majority/majority.js";
export type { MulticlassLearner } from "./learners/multiclass/multiclass.js";
export { dagSvm, oneVsOne, oneVsRest } from "./learners/multiclass/multiclass.js";
export { dbn } from "./learners/net/dbn.js";
export { mlp } from "./learners/net/mlp.js";
export { sae } from "./learners/net/sae.js";
export { perceptron } from "./learners/perceptron/perceptron.js";
export { stump } from "./learners/stump/stump.js";
export { svm } from "./learners/svm/svm.js";

// Models

export type { CommitteeModel } from "./learners/adaboost/committee.js";
export { AdaBoostModel } from "./learners/adaboost/stump-committee.js";
export { AdaBoostTreesModel } from "./learners/adaboost/tree-committee.js";
export { BoostedTreesModel } from "./learners/boosted-trees/boosted-model.js";
export { CascadeModel } from "./learners/cascade/cascade-model.js";
export { DeepForestModel } from "./learners/deep-forest/deep-forest-model.js";
export { ForestModel } from "./learners/forest/forest-model.js";
export { RelaxedHierarchyModel } from "./learners/hierarchy/hierarchy-model.js";
export { LinearSvmModel } from "./learners/linear/linear-model.js";
export type { Model } from "./learners/model.js";
export { MulticlassModel } from "./learners/multiclass/multiclass-model.js";
export { NetworkModel } from "./learners/net/network-model.js";
export { PerceptronModel } from "./learners/perceptron/perceptron.js";
export { SvmModel } from "./learners/svm/svm-model.js";

// Classifiers

export { type Confusion, type Evaluation, evaluate, type Predictions } from "./evaluate/metrics.js";
export {
  type FeatureGroup,
  type FeatureImportance,
  featuresByColumn,
  type PermutationImportance,
  type PermutationOptions,
  permutationImportance,
} from "./evaluate/permutation-importance.js";
export { type Card, type TrainedCard, VERSION } from "./train/card.js";
export { Classifier, heldOutTest } from "./train/classifier.js";
export {
  exportLibsvm,
  importLibsvm,
  type LibsvmImportOptions,
  libsvmLabels,
  libsvmRows,
} from "./train/libsvm.js";
export { deserialise, type LoadOptions, serialise } from "./train/model-file.js";
export { type Training, type TrainOptions, trainClassifier } from "./train/train.js";

// Certificates

export type { Certificate, Premise } from "./theory/certificate.js";
export type { HeldOut } from "./theory/held-out/held-out.js";
export { type CertifyOptions, certify } from "./train/certify.js";

// Choosing and comparing

export { type CrossValidateOptions, type CrossValidation, crossValidate } from "./evaluate/cross-validate.js";
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
export { criteria, criterionNamed } from "./select/criteria.js";
export type { RaceOptions } from "./select/race.js";
export { type Ranking, type Selection, type SelectOptions, select } from "./select/select.js";

// Threads, errors, numbers as people read them

export type { Executor } from "./runtime/executor.js";
export { inlineExecutor } from "./runtime/inline.js";
export {
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
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
export type { Matrix } from "./runtime/matrix.js";
export type { SparseRows } from "./runtime/sparse-rows.js";
export type { Criterion } from "./select/criterion.js";
