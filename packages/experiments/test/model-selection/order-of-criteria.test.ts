import { expect, it } from "vitest";
import { methodsOf } from "#experiments/model-selection/choice-figure.js";
import {
  ADABOOST_ORDER,
  calibratedNote,
  orderOfCriteria,
} from "#experiments/model-selection/order-of-criteria.js";

const methods = methodsOf(
  ["margins", "adjusted SRM, C = 2⁻⁹", "10-fold CV", "adjusted SRM, C by holdout"].map((name) => ({ name })),
);
/** Relative errors of the three candidates: 0, 20 and 100. */
const errors = [0.1, 0.12, 0.2];
const twice = <T>(trial: T) => [trial, trial];

it("says which pairs are in the reverse order of the thesis, by how much, and whether that may be chance", () => {
  const trials = [
    { errors, choices: [2, 0, 1, 2] },
    { errors, choices: [2, 0, 0, 2] },
  ];
  const text = orderOfCriteria(ADABOOST_ORDER, methods, trials);
  expect(text).toContain("adjusted SRM, C = 2⁻⁹ (0.0, 0.0); 10-fold CV (10.0, 14.1); margins (100.0, 0.0).");
  // Differences of −20 and 0: t = −1 with one degree of freedom has p = ½, and ½ is not the smallest of the three.
  const line = (first: string, second: string) =>
    text.split("\n").find((each) => each.includes(`| ${first} `) && each.includes(`| ${second} `));
  const cells = (row = "") => row.split("|").map((cell) => cell.trim());
  expect(cells(line("10-fold CV", "adjusted SRM, C = 2⁻⁹"))[3]).toBe("-10.0");
  expect(cells(line("10-fold CV", "adjusted SRM, C = 2⁻⁹")).slice(5, 7)).toEqual([
    "0.500",
    "not sure: the reverse",
  ]);
  expect(cells(line("adjusted SRM, C = 2⁻⁹", "margins")).slice(3, 7)).toEqual([
    ...["100.0", "100.0 to 100.0", "< 0.001", "the same"],
  ]);
  expect(text).toContain(
    "These differences from the thesis may be chance: “adjusted SRM, C = 2⁻⁹” before “10-fold CV”.",
  );
  expect(calibratedNote(methods, trials)).toContain("90.0 points behind cross-validation on average");
});

it("says so if a difference is beyond chance, or if the order is that of the thesis", () => {
  const reversed = orderOfCriteria(ADABOOST_ORDER, methods, twice({ errors, choices: [2, 0, 1, 2] }));
  expect(reversed).toContain(
    "The order differs from the thesis beyond chance: “adjusted SRM, C = 2⁻⁹” before “10-fold CV”.",
  );
  const same = orderOfCriteria(ADABOOST_ORDER, methods, twice({ errors, choices: [2, 1, 0, 1] }));
  expect(same).toContain("The order agrees with the thesis.");
});
