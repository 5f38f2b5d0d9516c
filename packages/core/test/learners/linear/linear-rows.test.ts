import { describe, expect, it } from "vitest";
import { LinearRows, loadLinearRows } from "#core/learners/linear/linear-rows.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { fault } from "../../fault.js";

const used = <Result>(rows: LinearRows, look: (rows: LinearRows) => Result): Result => {
  try {
    return look(rows);
  } finally {
    rows.release();
  }
};
const sparse = Matrix.from([
  [0, 0, 3, 0, 0],
  [0, 0, 0, 0, 0],
  [0, 4, 0, 0, 1],
]);
const dense = Matrix.from([
  [1, 2],
  [0, 5],
]);

describe("LinearRows", () => {
  it("are sparse where most cells are zero, whatever they are made from", () => {
    for (const features of [sparse, SparseRows.fromMatrix(sparse)]) {
      used(runNow(loadLinearRows(features)), (rows) => {
        expect(rows).toMatchObject({ rows: 3, columns: 5, entries: 3, wide: false, squaredRadius: 17 });
        expect(rows.starts).toBeGreaterThan(0);
      });
    }
    for (const features of [dense, SparseRows.fromMatrix(dense)]) {
      used(runNow(loadLinearRows(features)), (rows) => {
        expect(rows).toMatchObject({ rows: 2, columns: 2, entries: 4, starts: 0, squaredRadius: 25 });
        expect(Array.from(rows.memory.f32(rows.pointer, 4))).toEqual([1, 2, 0, 5]);
      });
    }
  });

  it("keep doubles where single precision would lose something", () => {
    const values = dense.values.map((value) => value / 10);
    used(runNow(loadLinearRows(new Matrix(2, 2, values))), (rows) => {
      expect(rows.wide).toBe(true);
      expect(rows.memory.f64(rows.pointer, 4)).toEqual(values);
    });
    used(
      runNow(loadLinearRows(SparseRows.fromMatrix(new Matrix(1, 4, Float64Array.of(0, 0, 0.1, 0))))),
      (rows) => {
        expect(rows.wide).toBe(true);
      },
    );
  });

  it("can be viewed without being owned", () => {
    used(runNow(loadLinearRows(sparse)), (rows) => {
      const view = new LinearRows(rows);
      expect({ ...view }).toEqual({ ...rows });
      view.release();
      expect(wasmMemory().used).toBeGreaterThan(0);
    });
  });

  it("refuse rows whose squares cannot be summed, and give their memory back", () => {
    const before = wasmMemory().used;
    const huge = Matrix.from([[1], [1e200]]);
    expect(fault(() => runNow(loadLinearRows(huge)))).toMatchObject({ code: "data/too-large" });
    expect(fault(() => runNow(loadLinearRows(huge))).message).toContain("row 2");
    expect(wasmMemory().used).toBe(before);
  });
});
