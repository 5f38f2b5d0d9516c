import { expect, it } from "vitest";
import { methodsOf } from "#experiments/model-selection/choice-figure.js";
import { orderOfCriteria } from "#experiments/model-selection/order-of-criteria.js";

const methods = methodsOf(
  ["margins", "adjusted SRM, C = 2⁻⁹", "10-fold CV", "adjusted SRM, C by holdout"].map((name) => ({ name })),
);
/** Relative errors of the three candidates: 0, 20 and 100. */
const errors = [0.1, 0.12, 0.2];

it("says that the order is the reverse of the thesis, by how much, and what becomes of a calibrated constant", () => {
  const trials = [
    { errors, choices: [2, 0, 1, 2] },
    { errors, choices: [2, 0, 0, 2] },
  ];
  const text = orderOfCriteria(methods, trials);
  expect(text).toContain("adjusted SRM, C = 2⁻⁹ (0.0, 0.0); 10-fold CV (10.0, 14.1); margins (100.0, 0.0).");
  expect(text).toContain(
    "are in the reverse order of the thesis: adjusted SRM is 10.0 ± 10.0 points ahead of cross-validation",
  );
  expect(text).toContain("in each problem, adjusted SRM is 90.0 ± 10.0 points behind cross-validation");
});

it("says so if the order is that of the thesis", () => {
  const text = orderOfCriteria(methods, [{ errors, choices: [2, 1, 0, 1] }]);
  expect(text).toContain("That is the order of the thesis.");
});
