import { describe, expect, it } from "vitest";
import {
  best,
  choiceCounts,
  choiceFigure,
  methodsOf,
  relativeError,
} from "#experiments/model-selection/choice-figure.js";

describe("the relative error", () => {
  it("is 0 for the best choice, 100 for the worst, and linear between them", () => {
    const errors = [0.3, 0.1, 0.15, 0.2];
    expect(errors.map((_, choice) => Math.round(relativeError(errors, choice)))).toEqual([100, 0, 25, 50]);
  });

  it("is 0 if all candidates are equally good", () => {
    expect(relativeError([0.2, 0.2], 1)).toBe(0);
  });
});

const [first, second] = methodsOf([{ name: "first" }, { name: "second" }]);
const trials = [
  { errors: [0.3, 0.1, 0.2], choices: [0, 1] },
  { errors: [0.1, 0.1, 0.2], choices: [2, 1] },
];

describe("a method", () => {
  it("has the choice of its criterion, and the best one the first of the smallest errors", () => {
    expect(trials.map(first.choiceIn)).toEqual([0, 2]);
    expect(trials.map(second.choiceIn)).toEqual([1, 1]);
    expect(trials.map(best.choiceIn)).toEqual([1, 0]);
  });

  it("is counted by candidate", () => {
    expect(choiceCounts(first, trials, 3)).toEqual([1, 0, 1]);
    expect(choiceCounts(second, trials, 3)).toEqual([0, 2, 0]);
  });
});

it("the figure has a box and a line of numbers for each method", () => {
  const page = choiceFigure("Figure 9", "How to read it.", [first, second], trials);
  expect(page).toMatch(/^### Figure 9: relative error of the choice, eq\. 5\.5\n\nHow to read it\.\n/);
  // Both choices of the first are the worst ones, both of the second the best.
  expect(page).toMatch(/^\| first +\|( +100\.0 \|){6} +100\.0 to 100\.0 \|$/m);
  expect(page).toMatch(/^\| second +\|( +0\.0 \|){6} +0\.0 to 0\.0 \|$/m);
});
