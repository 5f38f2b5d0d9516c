import { type Compared, type Comparison, type Labelled, majority, Table } from "vouch";
import { certificate } from "../../views/test/example-card.js";

const common = { learner: majority(), seconds: { fit: 0.0021, row: 3e-6 }, bytes: 4000 };

const [best, ...others]: readonly Compared[] = [
  {
    name: "forest",
    errors: [0.1, 0.2, 0.15],
    mean: 0.15,
    sd: 0.05,
    metric: { name: "error", values: [0.1, 0.2, 0.15], mean: 0.15, sd: 0.05 },
    gain: 0.45,
    pBaseline: 0.004,
    ...common,
    heldOut: { rows: 30, errors: 5 },
    certificate: certificate({ value: 0.31 }),
  },
  {
    name: "svm C=10",
    errors: [0.2, 0.2, 0.2],
    mean: 0.2,
    sd: 0,
    metric: { name: "error", values: [0.2, 0.2, 0.2], mean: 0.2, sd: 0 },
    p: 0.4,
    gain: 0.4,
    pBaseline: 0.01,
    ...common,
  },
  {
    name: "stump",
    errors: [0.5, 0.5, 0.53],
    mean: 0.51,
    sd: 0.017,
    metric: { name: "error", values: [0.5, 0.5, 0.53], mean: 0.51, sd: 0.017 },
    p: 0.0002,
    gain: 0.09,
    pBaseline: 0.07,
    ...common,
  },
];

/** The best learner of the comparison. */
export { best };

/** A comparison with everything its report can show. */
export const comparison: Comparison = {
  objective: { metric: "error" },
  compared: [best, ...others],
  baseline: {
    class: "x",
    index: 0,
    shares: [0.4, 0.3, 0.3],
    errors: [0.6, 0.6, 0.6],
    mean: 0.6,
    sd: 0,
    metric: { name: "error", values: [0.6, 0.6, 0.6], mean: 0.6, sd: 0 },
  },
  outOfTime: [
    { name: "mlp", folds: 2, error: 0.14 },
    { name: "dbn", folds: 0 },
  ],
  secondsForAll: 90,
  failed: [{ name: "deep-cascade-svm", reason: "It takes two classes." }],
  folds: 3,
  notices: ["1 column dropped."],
};

/** Rows of three classes with four numeric columns and two missing cells. */
export function comparedRows(name = "flowers.csv"): Labelled {
  const whole = Float64Array.from({ length: 120 }, (_, i) => i);
  const gaps = whole.map((value) => (value < 2 ? Number.NaN : value));
  const features = Table.fromColumns(name, { a: gaps, b: whole, c: whole, d: whole });
  return { target: "label", classes: ["x", "y", "z"], labels: new Int32Array(120), features, notices: [] };
}
