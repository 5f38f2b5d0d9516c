/**
 * Train a classifier on a table, choose among learners, predict, and certify the error on new data, in Node and in browsers.
 *
 * @packageDocumentation
 */
export * from "./train-entry.js";

// Learners

export { type AdaBoostModel, adaboost } from "./learners/adaboost/adaboost.js";
export { type BoostedTreesModel, boostedTrees } from "./learners/boosted-trees/boosted-trees.js";
export { fitEachGamma } from "./learners/cascade/cascade-learner.js";
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

export { type CascadeModel, cascadeBound, leafOf } from "./learners/cascade/cascade-model.js";
export type { DeepForestModel } from "./learners/deep-forest/deep-forests.js";
export type { ForestModel } from "./learners/forest/forest.js";
export { hierarchyPaths, type RelaxedHierarchyModel } from "./learners/hierarchy/relaxed-hierarchy.js";
export type { MulticlassModel } from "./learners/multiclass/multiclass.js";
export type { NetworkModel } from "./learners/net/network.js";

// Parts of models

export type { StumpRule } from "./learners/adaboost/stump-voters.js";
export type { CascadeLevel } from "./learners/cascade/cascade-level.js";
export type { FittedModel } from "./learners/frame.js";
export type { HierarchyNode, NodeVisit, RowPaths } from "./learners/hierarchy/graph.js";
export type { KernelExpansion } from "./learners/kernel/kernel-expansion.js";
export type { BinaryMachines } from "./learners/multiclass/machines.js";
export type { Convergence } from "./learners/svm/convergence.js";
export type { OneVsOne } from "./learners/svm/pair-machines.js";
export type { TreeSet } from "./learners/tree/tree-set.js";
export type { Part, PartsOf } from "./runtime/parts.js";

// LIBSVM models

export {
  exportLibsvm,
  importLibsvm,
  type LibsvmImportOptions,
  libsvmLabels,
  libsvmRows,
} from "./train/libsvm.js";

// Also here

export type { BinnedFeature } from "./encode/binned-columns.js";
export type { Hyperplanes } from "./learners/linear/hyperplanes.js";
export type { NetworkWeights } from "./learners/net/network-weights.js";
