import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { precisionFor } from "#core/learners/kernel/choose-kernel.js";
import { type Kernel, kernelValue } from "#core/learners/kernel/kernel.js";
import { DotProducts, KernelMatrix, kernelMatrix } from "#core/learners/kernel/kernel-matrix.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import type { Executor } from "#core/runtime/parallel/executor.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";

/** Test files may share the memory of a process. */
const usedBefore = wasmMemory().used;

const run = { executor: inlineExecutor() };

const kernels: readonly Kernel[] = [
  { kind: "linear" },
  { kind: "polynomial", degree: 1, scale: 1 },
  { kind: "polynomial", degree: 4, scale: 0.3 },
  { kind: "rbf", gamma: 0.2 },
  { kind: "chi-square", gamma: 0.5 },
  { kind: "intersection" },
];

/** Amounts between 0 and 2, some of them 0: all kernels take them. */
function amounts(rows: number, columns: number, seed: number): Matrix {
  const random = new Random(seed);
  const values = Float64Array.from({ length: rows * columns }, () =>
    Math.max(0, 2.5 * random.uniform() - 0.5),
  );
  return new Matrix(rows, columns, values);
}

/** Features of very different sizes that are not centred, as in files that nobody has scaled. */
function unscaled(rows: number, columns: number, seed: number): Matrix {
  const random = new Random(seed);
  const values = Float64Array.from(
    { length: rows * columns },
    (_, k) => 10 ** (k % 4) * (random.normal() + 0.5),
  );
  return new Matrix(rows, columns, values);
}

/** Units in the last place of single precision between a value and the exact one. */
function ulps(value: number, exact: number): number {
  return exact === value ? 0 : Math.abs(value - exact) / 2 ** (Math.floor(Math.log2(Math.abs(exact))) - 23);
}

/** Units in the last place that f64 sums cost. Rounding costs half; exp two more, and its exponent e, rounded to f32, e. */
function allowed({ kind }: Kernel, exact: number): number {
  return kind === "rbf" || kind === "chi-square" ? 3 - Math.log(exact) : 0.5001;
}

/** The largest error of a matrix from f64 sums, relative to what is allowed. */
function worst(matrix: KernelMatrix, X: Matrix): number {
  const { kernel } = matrix;
  return largestOver(matrix, X, (value, exact) => ulps(value, exact) / allowed(kernel, exact));
}

/** The largest error of a matrix, relative to what is allowed for the precision that suits the kernel and the sample. */
function worstInPrecision(matrix: KernelMatrix, X: Matrix): number {
  const { kernel } = matrix;
  if (precisionFor(kernel, X) === "f64") return worst(matrix, X);
  return largestOver(matrix, X, (value, exact, x, y) =>
    value === exact ? 0 : Math.abs(value - exact) / boundOfSingles(kernel, x, y, exact),
  );
}

function largestOver(
  matrix: KernelMatrix,
  X: Matrix,
  error: (value: number, exact: number, x: ArrayLike<number>, y: ArrayLike<number>) => number,
): number {
  let largest = 0;
  for (let i = 0; i < X.rows; i++) {
    for (let j = 0; j < X.rows; j++) {
      const exact = kernelValue(matrix.kernel, X.row(i), X.row(j));
      largest = Math.max(largest, error(matrix.row(i)[j], exact, X.row(i), X.row(j)));
    }
  }
  return largest;
}

/**
 * Bounds the error of f32 sums. The features, the products and their n − 1 additions are rounded, so a sum is off by (n + 2)u
 * times the sum S of its absolute terms (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
 */
function boundOfSingles(kernel: Kernel, x: ArrayLike<number>, y: ArrayLike<number>, exact: number): number {
  const u = 1.01 * 2 ** -24;
  const total = (term: (a: number, b: number) => number) =>
    Array.from(x, (a, k) => Math.abs(term(a, y[k]))).reduce((sum, each) => sum + each, 0);
  const products = total((a, b) => a * b);
  const exponential = (exponentError: number) => exact * (exponentError + 2 * u * (3 - Math.log(exact)));
  switch (kernel.kind) {
    case "linear":
      return (x.length + 2) * u * products;
    case "polynomial": {
      const base = 1 + kernel.scale * products;
      return kernel.degree * base ** kernel.degree * (x.length + 6) * u;
    }
    case "rbf":
      return exponential(
        kernel.gamma * (x.length + 6) * u * total((a, b) => (Math.abs(a) + Math.abs(b)) ** 2),
      );
    case "chi-square":
      return exponential(kernel.gamma * (x.length + 8) * u * total((a, b) => a + b));
    default:
      return (x.length + 2) * u * total(Math.min);
  }
}

