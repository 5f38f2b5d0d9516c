import { listLearners } from "./registry.js";

/**
 * Every learner of the library, simplest first: its name and the module that defines it. A module is loaded when its learner
 * is needed. To add a learner, write its file and add a line here.
 */
listLearners({
  majority: async () => (await import("./majority/majority.js")).majority,
  stump: async () => (await import("./stump/stump.js")).stump,
  tree: async () => (await import("./tree/tree.js")).tree,
  adaboost: async () => (await import("./adaboost/adaboost.js")).adaboost,
  perceptron: async () => (await import("./perceptron/perceptron.js")).perceptron,
  "linear-svm": async () => (await import("./linear/linear-svm.js")).linearSvm,
  logistic: async () => (await import("./logistic/logistic.js")).logistic,
  svm: async () => (await import("./svm/svm.js")).svm,
  "relaxed-hierarchy": async () => (await import("./hierarchy/relaxed-hierarchy.js")).relaxedHierarchy,
  forest: async () => (await import("./forest/forest.js")).forest,
  "random-trees": async () => (await import("./forest/forest.js")).randomTrees,
  "boosted-trees": async () => (await import("./boosted-trees/boosted-trees.js")).boostedTrees,
  mlp: async () => (await import("./net/mlp.js")).mlp,
  sae: async () => (await import("./net/sae.js")).sae,
  dbn: async () => (await import("./net/dbn.js")).dbn,
  "deep-cascade": async () => (await import("./cascade/deep-cascade.js")).deepCascade,
  "deep-cascade-perceptron": async () => (await import("./cascade/kernel-cascades.js")).deepCascadePerceptron,
  "deep-cascade-svm": async () => (await import("./cascade/kernel-cascades.js")).deepCascadeSvm,
  "cascade-forest": async () => (await import("./deep-forest/deep-forests.js")).cascadeForest,
  gcforest: async () => (await import("./deep-forest/deep-forests.js")).gcForest,
  mddf: async () => (await import("./deep-forest/deep-forests.js")).mddf,
  "one-vs-one": async () => (await import("./multiclass/multiclass.js")).oneVsOne,
  "one-vs-rest": async () => (await import("./multiclass/multiclass.js")).oneVsRest,
  "dag-svm": async () => (await import("./multiclass/multiclass.js")).dagSvm,
  ensemble: async () => (await import("./ensemble/ensemble.js")).ensemble,
});

export {
  allLearners,
  candidateLabel,
  candidateTitle,
  createLearner,
  formatSetting,
  isLearnerName,
  isLibraryLearner,
  isLoaded,
  isPortable,
  isPortableLearner,
  learnerLabel,
  learnerNamed,
  learnerNames,
  loadedLearner,
  withLearners,
} from "./registry.js";
