/** Makes learners known by name, too, for tasks that get a learner or a model in their input. */
async function alsoLearners(module: Promise<unknown>): Promise<void> {
  await Promise.all([import("./learners/index.js"), module]);
}

/** The module of each task of the library. A thread loads the modules of the tasks that it runs, and nothing else. */
export const taskModules: Readonly<Record<string, () => Promise<unknown>>> = {
  "runtime/gram": () => import("./runtime/gram.js"),
  "learners/score-rows": () => alsoLearners(import("./learners/score-rows.js")),
  "kernel/panels": () => import("./learners/kernel/kernel-matrix.js"),
  "stump/prepare": () => import("./learners/stump/prepare-features.js"),
  "stump/bounds": () => import("./learners/stump/split-search.js"),
  "stump/cut": () => import("./learners/stump/split-search.js"),
  "tree/grow": () => import("./learners/tree/grow-and-prune.js"),
  "forest/grow": () => import("./learners/forest/grow-forest.js"),
  "forest/walk": () => import("./learners/forest/forest-scores.js"),
  "boosted-trees/boost": () => import("./learners/boosted-trees/boost.js"),
  "linear-svm/train-class": () => import("./learners/linear/train-classes.js"),
  "logistic/gradient": () => import("./learners/logistic/logistic-loss.js"),
  "logistic/gram": () => import("./learners/logistic/logistic-loss.js"),
  "svm/train-machine": () => import("./learners/svm/train-pairs.js"),
  "relaxed-hierarchy/train-node": () => import("./learners/hierarchy/grow.js"),
  "relaxed-hierarchy/search": () => import("./learners/hierarchy/search.js"),
  "cascade/fit-leaf": () => alsoLearners(import("./learners/cascade/generic-nodes.js")),
  "cascade/train-generic-nodes": () => alsoLearners(import("./learners/cascade/generic-nodes.js")),
  "cascade/fold-errors": () => import("./learners/cascade/node-machine.js"),
  "cascade/train-nodes": () => import("./learners/cascade/kernel-family.js"),
  "cascade/train-machine": () => import("./learners/cascade/kernel-family.js"),
  "multiclass/fit-machine": () => alsoLearners(import("./learners/multiclass/fit-machines.js")),
  "evaluate/trial": () => alsoLearners(import("./evaluate/run-trials.js")),
  "evaluate/permuted-losses": () => alsoLearners(import("./evaluate/permutation-importance.js")),
  "evaluate/shapley-values": () => alsoLearners(import("./evaluate/shapley-values.js")),
};
