import fc from "fast-check";
import { expect, test } from "vitest";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { multiply, multiplyTransposed, transposedMultiply } from "#core/runtime/maths/product.js";
import { Random } from "#core/runtime/maths/random.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";

/** Test files may share the memory of a process. */
const usedBefore = wasmMemory().used;

type Kind = "f32" | "f64";

/** Small whole numbers, whose products are exact in both precisions. */
function wholeNumbers(rows: number, columns: number, seed: number, kind: Kind): Matrix {
  const random = new Random(seed);
  const values = Array.from({ length: rows * columns }, () => random.integer(21) - 10);
  return new Matrix(rows, columns, kind === "f32" ? Float32Array.from(values) : Float64Array.from(values));
}

function transposed({ rows, columns, values }: Matrix): Matrix {
  const result = new Matrix(columns, rows, values.slice());
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) result.values[j * rows + i] = values[i * columns + j];
  }
  return result;
}

function expected(a: Matrix, b: Matrix): number[] {
  const sums = new Array(a.rows * b.columns).fill(0);
  for (let i = 0; i < a.rows; i++) {
    for (let j = 0; j < b.columns; j++) {
      for (let k = 0; k < a.columns; k++) {
        sums[i * b.columns + j] += a.values[i * a.columns + k] * b.values[k * b.columns + j];
      }
    }
  }
  return sums;
}

/** Zeros without sign. */
function plain(values: ArrayLike<number>): number[] {
  return Array.from(values, (value) => value + 0);
}

const size = fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 5, 7, 8, 9, 13), fc.nat(40));
const kind = fc.constantFrom<Kind>("f32", "f64");

test("all three products are exact on whole numbers, in any shape and precision", () => {
  fc.assert(
    fc.property(size, size, size, kind, kind, fc.nat(), (rows, depth, columns, kindA, kindB, seed) => {
      const a = wholeNumbers(rows, depth, seed, kindA);
      const b = wholeNumbers(depth, columns, seed + 1, kindB);
      for (const product of [
        multiply(a, b),
        multiplyTransposed(a, transposed(b)),
        transposedMultiply(transposed(a), b),
      ]) {
        expect([product.rows, product.columns]).toEqual([rows, columns]);
        expect(plain(product.values)).toEqual(expected(a, b));
        expect(product.values instanceof Float32Array).toBe(kindA === "f32" && kindB === "f32");
      }
    }),
  );
  expect(wasmMemory().used).toBe(usedBefore);
});

test("results larger than the window are complete", () => {
  const a = wholeNumbers(150, 20, 1, "f64");
  const b = wholeNumbers(20, 1000, 2, "f64");
  expect(plain(multiply(a, b).values)).toEqual(expected(a, b));
  const narrow = wholeNumbers(1, 70_000, 3, "f32");
  expect(plain(multiply(wholeNumbers(9, 1, 4, "f32"), narrow).values)).toEqual(
    expected(wholeNumbers(9, 1, 4, "f32"), narrow),
  );
});

test("shapes that do not match are named", () => {
  const a = new Matrix(2, 3);
  expect(() => multiply(a, new Matrix(2, 3))).toThrow(
    "A 2 × 3 matrix cannot be multiplied by a 2 × 3 matrix.",
  );
  expect(() => transposedMultiply(a, new Matrix(3, 2))).toThrow(
    "A transposed 2 × 3 matrix cannot be multiplied by a 3 × 2 matrix.",
  );
  expect(() => multiplyTransposed(a, new Matrix(3, 2))).toThrow(
    "A 2 × 3 matrix cannot be multiplied by a transposed 3 × 2 matrix.",
  );
});
