import { describe, expect, it } from "vitest";
import type { Predictions } from "vouch";
import { Matrix } from "vouch/learning";
import { calibrationFigure, reliabilityPoints } from "#report/calibration-figure.js";
import { numbers, parsed } from "./parsed.js";

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
  it("has a dot where what was said meets what came true, and an interval around it", () => {
    const bins = [
      { from: 0, to: 0.5, rows: 0, hits: 0 },
      { from: 0.5, to: 1, rows: 4, hits: 3, meanProbability: 0.6 },
    ];
    const [point, ...others] = reliabilityPoints(bins);
    expect(others).toEqual([]);
    expect(point).toMatchObject({ predicted: 0.6, observed: 0.75, rows: 4 });
    expect(point.lower).toBeLessThan(0.6);
    expect(point.upper).toBeGreaterThan(0.9);
  });

  it("draws them in proportion", () => {
    const [reliability] = parsed(calibrationFigure(predicted)?.text ?? "").querySelectorAll("figure svg");
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

  it("says how far off the probabilities are", () => {
    expect(calibrationFigure(predicted)?.text).toContain("Expected calibration error: 25.0\u00a0%");
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
    expect(calibrationFigure(even)?.text).toContain("Expected calibration error: 0\u00a0%");
  });

  it("is left out where scores are not probabilities, and without rows", () => {
    expect(calibrationFigure({ ...predicted, scoring: "decision" })).toBeUndefined();
    const none = new Int32Array(0);
    const scores = new Matrix(0, 2);
    expect(calibrationFigure({ ...predicted, labels: none, predictions: none, scores })).toBeUndefined();
  });
});
