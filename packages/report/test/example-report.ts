import type { DescriptionSection, TreeLeaf } from "@vouch/core/internal/learners/description";
import type { TrainedCard } from "@vouch/core/internal/train/card";
import { predictionFacts, type TrainingFacts } from "@vouch/views/facts";
import type { Predictions } from "vouch";
import { Matrix } from "vouch/extend";
import { bareCard, certificate, verdict } from "../../views/test/example-card.js";

/** A training with nothing optional: no held-out rows, no certificate, no figure data. */
export const bareReport: TrainingFacts = {
  reading: [],
  title: "AdaBoost",
  card: bareCard,
  decision: { rule: { kind: "model" } },
  certificates: [],
  measuredOn: "training",
  evaluation: {
    rows: 10,
    error: 0.5,
    accuracy: 0.5,
    balancedAccuracy: 0.5,
    macroF1: 0.33,
    confusion: { classes: [], matrix: [] },
  },
  predictions: {},
  description: { facts: [], sections: [] },
  importance: {
    metric: "error",
    loss: 0.5,
    features: [],
    rows: 10,
    allRows: 10,
    repeats: 5,
    slow: false,
    on: "training",
  },
  examples: [],
  wrong: { total: 0, scoring: "probability", rows: [] },
  fields: [],
  data: { rows: 10, features: 2, classes: [], columns: {}, missingCells: 0 },
  fingerprint: "0123456789abcdef",
};

export function leaf(rows: number, label = "polynomial kernel of degree 2"): TreeLeaf {
  return {
    kind: "leaf",
    label,
    rows,
    facts: [
      { name: "right", value: rows - 1 },
      { name: "wrong", value: 1 },
    ],
  };
}

/** One section of each kind. */
const sections: readonly DescriptionSection[] = [
  {
    kind: "tree",
    title: "cascade",
    root: {
      kind: "split",
      condition: "distance ≤ 0.76",
      rows: 600,
      facts: [{ name: "fraction passed on", value: 0.6, unit: "share" }],
      branches: [
        { outcome: "stays", node: leaf(240) },
        { outcome: "goes on", node: leaf(360, "polynomial kernel of degree 3") },
      ],
    },
  },
  {
    kind: "layers",
    title: "margins from layer to layer",
    layers: [
      {
        name: "layer 1",
        members: ["forest", "random-trees"],
        alpha: 1,
        outOfFoldAccuracy: 0.9,
        margins: { mean: 0.25, variance: 0.25, ratio: 2, quantiles: [-0.5, 0, 0.5, 1] },
      },
      {
        name: "layer 2",
        members: ["forest", "random-trees"],
        alpha: 0.5,
        outOfFoldAccuracy: 0.95,
        margins: { mean: 0.5, variance: 0.14, ratio: 0.75, quantiles: [0, 0.5, 0.5, 1] },
      },
    ],
  },
  {
    kind: "curve",
    title: "training error",
    step: "round",
    quantity: "error",
    series: [
      { role: "train", name: "training rows", values: [0.08, 0.04, 0] },
      { role: "bound", name: "bound of Theorem 3.1", values: [1.2, 0.6, 0.3] },
    ],
  },
  {
    kind: "table",
    title: "rules",
    columns: [{ name: "condition" }, { name: "weighted error", unit: "share" }],
    rows: [["size ≤ 2.5", 0.04]],
  },
  {
    kind: "importance",
    title: "feature importance",
    features: [
      { name: "shape", share: 0.75 },
      { name: "size", share: 0.25 },
    ],
  },
];

const objective: NonNullable<TrainedCard["objective"]> = {
  metric: "cost",
  costs: [
    [0, 1],
    [5, 0],
  ],
  positive: 1,
};

const decision: TrainingFacts["decision"] = {
  rule: { kind: "threshold", class: 1, at: 1 / 6 },
  abstention: {
    threshold: 0.7,
    asked: 0.02,
    target: 0.02,
    confidence: 0.95,
    thresholds: 20,
    counts: { rows: 140, answered: 110, errors: 0 },
  },
  sets: {
    asked: 0.95,
    level: 0.95,
    confidence: 0.95,
    perClass: false,
    limits: [{ probability: 0.25, rows: 140, misses: 2 }],
    meanSize: 1.25,
  },
};

/** The predictions behind the full report. */
export const predicted: Predictions = {
  classes: ["benign", "malignant"],
  labels: Int32Array.of(0, 0, 1, 1),
  predictions: Int32Array.of(0, 1, 0, 1),
  scores: Matrix.from([
    [0.9, 0.1],
    [0.4, 0.6],
    [0.7, 0.3],
    [0.2, 0.8],
  ]),
  scoring: "probability",
};