beforeEach(() => expect(wasmMemory().used).toBe(usedBefore));

describe("kernel values", () => {
  test("follow the formulas", () => {
    const [x, y] = [
      [1, 0, 2],
      [3, 0, 1],
    ];
    expect(kernelValue({ kind: "linear" }, x, y)).toBe(5);
    expect(kernelValue({ kind: "polynomial", degree: 3, scale: 2 }, x, y)).toBe(1331);
    expect(kernelValue({ kind: "rbf", gamma: 0.5 }, x, y)).toBeCloseTo(Math.exp(-2.5), 15);
    expect(kernelValue({ kind: "chi-square", gamma: 3 }, x, y)).toBeCloseTo(Math.exp(-4), 15);
    expect(kernelValue({ kind: "intersection" }, x, y)).toBe(2);
  });
});

describe("kernel matrices", () => {
  test("hold the kernel values up to rounding, and are symmetric to the last bit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...kernels),
        fc.nat(70),
        fc.nat(30),
        fc.nat(),
        async (kernel, m, d, seed) => {
          const X = amounts(m, d, seed);
          const matrix = await kernelMatrix(X, kernel, run);
          expect(worstInPrecision(matrix, X)).toBeLessThanOrEqual(1);
          for (let i = 0; i < m; i++) {
            const row = matrix.row(i);
            expect(row.every((value, j) => value === matrix.row(j)[i])).toBe(true);
            expect(matrix.diagonal[i]).toBe(row[i]);
            if ("gamma" in kernel) expect(matrix.diagonal[i]).toBe(1);
          }
          matrix.release();
        },
      ),
      { numRuns: 60 },
    );
  });

  test("keep their digits for unscaled features and high degrees, where products nearly cancel", async () => {
    const X = unscaled(60, 12, 1);
    for (const kernel of [{ kind: "polynomial", degree: 4, scale: 1 }, { kind: "linear" }] as const) {
      const matrix = await kernelMatrix(X, kernel, run);
      expect(worstInPrecision(matrix, X)).toBeLessThanOrEqual(1);
      matrix.release();
    }
  });

  test("are exactly 1 for equal rows under RBF, also of many features", async () => {
    for (const columns of [3, 2000]) {
      const one = unscaled(1, columns, 3);
      const X = one.select([0, 0, 0]);
      const matrix = await kernelMatrix(X, { kind: "rbf", gamma: 1e-9 }, run);
      if (columns === 3) expect(Array.from(matrix.row(0))).toEqual([1, 1, 1]);
      expect(Array.from(matrix.diagonal)).toEqual([1, 1, 1]);
      expect(matrix.row(0)[2]).toBeCloseTo(1, 6);
      matrix.release();
    }
  });

  test("go down to 0 where exp has no normal value left", async () => {
    const X = Matrix.from([[0], [9.3], [9.4], [1e6]]);
    const matrix = await kernelMatrix(X, { kind: "rbf", gamma: 1 }, run);
    expect(ulps(matrix.row(0)[1], Math.exp(-(9.3 ** 2)))).toBeLessThan(92);
    expect(Array.from(matrix.row(0).subarray(2))).toEqual([0, 0]);
    matrix.release();
  });

  test("follow from scalar products, which serve all degrees", async () => {
    const X = unscaled(90, 7, 5);
    using products = await DotProducts.of(X, run);
    const others = [1, 2, 3, 4].map((degree): Kernel => ({ kind: "polynomial", degree, scale: 0.01 }));
    for (const kernel of [...others, { kind: "linear" }, { kind: "rbf", gamma: 1e-7 }] satisfies Kernel[]) {
      using matrix = await products.kernelMatrix(kernel, run);
      expect(worst(matrix, X)).toBeLessThanOrEqual(1);
    }
    using amountProducts = await DotProducts.of(amounts(20, 4, 1), run);
    using intersections = await amountProducts.kernelMatrix({ kind: "intersection" }, run);
    expect(worstInPrecision(intersections, amounts(20, 4, 1))).toBeLessThanOrEqual(1);
  });

  test("can be viewed, and released by their owner only", async () => {
    const matrix = await kernelMatrix(amounts(5, 2, 1), kernels[2], run);
    const attached = new KernelMatrix(matrix);
    expect(attached.row(3)).toEqual(matrix.row(3));
    expect(attached.kernel).toEqual(kernels[2]);
    attached.release();
    expect(wasmMemory().used).toBeGreaterThan(usedBefore);
    matrix.release();
  });
});

