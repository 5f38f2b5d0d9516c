import { listLearners } from "./registry.js";

/**
 * Every learner of the library, simplest first: its name and the module that defines it. A module is loaded when its learner
 * is needed. To add a learner, write its file and add a line here.
 */
listLearners({
  majority: async () => (await import("./majority/majority.js")).majority,
  stump: async () => (await import("./stump/stump.js")).stump,
  adaboost: async () => (await import("./adaboost/adaboost.js")).adaboostKind,
  perceptron: async () => (await import("./perceptron/perceptron.js")).perceptron,
  "linear-svm": async () => (await import("./linear/linear-svm.js")).linearSvm,
  svm: async () => (await import("./svm/svm.js")).svm,
  "relaxed-hierarchy": async () => (await import("./hierarchy/relaxed-hierarchy.js")).relaxedHierarchyKind,
  forest: async () => (await import("./forest/forest.js")).forestKind,
  "random-trees": async () => (await import("./forest/forest.js")).randomTreesKind,
  "boosted-trees": async () => (await import("./boosted-trees/boosted-trees.js")).boostedTreesKind,
  mlp: async () => (await import("./net/mlp.js")).mlpKind,
  sae: async () => (await import("./net/sae.js")).saeKind,
  dbn: async () => (await import("./net/dbn.js")).dbnKind,
  "deep-cascade": async () => (await import("./cascade/deep-cascade.js")).deepCascadeKind,
  "deep-cascade-perceptron": async () =>
    (await import("./cascade/kernel-cascades.js")).deepCascadePerceptronKind,
  "deep-cascade-svm": async () => (await import("./cascade/kernel-cascades.js")).deepCascadeSvmKind,
  "cascade-forest": async () => (await import("./deep-forest/deep-forests.js")).cascadeForestKind,
  gcforest: async () => (await import("./deep-forest/deep-forests.js")).gcForestKind,
  mddf: async () => (await import("./deep-forest/deep-forests.js")).mddfKind,
  "one-vs-one": async () => (await import("./multiclass/multiclass.js")).oneVsOneKind,
  "one-vs-rest": async () => (await import("./multiclass/multiclass.js")).oneVsRestKind,
  "dag-svm": async () => (await import("./multiclass/multiclass.js")).dagSvmKind,
});

export {
  allLearners,
  createLearner,
  isLearnerName,
  isLoaded,
  isPortable,
  learnerNamed,
  learnerNames,
  loadedLearner,
  withLearners,
} from "./registry.js";