/** A training with everything a report can show. */
export const fullReport: TrainingFacts = {
  ...bareReport,
  card: {
    ...bareCard,
    learner: "adaboost",
    options: { rounds: 200, weights: null },
    seed: 1,
    data: { name: "breastcancer", rows: 559, features: 9, classes: 2 },
    error: { train: 0, test: 5 / 140, folds: [0.03, 0.04, 0.05] },
    heldOut: { rows: 140, errors: 5 },
    split: { drawn: "random" },
    objective,
    calibration: { method: "isotonic", rows: 559, from: "folds" },
    verdict: verdict({
      objective: { metric: "cost", model: 17 / 140, baseline: 92 / 140, gain: 75 / 140, p: 1e-6 },
    }),
    margins: [-0.1, 0.2, 0.2, 0.7],
    notices: ["1 identifier column dropped."],
    choice: {
      among: 3,
      candidates: [
        { name: "adaboost", error: 0.04, metric: 0.12, rounds: 5, rows: 400, fate: "finished" },
        { name: "svm", error: 0.08, metric: 0.2, rounds: 1, rows: 400, fate: "behind" },
        { name: "forest", error: 0, metric: 0, rounds: 0, rows: 400, fate: "not tried" },
      ],
    },
  },
  decision,
  certificates: [
    certificate(),
    certificate({ name: "cost", measure: "cost", value: 0.25, statement: "The mean cost is at most 0.25." }),
    certificate({ name: "held-out-hoeffding", value: 0.14, statement: "At most 14%." }),
    certificate({ name: "vacuous", value: Number.POSITIVE_INFINITY, reason: "Too few rows." }),
  ],
  measuredOn: "held-out",
  evaluation: {
    rows: 140,
    error: 5 / 140,
    accuracy: 135 / 140,
    balancedAccuracy: 0.9587,
    macroF1: 0.9604,
    auc: 0.99214,
    logLoss: 0.134,
    confusion: {
      classes: ["benign", "malignant"],
      matrix: [
        [90, 2],
        [3, 45],
      ],
    },
  },
  predictions: predictionFacts(predicted, decision, objective),
  logLoss: { before: 0.2, after: 0.134 },
  margins: Float64Array.of(-0.5, 0, 0.5, 1),
  description: { facts: [{ name: "rounds", value: 200 }], sections },
  importance: {
    metric: "error",
    loss: 0.04,
    features: [
      { feature: "size", mean: 0.01, se: 0.002, sd: 0.002, p: 1e-5, matters: true },
      { feature: "shape", mean: 0.125, se: 0.01, sd: 0.01, p: 1e-9, matters: true },
      { feature: "colour", mean: -0.005, se: 0.001, sd: 0.001, p: 1, matters: false },
    ],
    rows: 140,
    allRows: 140,
    repeats: 5,
    slow: false,
    on: "held-out",
  },
  effects: {
    texts: [],
    effects: [
      {
        column: "shape",
        kind: "numeric",
        points: [1, 2, 3].map((value) => ({ value, scores: [1 - value / 4, value / 4], se: [0.02, 0.02] })),
      },
      {
        column: "colour",
        kind: "categorical",
        points: ["red", "blue"].map((value, i) => ({
          value,
          scores: [0.5 - i / 9, 0.5 + i / 9],
          se: [0, 0],
        })),
      },
    ],
    classes: ["benign", "malignant"],
    shown: [1],
    scoring: "probability",
  },
  wrong: {
    total: 5,
    scoring: "probability",
    rows: [
      {
        row: 17,
        actual: "benign",
        predicted: "malignant",
        score: 0.96,
        cells: { shape: "9", colour: "red" },
      },
    ],
  },
  fields: [
    { name: "shape", kind: "numeric", range: [1, 10], typical: "3" },
    { name: "colour", kind: "categorical", levels: ["red", "blue"], typical: "red" },
  ],
  examples: [
    {
      chosenAs: "confident and wrong",
      row: 17,
      actual: "benign",
      reasons: {
        of: "malignant",
        unit: "share of votes",
        base: 0.35,
        score: 0.8,
        reasons: [
          { column: "shape", value: "9", contribution: 0.5 },
          { column: "colour", value: "red", contribution: -0.05 },
        ],
      },
    },
  ],
  data: {
    rows: 559,
    features: 9,
    classes: [
      { name: "benign", count: 366 },
      { name: "malignant", count: 193 },
    ],
    columns: { numeric: 9 },
    missingCells: 13,
  },
  command: "vouch train breastcancer --learner adaboost --holdout 0.2 --seed 1",
};
