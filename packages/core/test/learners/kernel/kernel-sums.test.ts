import { afterAll, describe, expect, test } from "vitest";
import { type Kernel, kernelValue } from "#core/learners/kernel/kernel.js";
import { type KernelMachine, KernelSums } from "#core/learners/kernel/kernel-sums.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";

/** Test files may share the memory of a process. */
const usedBefore = wasmMemory().used;

const kernels: readonly Kernel[] = [
  { kind: "linear" },
  { kind: "polynomial", degree: 3, scale: 0.3 },
  { kind: "polynomial", degree: 2, scale: 0.5, offset: -0.25 },
  { kind: "polynomial", degree: 0, scale: 2 },
  { kind: "rbf", gamma: 0.2 },
  { kind: "chi-square", gamma: 0.5 },
  { kind: "intersection" },
];

/** Amounts between 0 and 2, some of them 0: all kernels take them. */
function amounts(rows: number, columns: number, seed: number): Matrix {
  const random = new Random(seed);
  return new Matrix(
    rows,
    columns,
    Float64Array.from({ length: rows * columns }, () => Math.max(0, 2.5 * random.uniform() - 0.5)),
  );
}

/** Machines that each use some of the support vectors; the first uses none and the second all of them. */
function someMachines(vectors: number, count: number, seed: number): KernelMachine[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, m) => {
    const all = Int32Array.from({ length: vectors }, (_, s) => s);
    const support = m === 1 ? all : all.filter(() => m > 0 && random.uniform() < 0.3);
    return {
      support,
      coefficients: Float64Array.from(support, () => random.normal()),
      bias: random.normal(),
    };
  });
}

/** All values of all machines, row after row. */
function valuesOf(sums: KernelSums, X: Matrix, rows?: readonly number[]): Float64Array[] {
  const values: Float64Array[] = [];
  sums.forEachRow(X, (own, i) => (values[i] = own.slice()), rows);
  return values;
}

/** Units in the last place between a positive value and the exact one. */
function ulps(value: number, exact: number): number {
  return value === exact ? 0 : Math.abs(value - exact) / 2 ** (Math.floor(Math.log2(exact)) - 52);
}

afterAll(() => {
  expect(wasmMemory().used).toBe(usedBefore);
});

describe("kernel machines", () => {
  test.each(kernels)("of %j follow the formula", (kernel) => {
    for (const [vectors, features, rows] of [
      [1, 1, 1],
      [3, 2, 5],
      [255, 7, 33],
      [257, 5, 70],
      [600, 3, 17],
    ]) {
      const support = amounts(vectors, features, vectors);
      const X = amounts(rows, features, rows + 1000);
      const machines = someMachines(vectors, 4, features);
      const values = valuesOf(KernelSums.of(kernel, support, machines), X);
      expect(values).toHaveLength(rows);
      machines.forEach(({ support: used, coefficients, bias }, m) => {
        for (let i = 0; i < rows; i++) {
          let exact = bias;
          let size = Math.abs(bias);
          used.forEach((s, k) => {
            const term = coefficients[k] * kernelValue(kernel, X.row(i), support.row(s));
            exact += term;
            size += Math.abs(term);
          });
          expect(Math.abs(values[i][m] - exact)).toBeLessThanOrEqual(1e-13 * size);
        }
      });
    }
  });

  test("compute exponentials within two units in the last place", () => {
    // The χ² distance of x and 0 is x, without rounding.
    const sums = KernelSums.of({ kind: "chi-square", gamma: 1 }, Matrix.from([[0]]), [
      { support: Int32Array.of(0), coefficients: Float64Array.of(1), bias: 0 },
    ]);
    const random = new Random(5);
    const exponents = [0, 1e-300, 1e-17, 1e-9, Math.LN2 / 2, Math.LN2, 1, 707.99];
    for (let k = 0; k < 20_000; k++)
      exponents.push(k % 2 === 0 ? 708 * random.uniform() : 2 * random.uniform());
    const values = valuesOf(sums, new Matrix(exponents.length, 1, Float64Array.from(exponents)));
    const worst = exponents.reduce((worst, x, i) => Math.max(worst, ulps(values[i][0], Math.exp(-x))), 0);
    expect(worst).toBeLessThanOrEqual(2);
    const [far, farther] = valuesOf(sums, Matrix.from([[709], [1e300]]));
    expect([far[0], farther[0]]).toEqual([0, 0]);
  });

  test.each(kernels)("of %j have the same bits however rows are divided", (kernel) => {
    const support = amounts(300, 6, 1);
    const X = amounts(83, 6, 2);
    const sums = KernelSums.of(kernel, support, someMachines(300, 5, 3));
    const together = valuesOf(sums, X);
    for (const size of [1, 3, 16, 50]) {
      for (let first = 0; first < X.rows; first += size) {
        const rows = Array.from({ length: Math.min(size, X.rows - first) }, (_, i) => first + i);
        expect(valuesOf(sums, X, rows)).toEqual(rows.map((row) => together[row]));
        expect(valuesOf(sums, X.select(rows))).toEqual(rows.map((row) => together[row]));
      }
    }
  });

  test("of very many machines take fewer rows at a time", () => {
    const support = amounts(5, 2, 1);
    const X = amounts(9, 2, 2);
    const kernel: Kernel = { kind: "rbf", gamma: 1 };
    const few = someMachines(5, 4, 3);
    const many = Array.from({ length: 2 ** 15 + 4 }, (_, m) => few[m % 4]);
    const expected = valuesOf(KernelSums.of(kernel, support, few), X);
    valuesOf(KernelSums.of(kernel, support, many), X).forEach((own, i) => {
      expect(own.slice(-4)).toEqual(expected[i]);
    });
  });

  test("reject rows whose values overflow", () => {
    const support = Matrix.from([[1, 2]]);
    const X = Matrix.from([
      [1, 1],
      [1e200, 1e200],
    ]);
    const machine = { support: Int32Array.of(0), coefficients: Float64Array.of(1), bias: 0 };
    const sums = KernelSums.of({ kind: "polynomial", degree: 2, scale: 1 }, support, [machine]);
    expect(() => valuesOf(sums, X)).toThrow(/Row 2 has numbers so large/);
    expect(() => valuesOf(sums, X, [1])).toThrow(/Row 2 has numbers so large/);
    const overflowing = KernelSums.of({ kind: "rbf", gamma: 1 }, Matrix.from([[1e200]]), [machine]);
    expect(() => valuesOf(overflowing, Matrix.from([[1e200]]))).toThrow(/Row 1 has numbers so large/);
  });
});
