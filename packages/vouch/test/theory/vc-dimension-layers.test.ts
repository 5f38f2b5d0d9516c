import { expect, it } from "vitest";
import {
  integerVcDimension,
  layeredComputation,
  layeredParameters,
  layeredVcDimension,
} from "#vouch/theory/networks/network-vc-dimension.js";

it("counts parameters, operations and exponentials of a network", () => {
  // 3-2-1: 3·2 + 2 + 2·1 + 1 parameters; 2·(6 + 2) for products and sums, 2 units, 1 comparison.
  expect(layeredParameters([3, 2, 1])).toBe(11);
  expect(layeredComputation({ sizes: [3, 2, 1], activation: "sigmoid" })).toEqual({
    parameters: 11,
    operations: 16 + 2 * 4 + 1,
    exponentials: 2,
  });
  expect(layeredComputation({ sizes: [3, 2, 1], activation: "relu" })).toEqual({
    parameters: 11,
    operations: 16 + 2 + 1,
    exponentials: 0,
  });
});

it("Theorem 4.1 holds for any depth, by the smaller of its forms", () => {
  // d = 11, t = 19, q = 0 for ReLU: d² + 11 d (t + log₂ 9d).
  const relu = layeredVcDimension({ sizes: [3, 2, 1], activation: "relu" });
  expect(relu).toBeCloseTo(121 + 121 * (19 + Math.log2(99)), 9);
  // d = 11, t = 25, q = 2: (33)² + 11·33 (25 + log₂ 297) beside 25²·11 (11 + 19 log₂ 99).
  const sigmoid = layeredVcDimension({ sizes: [3, 2, 1], activation: "sigmoid" });
  expect(sigmoid).toBeCloseTo(1089 + 363 * (25 + Math.log2(297)), 9);
  expect(layeredVcDimension({ sizes: [3, 2, 2, 1], activation: "tanh" })).toBeGreaterThan(sigmoid);
});

it("Theorem 4.2 speaks of one hidden layer of sigmoids only", () => {
  const network = { sizes: [784, 10, 1], activation: "sigmoid" } as const;
  expect(integerVcDimension(network, 255)).toBeCloseTo(2 * 7861 * Math.log2(60 * 784 * 255), 6);
  expect(integerVcDimension({ ...network, activation: "relu" }, 255)).toBeUndefined();
  expect(integerVcDimension({ ...network, sizes: [784, 10, 10, 1] }, 255)).toBeUndefined();
});

it("refuses sizes that are none", () => {
  for (const sizes of [[3], [3, 0, 1], [3, 2], [2.5, 1]]) {
    expect(() => layeredVcDimension({ sizes, activation: "tanh" })).toThrowError(
      expect.objectContaining({ code: "option/invalid" }),
    );
  }
});
