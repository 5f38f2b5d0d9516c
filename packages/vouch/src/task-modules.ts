/** Makes learners known by name, too, for tasks that get a learner or a model in their input. */
async function alsoLearners(module: Promise<unknown>): Promise<void> {
  await Promise.all([import("./learners/index.js"), module]);
}

/** The module of each task of the library. A thread loads the modules of the tasks that it runs, and nothing else. */
export const taskModules: Readonly<Record<string, () => Promise<unknown>>> = {
  "runtime/gram": () => import("./runtime/gram.js"),
  "table/row-hashes": () => import("./table/row-hashes.js"),
  "table/repeated-rows": () => import("./table/repeated-rows.js"),
  "table/column-profile": () => import("./table/column-profile.js"),
  "encode/cut-points": () => import("./encode/cut-points.js"),
  "encode/moments": () => import("./encode/moments.js"),
  "encode/write-bins": () => import("./encode/bin-search.js"),
  "encode/write-matrix": () => import("./encode/write-matrix.js"),
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
  "svm/evaluate-pairs": () => import("./learners/svm/evaluate-pairs.js"),
  "relaxed-hierarchy/train-node": () => import("./learners/hierarchy/grow.js"),
  "relaxed-hierarchy/search": () => import("./learners/hierarchy/search.js"),
  "cascade/fit-leaf": () => import("./learners/cascade/generic-nodes.js"),
  "cascade/fold-errors": () => import("./learners/cascade/node-machine.js"),
  "cascade/train-nodes": () => import("./learners/cascade/kernel-nodes.js"),
  "cascade/train-generic-nodes": () => import("./learners/cascade/generic-nodes.js"),
  "cascade/train-machine": () => import("./learners/cascade/kernel-nodes.js"),
  "multiclass/fit-machine": () => alsoLearners(import("./learners/multiclass/fit-machines.js")),
  "evaluate/calibration-losses": () => import("./evaluate/fit-calibrator.js"),
  "evaluate/trial": () => alsoLearners(import("./evaluate/run-trials.js")),
  "evaluate/permuted-losses": () => alsoLearners(import("./evaluate/permutation-importance.js")),
  "evaluate/shapley-values": () => alsoLearners(import("./evaluate/shapley-values.js")),
};
