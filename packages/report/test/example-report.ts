import type { TrainingReport } from "@vouch/report";
import type { Certificate } from "vouch";
import { Matrix } from "vouch/learning";

/** A certificate that gives a guarantee, changed as a test needs it. */
export function certificate(changes: Partial<Certificate> = {}): Certificate {
  return {
    name: "held-out-binomial",
    reference: "Clopper and Pearson (1934)",
    value: 0.0736,
    confidence: 0.95,
    holds: true,
    premises: [{ statement: "The rows took no part in training.", holds: true }],
    terms: { errors: 5, rows: 140, delta: 0.05 },
    parts: { "error on held-out rows": 5 / 140, "allowance for chance": 0.0736 - 5 / 140 },
    statement: "With 95 % confidence at most 7.4 % of new cases like these are misclassified.",
    ...changes,
  };
}

/** A run with nothing optional: no held-out rows, no certificate, no figure data. */
export const bareReport: TrainingReport = {
  dataName: "table.csv",
  learner: "majority",
  options: {},
  seed: 0,
  command: "vouch train table.csv --learner majority",
  version: "0.1.0",
  data: { rows: 10, features: 2, classes: [], columns: {}, missingCells: 0 },
  notices: [],
  error: { train: 0.5 },
  metrics: { accuracy: 0.5, balancedAccuracy: 0.5, macroF1: 0.33 },
  measuredOn: "training",
  certificates: [],
};

/** A run with everything a report can show. */
export const fullReport: TrainingReport = {
  ...bareReport,
  dataName: "breastcancer",
  learner: "adaboost",
  options: { rounds: 200, weights: null, missing: undefined },
  seed: 1,
  command: "vouch train breastcancer --learner adaboost --holdout 0.2 --seed 1",
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
  notices: ["Column Id is different in every row and is not used."],
  error: { train: 0, test: 5 / 140, folds: [0.03, 0.04, 0.05] },
  heldOut: { rows: 140, errors: 5 },
  metrics: { accuracy: 135 / 140, balancedAccuracy: 0.9587, macroF1: 0.9604, auc: 0.99214, logLoss: 0.134 },
  measuredOn: "held-out",
  confusion: {
    classes: ["benign", "malignant"],
    matrix: [
      [90, 2],
      [3, 45],
    ],
  },
  predicted: {
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
  },
  fingerprint: "0123456789abcdef",
  margins: { train: [-0.1, 0.2, 0.2, 0.7], test: Float64Array.of(-0.5, 0, 0.5, 1) },
  layerMargins: [
    { name: "Layer 1", mean: 0.25, ratio: 2, quantiles: [-0.5, 0, 0.5, 1] },
    { name: "Layer 2", mean: 0.5, ratio: 0.75, quantiles: [0, 0.5, 0.5, 1] },
  ],
  curve: {
    step: "Round",
    series: [
      { role: "train", name: "Training error", values: [0.08, 0.04, 0] },
      { role: "bound", name: "Bound of Theorem 3.1", values: [1.2, 0.6, 0.3] },
    ],
  },
  certificates: [
    certificate(),
    certificate({ name: "held-out-hoeffding", value: 0.14, statement: "At most 14 %." }),
    certificate({ name: "vacuous", value: Number.POSITIVE_INFINITY, reason: "Too few rows." }),
  ],
  importances: [
    { feature: "size", share: 0.25 },
    { feature: "shape", share: 0.75 },
  ],
  permutation: {
    error: 0.04,
    features: [
      { feature: "size", mean: 0.01, sd: 0.002 },
      { feature: "shape", mean: 0.125, sd: 0.01 },
      { feature: "colour", mean: -0.005, sd: 0.001 },
    ],
    rows: 140,
    allRows: 140,
    repeats: 5,
    slow: false,
    on: "held-out",
  },
  cascade: {
    kind: "gate",
    points: 600,
    question: "distance ≤ 0.76",
    stay: {
      kind: "leaf",
      points: 240,
      classifier: "polynomial of degree 2",
      right: 239,
      wrong: 1,
      pays: "pays 0.4",
    },
    on: {
      kind: "leaf",
      points: 360,
      classifier: "polynomial of degree 3",
      right: 357,
      wrong: 3,
      pays: "pays 0.6",
    },
  },
  tried: [
    { name: "adaboost", error: 0.04, rounds: 5, fate: "chosen" },
    { name: "svm", error: 0.08, rounds: 1, fate: "fell behind" },
    { name: "forest", error: 0, rounds: 0, fate: "not tried" },
  ],
  structure: {
    facts: [{ label: "rounds", value: "200" }],
    lists: [
      {
        name: "rules",
        headings: ["Question", "Error"],
        rows: [["size ≤ 2.5 → benign", { shown: "4.0 %" }]],
        total: 200,
      },
    ],
  },
};
