import { describe, expect, it } from "vitest";
import { type ObjectiveOptions, objectiveFor } from "#core/metrics/objective.js";

const two = { classes: ["No", "Yes"], labels: Int32Array.of(0, 0, 1) };
const three = { classes: ["a", "b", "c"], labels: Int32Array.of(0, 1, 2) };

describe("the objective of a user", () => {
  it("is the error by default, and the cost if there are costs", () => {
    expect(objectiveFor({}, two)).toEqual({ metric: "error", positive: 1 });
    expect(objectiveFor({}, three)).toEqual({ metric: "error" });
    expect(objectiveFor({ costs: { Yes: { No: 5 } } }, two)).toEqual({
      metric: "cost",
      costs: [
        [0, 1],
        [5, 0],
      ],
      positive: 1,
    });
    const costs = () => [
      [0, 2],
      [0, 0],
    ];
    expect(objectiveFor({ metric: "cost", costs }, two).costs).toEqual(costs());
  });

  it("has the rarer of two classes as the positive one, the second if both are as common", () => {
    const positive = (...labels: number[]) =>
      objectiveFor({}, { ...two, labels: Int32Array.from(labels) }).positive;
    expect(positive(1, 1, 0)).toBe(0);
    expect(positive(1, 0, 0)).toBe(1);
    expect(positive(1, 0)).toBe(1);
    expect(objectiveFor({ positive: "No" }, two).positive).toBe(0);
  });

  it.each<[string, ObjectiveOptions, typeof two, RegExp]>([
    ["an unknown class", { positive: "Maybe" }, two, /"Maybe" is not a class/],
    ["a positive class of three", { positive: "a" }, three, /needs two classes/],
    ["costs of another metric", { metric: "auc", costs: { Yes: { No: 5 } } }, two, /the metric is auc/],
    ["the metric cost without costs", { metric: "cost" }, two, /no costs are given/],
    ["an unknown true class", { costs: { yes: { No: 5 } } }, two, /"yes" is not a class/],
    ["an unknown predicted class", { costs: { Yes: { no: 5 } } }, two, /"no" is not a class/],
    ["a negative cost", { costs: { Yes: { No: -1 } } }, two, /not -1\./],
    ["a cost that is not a number", { costs: { Yes: { No: Number.NaN } } }, two, /not NaN\./],
    ["an infinite cost", { costs: { Yes: { No: Number.POSITIVE_INFINITY } } }, two, /not Infinity\./],
    ["nothing but zeros", { costs: { Yes: { No: 0 }, No: { Yes: 0 } } }, two, /All costs are 0/],
    ["a matrix that does not fit", { costs: () => [[0, 1]] }, two, /does not fit 2 classes/],
    ["a ragged matrix", { costs: () => [[0, 1], [1]] }, two, /does not fit 2 classes/],
  ])("refuses %s", (_, options, data, message) => {
    expect(() => objectiveFor(options, data)).toThrow(message);
    expect(() => objectiveFor(options, data)).toThrow(expect.objectContaining({ code: "option/invalid" }));
  });

  it("refuses an unknown metric of untyped programs", () => {
    const options = JSON.parse('{ "metric": "accuracy" }');
    expect(() => objectiveFor(options, two)).toThrow(expect.objectContaining({ code: "option/unknown" }));
  });
});
