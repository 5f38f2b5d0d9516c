import { describe, expect, test } from "vitest";
import { type Kernel, kernelValue } from "#core/learners/kernel/kernel.js";
import { KernelMatrix } from "#core/learners/kernel/kernel-matrix.js";
import { KernelOnDemand, kernelRows, kernelRowsFrom } from "#core/learners/kernel/kernel-rows.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";

/** Test files may share the memory of a process. */
const usedBefore = wasmMemory().used;

const run = { executor: inlineExecutor() };
const kernel: Kernel = { kind: "polynomial", degree: 4, scale: 0.05 };

function randomMatrix(rows: number, columns: number, size: number): Matrix {
  const random = new Random(rows);
  return new Matrix(
    rows,
    columns,
    Float64Array.from({ length: rows * columns }, () => size * random.normal()),
  );
}

describe("kernel rows", () => {
  test("are a matrix if it fits, and otherwise computed on demand", async () => {
    const X = randomMatrix(300, 4, 1);
    const fits = await kernelRows(X, kernel, 1, run);
    const tooLarge = await kernelRows(X, kernel, 0.3, run);
    expect(fits).toBeInstanceOf(KernelMatrix);
    expect(tooLarge).toBeInstanceOf(KernelOnDemand);
    expect(kernelRowsFrom(fits)).toBeInstanceOf(KernelMatrix);
    const attached = kernelRowsFrom(tooLarge);
    for (const i of [0, 7, 299]) {
      const exact = Float64Array.from({ length: 300 }, (_, j) => kernelValue(kernel, X.row(i), X.row(j)));
      // Features are in single precision.
      for (const values of [tooLarge.row(i), fits.row(i)]) {
        values.forEach((value, j) => {
          expect(Math.abs(value - exact[j])).toBeLessThan(1e-5 * (1 + Math.abs(exact[j])));
        });
      }
      expect(attached.row(i)).toEqual(tooLarge.row(i));
      expect(tooLarge.diagonal[i]).toBe(tooLarge.row(i)[i]);
    }
    attached.release();
    for (const rows of [fits, tooLarge]) rows.release();
    expect(wasmMemory().used).toBe(usedBefore);
  });

  test("on demand keep features in double precision where single would lose digits", () => {
    for (const [size, precision] of [
      [1, "f32"],
      [100, "f64"],
    ] as const) {
      using rows = KernelOnDemand.of(randomMatrix(30, 20, size), kernel, 0);
      expect(rows.sample).toMatchObject({ panels: { precision } });
    }
    using large = KernelOnDemand.of(randomMatrix(30, 20, 100), { kind: "rbf", gamma: 1 }, 0);
    expect(large.sample).toMatchObject({ panels: { precision: "f64" } });
  });
});
