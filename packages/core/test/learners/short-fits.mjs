/** Options of learners whose defaults take long; all others are quick with their defaults. */
export const QUICK_OPTIONS = {
  "deep-cascade": { maxDepth: 2, gammas: [0.01], fractions: [0.5], cGrid: [1] },
  "deep-cascade-svm": { maxDepth: 2, gammas: [0.01], fractions: [0.5], cGrid: [1] },
  "deep-cascade-perceptron": { maxDepth: 2, gammas: [0.01], fractions: [0.5] },
  "cascade-forest": { trees: 10, layers: 2 },
  gcforest: { trees: 10, layers: 2 },
  mddf: { trees: 10, layers: 2 },
  ensemble: {
    members: ["logistic", { learner: "forest", options: { trees: 5 } }, "linear-svm", "tree"],
    folds: 2,
  },
};

/** Further options, which keep fits of a few hundred rows short. */
const FEWER_STEPS = {
  adaboost: { rounds: 20 },
  forest: { trees: 40 },
  "random-trees": { trees: 40 },
  "boosted-trees": { rounds: 20 },
  mlp: { epochs: 3 },
  sae: { epochs: 3, pretrainEpochs: 2 },
  dbn: { epochs: 3, pretrainEpochs: 2 },
  "relaxed-hierarchy": { rho: 0.2 },
};

/** Returns options of a learner that fit a few hundred rows in a fraction of a second. */
export function shortOptions(learner) {
  return { ...QUICK_OPTIONS[learner], ...FEWER_STEPS[learner] };
}

/** Wraps a pool so that all work runs on its threads, however little the work is. */
export function sendingAll(pool) {
  return {
    threads: pool.threads,
    map: (task, inputs, { milliseconds: _, ...options } = {}) => pool.map(task, inputs, options),
    close: () => pool.close(),
  };
}
