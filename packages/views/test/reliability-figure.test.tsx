import { describe, expect, it } from "vitest";
import type { Predictions } from "vouch";
import { Matrix } from "vouch/extend";
import { reliabilityFacts } from "#views/facts/evaluation/reliability-facts.js";
import { ReliabilityFigure } from "#views/panels/evaluation/reliability-figure.js";
import { numbers, rendered, textOf } from "./rendered.js";

type CalibrationProps = Parameters<typeof ReliabilityFigure>[0];

function figureOf(rows: Predictions, positive?: number, props: Omit<CalibrationProps, "facts"> = {}) {
  const facts = reliabilityFacts(rows, positive);
  if (!facts) throw new Error("There are no probabilities.");
  return <ReliabilityFigure facts={facts} {...props} />;
}

const predicted: Predictions = {
  classes: ["no", "yes"],
  labels: Int32Array.of(0, 1, 1, 1),
  predictions: Int32Array.of(0, 0, 1, 1),
  scores: Matrix.from([
    [0.75, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.25, 0.75],
  ]),
  scoring: "probability",
};

describe("the figure of calibration", () => {
  it("has a band of each bin, as wide as the bin", () => {
    const [reliability] = rendered(figureOf(predicted)).querySelectorAll("figure svg");
    const widths = numbers(reliability, '[aria-label="rect"] rect', "width");
    expect(widths).toEqual([expect.closeTo(26.4 - 1, 3), expect.closeTo(26.4 - 1, 3)]);
    // Two bins: 97.5% for each. One of two, and two of two: from 0.0125^(1/2) on.
    const heights = numbers(reliability, '[aria-label="rect"] rect', "height");
    expect((heights[1] + 1) / 274).toBeCloseTo(1 - Math.sqrt(0.0125), 3);
  });

  it("draws them in proportion", () => {
    const [reliability] = rendered(figureOf(predicted)).querySelectorAll("figure svg");
    const xs = numbers(reliability, '[aria-label="dot"] circle', "cx");
    const ys = numbers(reliability, '[aria-label="dot"] circle', "cy");
    const frame = { left: 58, right: 340 - 18, top: 12, bottom: 330 - 44 };
    expect(xs.map((x) => (x - frame.left) / (frame.right - frame.left))).toEqual([
      expect.closeTo(0.25, 3),
      expect.closeTo(0.75, 3),
    ]);
    expect(ys.map((y) => (frame.bottom - y) / (frame.bottom - frame.top))).toEqual([
      expect.closeTo(0.5, 3),
      expect.closeTo(1, 3),
    ]);
  });

  it("says how far off the probabilities are, and what is chance", () => {
    // E|X − np| of two rows is 2·1·¾·P(X = 1) = 0.5625 at 25%, and as much at 75%.
    const text = textOf(figureOf(predicted));
    expect(text).toContain("Calibration error 25.0%; 28.1% would be chance.");
    expect(text).toContain("The observed frequencies fit the probabilities");
  });

  it("says which bins are off", () => {
    const rows = 100;
    const off: Predictions = {
      classes: ["no", "yes"],
      labels: new Int32Array(rows),
      predictions: new Int32Array(rows).fill(1),
      scores: new Matrix(
        rows,
        2,
        Float64Array.from({ length: 2 * rows }, (_, i) => (i % 2 ? 0.75 : 0.25)),
      ),
      scoring: "probability",
    };
    expect(textOf(figureOf(off))).toContain("1 of 1 band misses the mean probability (70–80%)");
    expect(textOf(figureOf(off, 0))).toContain("(20–30%)");
    expect(textOf(figureOf(off, 0))).toContain("Predicted probability of no");
  });

  it("does not take the rest of a sum for an error", () => {
    const third = 1 / 3;
    const rows = 30;
    const even: Predictions = {
      classes: ["a", "b", "c"],
      labels: Int32Array.from({ length: rows }, (_, i) => i % 3),
      predictions: new Int32Array(rows),
      scores: new Matrix(rows, 3, new Float64Array(3 * rows).fill(third + 1e-15)),
      scoring: "probability",
    };
    expect(textOf(figureOf(even))).toContain("Calibration error 0%;");
  });

  it("says how the probabilities were calibrated, and what that changed", () => {
    const words = (props: Omit<CalibrationProps, "facts">) => textOf(figureOf(predicted, 1, props));
    expect(words({})).toContain("Not calibrated.");
    expect(words({ calibration: { method: "none", rows: 90, from: "folds" } })).toContain(
      "on 90 out-of-fold rows, no method was better",
    );
    const logLoss = { before: 0.41234, after: 0.3 };
    expect(words({ calibration: { method: "platt", rows: 90, from: "bags" }, logLoss })).toContain(
      "Calibrated by Platt scaling on 90 out-of-bag rows (log loss 0.412 → 0.3).",
    );
  });

  it("is left out where scores are not probabilities, and without rows", () => {
    expect(reliabilityFacts({ ...predicted, scoring: "decision" })).toBeUndefined();
    const none = new Int32Array(0);
    const scores = new Matrix(0, 2);
    expect(reliabilityFacts({ ...predicted, labels: none, predictions: none, scores })).toBeUndefined();
  });
});
