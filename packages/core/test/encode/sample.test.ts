import { describe, expect, it } from "vitest";
import { binMatrix } from "#core/encode/bin-matrix.js";
import { Sample } from "#core/encode/sample.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import { fault } from "../fault.js";

const matrix = Matrix.from([
  [1, 2],
  [3, 4],
  [5, 6],
]);
const parts = { features: matrix, labels: Int32Array.of(0, 1, -1), classes: ["a", "b"] };

describe("Sample", () => {
  it("selects rows with labels and weights, names kept", () => {
    const sample = new Sample({ ...parts, weights: Float64Array.of(1, 2, 3), featureNames: ["p", "q"] });
    const selected = sample.select([2, 0, 0]);
    expect(Array.from(selected.features.values)).toEqual([5, 6, 1, 2, 1, 2]);
    expect(selected.labels).toEqual(Int32Array.of(-1, 0, 0));
    expect(selected.weights).toEqual(Float64Array.of(3, 1, 1));
    expect(selected.featureNames).toEqual(["p", "q"]);
    expect(sample.select([1]).weighted(Float64Array.of(7)).weights).toEqual(Float64Array.of(7));
  });

  it("selects binned rows", () => {
    const sample = new Sample({ ...parts, features: binMatrix(matrix) });
    expect(Array.from(sample.select([2, 1]).features.bins)).toEqual([2, 1, 2, 1]);
    expect(sample.featureNames).toEqual(["x1", "x2"]);
  });

  it("selects sparse rows", () => {
    const sample = new Sample({ ...parts, features: SparseRows.fromMatrix(matrix) });
    expect(sample.select([2, 0]).features.toMatrix()).toEqual(matrix.select([2, 0]));
    expect(sample.featureNames).toEqual(["x1", "x2"]);
  });

  it("rejects parts that do not fit together", () => {
    for (const bad of [
      { ...parts, labels: Int32Array.of(0, 1) },
      { ...parts, labels: Int32Array.of(0, 1, 2) },
      { ...parts, labels: Int32Array.of(0, 1, -2) },
      { ...parts, weights: Float64Array.of(1, 1) },
      { ...parts, weights: Float64Array.of(1, -1, 1) },
      { ...parts, weights: Float64Array.of(1, Number.NaN, 1) },
      { ...parts, weights: Float64Array.of(0, 0, 0) },
    ]) {
      expect(fault(() => new Sample(bad)).code).toBe("data/malformed");
    }
  });
});
