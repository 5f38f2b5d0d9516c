import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { gram, gramOnThreads } from "#core/runtime/maths/gram.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { WasmMatrix } from "#core/runtime/maths/wasm-matrix.js";
import type { Executor } from "#core/runtime/parallel/executor.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";

/** Test files may share the memory of a process. */
const usedBefore = wasmMemory().used;

function randomMatrix(rows: number, columns: number, seed: number): Matrix {
  const random = new Random(seed);
  return new Matrix(
    rows,
    columns,
    Float64Array.from({ length: rows * columns }, () => random.normal()),
  );
}

function scalarProduct({ columns, values }: Matrix, i: number, j: number): number {
  let sum = 0;
  for (let k = 0; k < columns; k++) sum += values[i * columns + k] * values[j * columns + k];
  return sum;
}

function sameBits(a: Matrix, b: Matrix): boolean {
  const bytes = ({ values }: Matrix) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return bytes(a).equals(bytes(b));
}

/** Threads whatever the size of the work. */
function eagerly(executor: Executor): Executor {
  return {
    threads: executor.threads,
    map: (task, inputs, options) => executor.map(task, inputs, { ...options, milliseconds: Infinity }),
    close: () => executor.close(),
  };
}

describe("gram", () => {
  test("holds the scalar products of all pairs of rows", () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(30), fc.nat(), (rows, columns, seed) => {
        const matrix = randomMatrix(rows, columns, seed);
        for (const precision of ["f32", "f64"] as const) {
          const result = gram(matrix, { precision });
          const { matrix: products } = result;
          expect([products.rows, products.columns]).toEqual([rows, rows]);
          const digits = precision === "f32" ? 4 : 12;
          for (let i = 0; i < rows; i++) {
            for (let j = 0; j < rows; j++) {
              expect(products.values[i * rows + j]).toBeCloseTo(scalarProduct(matrix, i, j), digits);
              expect(products.values[i * rows + j]).toBe(products.values[j * rows + i]);
            }
          }
          result.release();
        }
      }),
      { numRuns: 40 },
    );
    expect(wasmMemory().used).toBe(usedBefore);
  });

  test("has the precision of the matrix by default", () => {
    const double = randomMatrix(3, 2, 1);
    const single = new Matrix(3, 2, Float32Array.from(double.values));
    const results = [gram(double), gram(single), gram(double, { precision: "f32" })];
    expect(results.map(({ precision }) => precision)).toEqual(["f64", "f32", "f32"]);
    expect(results[2].matrix.values).toEqual(results[1].matrix.values);
    for (const result of results) result.release();
  });

  test("is packed through a window that is smaller than the matrix", () => {
    const matrix = randomMatrix(90, 1500, 2);
    const result = gram(matrix);
    const { values } = result.matrix;
    for (const [i, j] of [
      [0, 0],
      [89, 0],
      [45, 44],
      [89, 89],
    ]) {
      expect(values[i * 90 + j]).toBeCloseTo(scalarProduct(matrix, i, j), 9);
    }
    result.release();
  });

  test("releases everything when the memory does not suffice", () => {
    const before = wasmMemory().used;
    const rows = 32_000;
    expect(() => gram(new Matrix(rows, 1, new Float32Array(rows)), { precision: "f64" })).toThrow(
      /needs 7812.5 MiB more memory/,
    );
    expect(wasmMemory().used).toBe(before);
  });
});

describe("gramOnThreads", () => {
  const executors = [inlineExecutor(), ...[1, 2, 4].map((threads) => threadExecutor({ threads }))].map(
    eagerly,
  );
  afterAll(() => Promise.all(executors.map((executor) => executor.close())));

  test.each([
    { rows: 0, columns: 3 },
    { rows: 1, columns: 1 },
    { rows: 7, columns: 0 },
    { rows: 1100, columns: 257 },
  ])("gives the bits of gram for any number of threads: $rows × $columns", async ({ rows, columns }) => {
    const matrix = randomMatrix(rows, columns, 3);
    for (const precision of ["f32", "f64"] as const) {
      const expected = gram(matrix, { precision });
      for (const executor of executors) {
        const result = await gramOnThreads(matrix, { executor }, { precision });
        expect([result.rows, result.columns]).toEqual([rows, rows]);
        expect(sameBits(result.matrix, expected.matrix)).toBe(true);
        result.release();
      }
      expected.release();
    }
    expect(wasmMemory().used).toBe(usedBefore);
  });

  test("an interrupted run releases everything", async () => {
    const matrix = randomMatrix(2000, 500, 4);
    for (const executor of executors.slice(0, 3)) {
      const interruption = new AbortController();
      const result = gramOnThreads(matrix, { executor, signal: interruption.signal });
      setTimeout(() => interruption.abort(), 5);
      await expect(result).rejects.toMatchObject({ code: "run/interrupted" });
      expect(wasmMemory().used).toBe(usedBefore);
    }
  });
});

test("a view of a matrix is the same memory, which the owner releases", () => {
  const resident = WasmMatrix.allocate(2, 3, "f32");
  resident.matrix.values.set([1, 2, 3, 4, 5, 6]);
  const attached = new WasmMatrix(resident);
  expect(attached.matrix).toEqual(new Matrix(2, 3, Float32Array.of(1, 2, 3, 4, 5, 6)));
  attached[Symbol.dispose]();
  expect(wasmMemory().used).toBeGreaterThan(usedBefore);
  resident[Symbol.dispose]();
  expect(wasmMemory().used).toBe(usedBefore);
});
