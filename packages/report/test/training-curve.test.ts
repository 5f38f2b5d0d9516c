import { describe, expect, it } from "vitest";
import { curvePoints, trainingCurve } from "#report/training-curve.js";

describe("the training curve", () => {
  it("counts steps from one and starts a bound where it falls to one", () => {
    expect(curvePoints([1.3, 1, 0.5])).toEqual([
      { step: 2, value: 1 },
      { step: 3, value: 0.5 },
    ]);
  });

  it("leaves out what is not a number, keeps the ends of a long curve", () => {
    expect(curvePoints([Number.NaN, 0.5, Number.POSITIVE_INFINITY])).toEqual([{ step: 2, value: 0.5 }]);
    const long = curvePoints(new Float64Array(10_000).fill(0.1));
    expect(long.length).toBeLessThanOrEqual(500);
    expect([long[0].step, long[long.length - 1].step]).toEqual([1, 10_000]);
  });

  it("is left out when there is nothing to draw, and drawn for a single round", () => {
    expect(trainingCurve({ step: "Round", series: [] })).toBeUndefined();
    expect(
      trainingCurve({ step: "Round", series: [{ role: "train", name: "x", values: [Number.NaN] }] }),
    ).toBe(undefined);
    const single = trainingCurve({
      step: "Round",
      series: [{ role: "train", name: "Error", values: [0.25] }],
    });
    expect(single?.text).toContain("round 1: error 25.0\u00a0%");
  });

  it("draws losses of any size, and reads them as numbers", () => {
    expect(curvePoints([2.5, Number.NaN, 0.5], "loss")).toEqual([
      { step: 1, value: 2.5 },
      { step: 3, value: 0.5 },
    ]);
    const losses = trainingCurve({
      step: "Epoch",
      quantity: "loss",
      series: [{ role: "train", name: "training rows", values: [2.5, 1.25] }],
    });
    expect(losses?.text).toContain("epoch 2: training rows 1.25");
    expect(losses?.text).toContain("Loss");
    expect(losses?.text).toContain("Epoch");
  });
});
