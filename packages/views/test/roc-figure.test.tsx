import { describe, expect, it } from "vitest";
import type { Predictions } from "vouch";
import { auc } from "vouch";
import { Matrix, Random } from "vouch/extend";
import {
  heightsOfLines,
  heightsOfSteps,
  predictedPoint,
  rankingCurves,
  rankingFacts,
} from "#views/facts/evaluation/ranking-facts.js";
import { RocFigure } from "#views/panels/evaluation/roc-figure.js";
import { numbers, rendered } from "./rendered.js";

/** Rows with scores that favour their class a little. */
function predictedOf(rows: number, classes: number): Predictions {
  const random = new Random(3);
  const labels = Int32Array.from({ length: rows }, (_, i) => i % classes);
  const scores = Matrix.from(
    Array.from(labels, (label) =>
      Array.from({ length: classes }, (_, c) => random.uniform() + (c === label ? 0.5 : 0)),
    ),
  );
  const names = Array.from({ length: classes }, (_, c) => `class ${c}`);
  return { classes: names, labels, predictions: labels, scores, scoring: "decision" };
}

function figureOf(predicted: Predictions): Document {
  const facts = rankingFacts(predicted);
  if (!facts) throw new Error("There are no curves.");
  return rendered(<RocFigure facts={facts} />);
}

/** The area under points that are joined by straight lines. */
function area(points: readonly { readonly x: number; readonly y: number }[]): number {
  return points.slice(1).reduce((sum, { x, y }, i) => sum + ((x - points[i].x) * (y + points[i].y)) / 2, 0);
}

describe("the curves of ranking", () => {
  it("are one of the second class of two, one of each of a few, and the mean and the hardest of many", () => {
    const named = (classes: number) => rankingCurves(predictedOf(60, classes)).map(({ name }) => name);
    expect(named(2)).toEqual(["class 1"]);
    expect(named(3)).toEqual(["class 0", "class 1", "class 2"]);
    expect(named(6)).toEqual(["mean of 6 classes", expect.stringMatching(/^class \d \(hardest\)$/)]);
  });

  it("have the areas that the metrics say, drawn and written", () => {
    for (const classes of [2, 3, 6]) {
      const predicted = predictedOf(600, classes);
      const { labels, scores } = predicted;
      const expected = (scores && auc(labels, scores)) ?? Number.NaN;
      const curves = rankingCurves(predicted);
      const whole = classes === 3 ? curves : curves.slice(0, 1);
      const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length;
      expect(mean(whole.map(({ areaUnderRoc }) => areaUnderRoc))).toBeCloseTo(expected, 12);
      expect(mean(whole.map(({ roc }) => area(roc)))).toBeCloseTo(expected, 2);
    }
  });

  it("stay small with very many rows", () => {
    const [curve] = rankingCurves(predictedOf(20_000, 2));
    expect(curve.roc.length).toBeLessThanOrEqual(500);
    expect(curve.precisionRecall.length).toBeLessThanOrEqual(500);
    expect(curve.roc.at(-1)).toEqual({ x: 1, y: 1 });
  });

  it("leave out classes without rows, and everything where all rows are of one class", () => {
    const predicted = predictedOf(30, 3);
    const without = { ...predicted, labels: predicted.labels.map((label) => Math.min(label, 1)) };
    expect(rankingCurves(without).map(({ name }) => name)).toEqual(["class 0", "class 1"]);
    expect(rankingCurves({ ...predicted, labels: predicted.labels.fill(1) })).toEqual([]);
    expect(rankingFacts({ ...predicted, labels: predicted.labels.fill(1) })).toBeUndefined();
  });

  it("have the heights of their points and of the lines and steps between them", () => {
    const points = [
      { x: 0, y: 0 },
      { x: 0, y: 0.5 },
      { x: 0.5, y: 0.75 },
      { x: 1, y: 1 },
    ];
    const lines = heightsOfLines(points);
    expect([lines[0], lines[50], lines[100], lines[200]]).toEqual([0.5, 0.625, 0.75, 1]);
    const steps = heightsOfSteps(points);
    expect([steps[0], steps[1], steps[100], steps[101], steps[200]]).toEqual([0, 0.75, 0.75, 1, 1]);
  });

  it("have the point of the predictions: all that are found, and the false alarms", () => {
    const predicted = {
      labels: Int32Array.of(0, 0, 0, 0, 1, 1, -1),
      predictions: Int32Array.of(1, 0, 0, 0, 1, 0, 1),
    };
    expect(predictedPoint(predicted, 1)).toEqual({
      roc: { x: 0.25, y: 0.5 },
      precisionRecall: { x: 0.5, y: 0.5 },
    });
    expect(predictedPoint(predicted, 0).roc).toEqual({ x: 0.5, y: 0.75 });
    const never = { ...predicted, predictions: new Int32Array(7) };
    expect(predictedPoint(never, 1)).toEqual({ roc: { x: 0, y: 0 } });
  });

  it("lie on the curve if the predictions follow a threshold on the score", () => {
    const predicted = predictedOf(400, 2);
    const { scores } = predicted;
    if (!scores) throw new Error("There are no scores.");
    const predictions = Int32Array.from(predicted.labels, (_, i) => Number(scores.values[2 * i] >= 0.8));
    const flipped = { ...predicted, predictions: predictions.map((one) => 1 - one) };
    const { roc } = predictedPoint(flipped, 0);
    const [curve] = rankingCurves(flipped, 0);
    const nearest = Math.min(...curve.roc.map(({ x, y }) => Math.hypot(x - roc.x, y - roc.y)));
    expect(nearest).toBeLessThan(0.01);
  });

  it("are of the positive class", () => {
    expect(rankingCurves(predictedOf(60, 2), 0).map(({ name }) => name)).toEqual(["class 0"]);
    expect(rankingFacts(predictedOf(60, 2), 0)?.point).toEqual(predictedPoint(predictedOf(60, 2), 0));
  });

  it("are drawn in a ROC and a precision–recall square each, with a key for several", () => {
    const one = figureOf(predictedOf(60, 2));
    expect(one.querySelectorAll("figure svg[role=img]")).toHaveLength(2);
    expect(one.querySelectorAll(".legend")).toHaveLength(0);
    // All predictions are right: the dot is in the upper left corner of the ROC square.
    expect(numbers(one, "circle", "cx")[0]).toBe(58);
    expect(numbers(one, "circle", "cy")[0]).toBe(12);
    const three = figureOf(predictedOf(60, 3));
    expect(three.querySelectorAll(".legend li")).toHaveLength(3);
    // The diagonal and the three classes.
    expect(three.querySelector("figure")?.querySelectorAll("path[stroke-dasharray]")).toHaveLength(4);
    const [last] = [...three.querySelectorAll("figure path.curve")].slice(2);
    expect(last?.getAttribute("d")).toMatch(/L322 12$/);
  });
});
