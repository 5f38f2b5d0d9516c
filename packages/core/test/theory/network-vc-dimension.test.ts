import { expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import {
  computationVcDimension,
  integerVcDimension,
  layeredComputation,
  layeredParameters,
  layeredVcDimension,
  twoLayerVcDimension,
} from "#core/theory/networks/network-vc-dimension.js";
import { vcPenalty } from "#core/theory/vc/vc-bound.js";

it("Theorem 4.1 is the formula by hand", () => {
  expect(computationVcDimension({ parameters: 3, operations: 10 })).toBeCloseTo(
    100 * 3 * (3 + 19 * Math.log2(27)),
    9,
  );
  expect(computationVcDimension({ parameters: 3, operations: 10, exponentials: 1 })).toBeCloseTo(
    36 + 66 * (10 + Math.log2(54)),
    9,
  );
  expect(() => computationVcDimension({ parameters: 0, operations: 1 })).toThrowError(VouchError);
});

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

it("Theorem 4.1 applies to any depth, by the smaller of its forms", () => {
  // d = 11, t = 19, q = 0 for ReLU: d² + 11 d (t + log₂ 9d).
  const relu = layeredVcDimension({ sizes: [3, 2, 1], activation: "relu" });
  expect(relu).toBeCloseTo(121 + 121 * (19 + Math.log2(99)), 9);
  // d = 11, t = 25, q = 2: (33)² + 11·33 (25 + log₂ 297) beside 25²·11 (11 + 19 log₂ 99).
  const sigmoid = layeredVcDimension({ sizes: [3, 2, 1], activation: "sigmoid" });
  expect(sigmoid).toBeCloseTo(1089 + 363 * (25 + Math.log2(297)), 9);
  expect(layeredVcDimension({ sizes: [3, 2, 2, 1], activation: "tanh" })).toBeGreaterThan(sigmoid);
});

it("Theorem 4.2 applies to one hidden layer of sigmoids only", () => {
  const network = { sizes: [784, 10, 1], activation: "sigmoid" } as const;
  expect(integerVcDimension(network, 255)).toBeCloseTo(2 * 7861 * Math.log2(60 * 784 * 255), 6);
  expect(integerVcDimension({ ...network, activation: "relu" }, 255)).toBeUndefined();
  expect(integerVcDimension({ ...network, sizes: [784, 10, 10, 1] }, 255)).toBeUndefined();
});

it("rejects impossible sizes", () => {
  for (const sizes of [[3], [3, 0, 1], [3, 2], [2.5, 1]]) {
    expect(() => layeredVcDimension({ sizes, activation: "tanh" })).toThrowError(
      expect.objectContaining({ code: "option/invalid" }),
    );
  }
});

it("Table 5.2 cannot come from Theorem 4.2 and eq. 2.25: the dimension is above all sample sizes", () => {
  for (const hidden of [80, 100, 120]) {
    const parameters = layeredParameters([784, hidden, 1]);
    expect(parameters).toBe(785 * hidden + hidden + 1);
    const vcDimension = twoLayerVcDimension({ parameters, inputs: 784, largestInput: 1 });
    expect(vcDimension).toBeCloseTo(2 * parameters * Math.log2(60 * 784), 6);
    for (const rows of [6000, 12_000, 24_000, 48_000]) {
      expect(vcDimension).toBeGreaterThan(rows);
      expect(vcPenalty(vcDimension, rows, 0.05)).toBe(Number.POSITIVE_INFINITY);
    }
  }
  expect(() => twoLayerVcDimension({ parameters: 5, inputs: 0, largestInput: 1 })).toThrowError(VouchError);
});