describe("on threads", () => {
  const threads = threadExecutor({ threads: 2 });
  afterAll(() => threads.close());
  /** Threads whatever the size of the work. */
  const eager: Executor = {
    threads: 2,
    map: (task, inputs, options) => threads.map(task, inputs, { ...options, milliseconds: Infinity }),
    close: () => threads.close(),
  };

  test("kernel matrices have the same bits", async () => {
    const X = amounts(333, 21, 2);
    for (const kernel of kernels) {
      using alone = await kernelMatrix(X, kernel, run);
      using together = await kernelMatrix(X, kernel, { executor: eager });
      for (let i = 0; i < X.rows; i++) {
        const row = alone.row(i);
        expect(together.row(i).every((value, j) => Object.is(value, row[j]))).toBe(true);
      }
    }
  });

  test("an aborted computation gives its memory back", async () => {
    const signal = AbortSignal.abort();
    const X = amounts(100, 4, 1);
    await expect(kernelMatrix(X, kernels[1], { executor: eager, signal })).rejects.toMatchObject({
      code: "run/interrupted",
    });
    using products = await DotProducts.of(X, run);
    await expect(products.kernelMatrix(kernels[1], { ...run, signal })).rejects.toMatchObject({
      code: "run/interrupted",
    });
  });
});

describe("unsuitable kernels and samples", () => {
  const X = unscaled(10, 8, 4);
  const bad: readonly [Kernel, Matrix, string, RegExp, RegExp?][] = [
    [
      { kind: "polynomial", degree: 8, scale: 1 },
      X,
      "option/invalid",
      /degree 8 and scale 1 .* norms up to/,
      /[Ss]tandardise/,
    ],
    [
      { kind: "linear" },
      Matrix.from([[1e20]]),
      "option/invalid",
      /beyond single precision/,
      /[Ss]tandardise/,
    ],
    [
      { kind: "chi-square", gamma: 1 },
      Matrix.from([
        [1, 2],
        [3, -0.5],
      ]),
      "option/invalid",
      /feature 2 of row 2 is -0\.5/,
    ],
    [{ kind: "intersection" }, Matrix.from([[-1]]), "option/invalid", /feature 1 of row 1 is -1/],
    [{ kind: "linear" }, Matrix.from([[1], [Number.NaN]]), "data/not-finite", /Feature 1 of row 2 is NaN/],
    [{ kind: "polynomial", degree: 1.5, scale: 1 }, X, "option/invalid", /degree .* not 1\.5/],
    [{ kind: "polynomial", degree: 2, scale: 0 }, X, "option/invalid", /scale .* not 0/],
    [{ kind: "rbf", gamma: -1 }, X, "option/invalid", /gamma .* not -1/],
  ];
  test.each(bad)("%j is an error", async (kernel, matrix, code, message, hint) => {
    const failure = await kernelMatrix(matrix, kernel, run).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message) });
    if (hint) expect(failure).toMatchObject({ hint: expect.stringMatching(hint) });
  });

  test("scaling helps against too large values", async () => {
    using matrix = await kernelMatrix(X, { kind: "polynomial", degree: 8, scale: 1e-6 }, run);
    expect(worstInPrecision(matrix, X)).toBeLessThanOrEqual(1);
  });
});
