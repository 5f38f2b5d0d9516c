import fc from "fast-check";
import { createLearner, Table, trainClassifier } from "vouch";
import { Random } from "vouch/extend";
import { exporters } from "../../dist/exporters.js";

/** Options of each learner that are drawn at random, and those that keep fits short. */
const OPTIONS = {
  tree: { prune: ["cross-validation", "none", 0.01], criterion: ["gini", "entropy"] },
  adaboost: { rounds: [1, 5, 20], weakLearner: ["stump", "tree"], depth: [1, 3] },
  perceptron: { kernel: ["linear", "polynomial", "rbf"], averaged: [false, true] },
  "linear-svm": { loss: ["hinge", "squared-hinge"], bias: [0, 1], standardise: [true, false] },
  logistic: {
    penalty: ["elastic-net", "none"],
    l1Ratio: [0, 0.5, 1],
    standardise: [true, false],
    maxIterations: [100],
  },
  svm: {
    kernel: ["linear", "polynomial", "rbf"],
    C: [0.1, 1, 10],
    probability: [false, true],
    scaling: ["auto"],
  },
  "relaxed-hierarchy": { kernel: ["linear", "rbf", "polynomial"], rho: [0.3, 0.6, 0.9] },
  forest: { trees: [1, 5, 30], maxDepth: [2, "unlimited"], minLeafRows: [1, 5] },
  "random-trees": { trees: [1, 5, 30], minLeafRows: [1, 5] },
  "boosted-trees": { rounds: [1, 5, 30], maxDepth: [1, 3, 6], learningRate: [0.1, 1] },
  mlp: {
    layers: [[4], [8, 5]],
    epochs: [3],
    activation: ["relu", "tanh", "sigmoid"],
    output: ["auto", "softmax"],
  },
  sae: { layers: [[6]], epochs: [3], pretrainEpochs: [1] },
  dbn: { layers: [[6]], epochs: [3], pretrainEpochs: [1] },
  "deep-cascade": {
    maxDepth: [2, 3],
    gammas: [[0.01]],
    fractions: [[0.5]],
    cGrid: [[1]],
    leaves: [
      ["constant", "threshold-1"],
      ["threshold-2", "kernel-1", "kernel-2"],
      ["constant", "rbf"],
      ["base"],
    ],
    base: ["logistic", "tree", "forest"],
    topology: ["chain", "tree"],
  },
  "deep-cascade-svm": { maxDepth: [2, 3], gammas: [[0.01]], fractions: [[0.5]], cGrid: [[1]] },
  "deep-cascade-perceptron": { maxDepth: [2, 3], gammas: [[0.01]], fractions: [[0.5]] },
  "cascade-forest": {
    trees: [3, 10],
    layers: [1, 2, 3],
    estimators: [[], ["forest", "logistic"], ["logistic", "tree"]],
  },
  gcforest: { trees: [3, 10], layers: [1, 2], scanTrees: [3] },
  mddf: { trees: [3, 10], layers: [1, 2, 3], variant: ["full", "NP", "ST", "SF"] },
  "one-vs-one": { base: ["svm", "logistic", "boosted-trees", "mlp", "stump", "perceptron", "forest"] },
  "one-vs-rest": { base: ["svm", "logistic", "linear-svm", "tree", "adaboost"] },
  "dag-svm": { base: ["svm", "logistic", "forest", "stump"] },
  ensemble: {
    members: [
      ["logistic", { learner: "forest", options: { trees: 5 } }, "linear-svm", "tree"],
      ["majority", { learner: "boosted-trees", options: { rounds: 5 } }, "svm"],
    ],
    folds: [2],
    combine: ["average", "log-linear"],
  },
};

/** Options of base learners that keep fits short. */
const BASE_OPTIONS = {
  "boosted-trees": { rounds: 4 },
  forest: { trees: 5 },
  mlp: { epochs: 2, layers: [4] },
  adaboost: { rounds: 4 },
};

const columnKinds = [
  "number",
  "whole number",
  "mostly zero",
  "category",
  "two categories",
  "numbered category",
  "many categories",
  "date",
];

/** Descriptions of random classifiers: data, learner, options and decisions. */
export const modelSpecs = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  learner: fc.constantFrom(...Object.keys(exporters)),
  classes: fc.constantFrom(2, 2, 3, 5),
  rows: fc.integer({ min: 60, max: 140 }),
  columns: fc.array(fc.constantFrom(...columnKinds), { minLength: 1, maxLength: 6 }),
  missing: fc.constantFrom(0, 0.1, 0.4),
  decision: fc.constantFrom(
    "plain",
    "plain",
    "uncalibrated",
    "balanced-error",
    "costs",
    "abstain",
    "sets",
    "class weights",
  ),
});

