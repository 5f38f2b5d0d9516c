/**
 * Train a classifier on a table, choose among learners, predict, and certify the error on new data, in Node and in browsers.
 *
 * @packageDocumentation
 */
export * from "./train-entry.js";

// Learners

export { type AdaBoostModel, adaboost } from "./learners/adaboost/adaboost.js";
export { type BoostedTreesModel, boostedTrees } from "./learners/boosted-trees/boosted-trees.js";
export { deepCascade } from "./learners/cascade/deep-cascade.js";
export { deepCascadePerceptron, deepCascadeSvm } from "./learners/cascade/kernel-cascades.js";
export { cascadeForest, gcForest, mddf } from "./learners/deep-forest/deep-forests.js";
export { ensemble } from "./learners/ensemble/ensemble.js";
export { forest, randomTrees } from "./learners/forest/forest.js";
export { relaxedHierarchy } from "./learners/hierarchy/relaxed-hierarchy.js";
export { type LinearSvmModel, linearSvm } from "./learners/linear/linear-svm.js";
export { type LogisticModel, logistic } from "./learners/logistic/logistic.js";
export { majority } from "./learners/majority/majority.js";
export { dagSvm, oneVsOne, oneVsRest } from "./learners/multiclass/multiclass.js";
export { dbn } from "./learners/net/dbn.js";
export { mlp } from "./learners/net/mlp.js";
export { sae } from "./learners/net/sae.js";
export { type PerceptronModel, perceptron } from "./learners/perceptron/perceptron.js";
export { stump } from "./learners/stump/stump.js";
export { type SvmModel, svm } from "./learners/svm/svm.js";
export { type TreeModel, tree } from "./learners/tree/tree.js";

// Models

export type { CascadeModel } from "./learners/cascade/cascade-model.js";
export type { DeepForestModel } from "./learners/deep-forest/deep-forests.js";
export type { ForestModel } from "./learners/forest/forest.js";
export type { RelaxedHierarchyModel } from "./learners/hierarchy/relaxed-hierarchy.js";
export type { MulticlassModel } from "./learners/multiclass/multiclass.js";
export type { NetworkModel } from "./learners/net/network.js";

// LIBSVM models

export {
  exportLibsvm,
  importLibsvm,
  type LibsvmImportOptions,
  libsvmLabels,
  libsvmRows,
} from "./train/libsvm.js";