/**
 * Trains the classifier of a description. Returns it with new rows: missing cells, unseen levels, numbers
 * far away.
 */
export async function randomClassifier(spec) {
  const random = new Random(spec.seed);
  const table = randomTable(spec, spec.rows, random, { fresh: false });
  const options = learnerOptions(spec, random);
  const learner = await createLearner(spec.learner, options);
  const { classifier } = await trainClassifier(table, learner, {
    target: "class",
    run: { seed: spec.seed % 1000 },
    ...decisionOptions(spec),
  });
  return {
    classifier,
    tolerance: toleranceOf(spec, options),
    rows: randomTable(spec, 60, random, { fresh: true }),
  };
}

/**
 * Returns how much scores may differ. Networks compute in single precision, and without a penalty the weights of logistic
 * regression can be so large that their sums cancel.
 */
function toleranceOf({ learner }, { base, penalty }) {
  if (["mlp", "sae", "dbn"].some((name) => name === learner || name === base)) return 1e-5;
  return penalty === "none" ? 1e-6 : 1e-9;
}

function learnerOptions({ learner, classes, columns }, random) {
  const pick = (list) => list[random.integer(list.length)];
  const given = Object.entries(OPTIONS[learner] ?? {}).map(([name, values]) => [name, pick(values)]);
  const options = Object.fromEntries(given);
  if (learner === "svm") delete options.scaling;
  if (learner === "gcforest") options.shape = [columns.length];
  if (learner === "mlp" && options.output === "softmax" && classes === 2 && random.uniform() < 0.5)
    options.output = "auto";
  if (["one-vs-one", "one-vs-rest", "dag-svm"].includes(learner))
    options.baseOptions = BASE_OPTIONS[options.base] ?? {};
  if (learner === "deep-cascade") {
    if (options.leaves[0] !== "base") delete options.base;
    else options.baseOptions = BASE_OPTIONS[options.base] ?? {};
  }
  return options;
}

function decisionOptions({ decision, classes }) {
  const names = Array.from({ length: classes }, (_, k) => className(k));
  switch (decision) {
    case "uncalibrated":
      return { calibrate: false };
    case "balanced-error":
      return { metric: "balanced-error" };
    case "costs":
      return { costs: { [names[0]]: { [names[1]]: 5 } } };
    case "abstain":
      return { holdout: 0.3, abstain: 0.3 };
    case "sets":
      return { holdout: 0.3, sets: 0.7 };
    case "class weights":
      return { classWeights: "balanced" };
    default:
      return {};
  }
}

const className = (k) => ["no", "yes", "perhaps", "1", "2.50"][k];

function randomTable({ classes, columns, missing }, rows, random, { fresh }) {
  const records = Array.from({ length: rows }, () => {
    const k = random.integer(classes);
    const cells = columns.map((kind, j) => {
      const isMissing = random.uniform() < (fresh ? Math.max(missing, 0.05) : missing);
      return [`${kind} ${j}`, isMissing ? null : cell(kind, k, random, fresh)];
    });
    return {
      ...Object.fromEntries(cells),
      class: className(random.uniform() < 0.15 ? random.integer(classes) : k),
    };
  });
  return Table.fromRecords("random rows", records);
}

function cell(kind, k, random, fresh) {
  const isOdd = fresh && random.uniform() < 0.1;
  const level = (count) => (random.uniform() < 0.5 ? (k * 2) % count : random.integer(count));
  switch (kind) {
    case "number":
      return isOdd ? (random.uniform() - 0.5) * 10 ** random.integer(20) : random.normal() + 1.5 * k;
    case "whole number":
      return random.integer(4) + k;
    case "mostly zero":
      return random.uniform() < 0.7 ? 0 : random.uniform() + k;
    case "category":
      return isOdd ? "unseen" : `level ${level(4)}`;
    case "two categories":
      return isOdd ? "unseen" : ["left", "right"][level(2)];
    case "numbered category": {
      const value = level(4);
      if (!fresh) return ["1", "2", "3.5", "other"][value];
      return [
        ["1", "1.0", "+1"],
        ["2", "02", "2e0"],
        ["3.5", "3.50"],
        ["other", "4", "Other"],
      ][value][random.integer(2)];
    }
    case "many categories":
      return isOdd ? `code ${900 + random.integer(50)}` : `code ${level(30)}`;
    case "date": {
      const day = Math.floor(random.uniform() * 3000) + 200 * k;
      const hours = random.integer(24);
      return new Date(Date.UTC(2001, 0, 1) + day * 86_400_000 + hours * 3_600_000).toISOString();
    }
    default:
      throw new TypeError(kind);
  }
}
