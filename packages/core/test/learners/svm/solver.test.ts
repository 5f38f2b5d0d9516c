import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { type Kernel, kernelValue } from "#core/learners/kernel/kernel.js";
import { KernelMatrix, kernelMatrix } from "#core/learners/kernel/kernel-matrix.js";
import { KernelOnDemand } from "#core/learners/kernel/kernel-rows.js";
import { type SvmProblem, type SvmSolution, solverBytes, solveSvm } from "#core/learners/svm/solver.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { Arena } from "#core/runtime/wasm/arena.js";
import { createWasmMemory, wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { exhaustiveObjective, objective } from "./solver-exhaustive.js";

/** Test files may share the memory of a process. */
const usedBefore = wasmMemory().used;

const run = { executor: inlineExecutor() };
const options = { tolerance: 1e-3, maxIterations: 1e7 };

const linear: Kernel = { kind: "linear" };
const cubic: Kernel = { kind: "polynomial", degree: 3, scale: 0.5 };
const gaussian: Kernel = { kind: "rbf", gamma: 0.5 };

interface Data {
  readonly X: Matrix;
  readonly labels: Int8Array;
}

/** Two overlapping clouds. */
function clouds(rows: number, columns: number, seed: number): Data {
  const random = new Random(seed);
  const labels = Int8Array.from({ length: rows }, (_, i) => (i % 2 === 0 ? 1 : -1));
  const values = Float64Array.from(
    { length: rows * columns },
    (_, k) => random.normal() + 0.4 * labels[Math.floor(k / columns)],
  );
  return { X: new Matrix(rows, columns, values), labels };
}

const allRows = (rows: number) => Int32Array.from({ length: rows }, (_, i) => i);

/** Solves with all rows, and checks the solution. */
async function solve({ X, labels }: Data, kernel: Kernel, upperBounds: Float64Array): Promise<SvmSolution> {
  using matrix = await kernelMatrix(X, kernel, run);
  const problem = { kernel: matrix, rows: allRows(X.rows), labels, upperBounds };
  const solution = await solveSvm(problem, options);
  checkSolution(problem, solution);
  return solution;
}

/** Checks all fields of a solution against their definitions. */
function checkSolution({ kernel, rows, labels, upperBounds }: SvmProblem, solution: SvmSolution): void {
  const n = rows.length;
  const { coefficients: beta, bias } = solution;
  const K = Array.from(rows, (row) => Array.from(rows, (column) => kernel.row(row)[column]));
  const f = K.map((row) => row.reduce((sum, value, j) => sum + value * beta[j], bias));
  const size =
    1 +
    K.reduce((most, row, i) => Math.max(most, row[i]), 0) * upperBounds.reduce((s, c) => Math.max(s, c), 0);
  let highest = -Infinity;
  let lowest = Infinity;
  let losses = 0;
  for (let i = 0; i < n; i++) {
    const alpha = labels[i] * beta[i];
    expect(alpha).toBeGreaterThanOrEqual(0);
    expect(alpha).toBeLessThanOrEqual(upperBounds[i]);
    const gradient = labels[i] - (f[i] - bias);
    if (labels[i] > 0 ? alpha < upperBounds[i] : alpha > 0) highest = Math.max(highest, gradient);
    if (labels[i] > 0 ? alpha > 0 : alpha < upperBounds[i]) lowest = Math.min(lowest, gradient);
    losses += upperBounds[i] * Math.max(0, 1 - labels[i] * f[i]);
    expect(solution.decisionValues[i]).toBeCloseTo(f[i], 7 - Math.log10(size));
  }
  expect(beta.reduce((sum, b) => sum + b, 0)).toBeCloseTo(0, 8 - Math.log10(size));
  expect(solution.converged).toBe(true);
  expect(solution.gap).toBeLessThan(options.tolerance);
  expect(Math.max(0, highest - lowest)).toBeCloseTo(solution.gap, 6 - Math.log10(size));
  const dual = objective(K, labels, beta);
  const alphas = beta.reduce((sum, b, i) => sum + b * labels[i], 0);
  const digits = 6 - Math.log10(size * (n + 1));
  expect(solution.objective).toBeCloseTo(dual, digits);
  expect(solution.squaredNorm).toBeCloseTo(2 * (dual + alphas), digits);
  expect(solution.dualityGap).toBeCloseTo(dual + alphas + losses + dual, digits);
  expect(solution.dualityGap).toBeGreaterThanOrEqual(-1e-6 * size);
}

afterEach(() => expect(wasmMemory().used).toBe(usedBefore));

describe("small problems", () => {
  test("two points: the widest margin, or C", async () => {
    // The margin is half the distance: ‖w‖ = 2/‖x − y‖, so α = 2/‖x − y‖² = 0.08, and f(0) = −1 + 2·(1/5)² … by symmetry.
    const data = {
      X: Matrix.from([
        [3, 4],
        [0, 0],
      ]),
      labels: Int8Array.of(1, -1),
    };
    const wide = await solve(data, linear, Float64Array.of(1, 1));
    expect(Array.from(wide.coefficients)).toEqual([expect.closeTo(0.08, 12), expect.closeTo(-0.08, 12)]);
    expect(wide.bias).toBeCloseTo(-1, 12);
    expect(wide.squaredNorm).toBeCloseTo(0.16, 12);
    const bounded = await solve(data, linear, Float64Array.of(1, 0.05));
    expect(Array.from(bounded.coefficients)).toEqual([0.05, -0.05]);
    // With both at or below their bounds: the first is free, so f(x₁) = 1.
    expect(bounded.bias).toBeCloseTo(1 - 0.05 * 25, 12);
  });

  test("agree with trying all combinations of bounds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(linear, cubic, gaussian),
        fc.integer({ min: 2, max: 6 }),
        fc.array(fc.constantFrom(0, 0.01, 0.3, 1, 20), { minLength: 6, maxLength: 6 }),
        fc.nat(),
        async (kernel, rows, bounds, seed) => {
          const data = clouds(rows, 3, seed);
          const upperBounds = Float64Array.from(bounds.slice(0, rows));
          const solution = await solve(data, kernel, upperBounds);
          const K = Array.from({ length: rows }, (_, i) =>
            Array.from({ length: rows }, (_, j) =>
              Math.fround(kernelValue(kernel, data.X.row(i), data.X.row(j))),
            ),
          );
          const best = exhaustiveObjective(K, data.labels, upperBounds);
          const largestSum = upperBounds.reduce((sum, c) => sum + c, 0);
          // The solver sums the objective from 32-bit gradients: each α carries their rounding, and so does a bound that is just met.
          expect(solution.objective).toBeGreaterThanOrEqual(best - 1e-6 * (1 + largestSum));
          // A violation of at most τ costs at most τ per unit of α.
          const slack = options.tolerance * largestSum;
          expect(solution.objective).toBeLessThanOrEqual(best + slack + 1e-9);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("no rows, one row, one class, and C = 0 everywhere have trivial solutions", async () => {
    const empty = await solve({ X: new Matrix(0, 2), labels: new Int8Array(0) }, linear, new Float64Array(0));
    expect(empty).toMatchObject({ bias: 0, objective: 0, iterations: 0, converged: true });
    const { X } = clouds(3, 2, 1);
    const oneClass = await solve({ X, labels: Int8Array.of(-1, -1, -1) }, gaussian, Float64Array.of(1, 1, 1));
    expect(oneClass).toMatchObject({ bias: -1, objective: 0 });
    expect(Array.from(oneClass.decisionValues)).toEqual([-1, -1, -1]);
    const weightless = await solve({ X, labels: Int8Array.of(1, -1, 1) }, linear, new Float64Array(3));
    expect(weightless).toMatchObject({ bias: 0, objective: 0, gap: 0 });
    const single = await solve({ X: X.select([0]), labels: Int8Array.of(1) }, linear, Float64Array.of(1));
    expect(single).toMatchObject({ bias: 1, objective: 0 });
  });

  test("equal points with different labels end at C; the bias votes", async () => {
    for (const kernel of [linear, cubic, gaussian]) {
      const X = Matrix.from(Array.from({ length: 7 }, () => [0.3, -1.2]));
      const labels = Int8Array.of(1, -1, 1, 1, -1, 1, 1);
      const solution = await solve({ X, labels }, kernel, new Float64Array(7).fill(2));
      // All values are equal, so nothing is gained by any w: Σα = 2 · (2 minority rows) · C.
      expect(solution.objective).toBeCloseTo(-8, 9);
      for (const value of solution.decisionValues) expect(value).toBeCloseTo(1, 9);
    }
    const origin = Matrix.from([
      [0, 0],
      [0, 0],
    ]);
    const both = await solve({ X: origin, labels: Int8Array.of(1, -1) }, linear, Float64Array.of(3, 3));
    expect(Array.from(both.coefficients)).toEqual([3, -3]);
  });
});

describe("larger problems", () => {
  test("satisfy the Karush–Kuhn–Tucker conditions for all kernels and values of C", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(linear, cubic, gaussian),
        fc.integer({ min: 2, max: 90 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(0.01, 1, 100),
        fc.nat(),
        async (kernel, rows, columns, C, seed) => {
          const random = new Random(seed);
          const bounds = Float64Array.from({ length: rows }, () =>
            random.uniform() < 0.1 ? 0 : C * random.uniform(),
          );
          await solve(clouds(rows, columns, seed), kernel, bounds);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("with large C: shrinking and Newton steps lead to the same minimum as many small steps", async () => {
    const data = clouds(400, 5, 3);
    const bounds = new Float64Array(400).fill(100);
    const solution = await solve(data, linear, bounds);
    expect(solution.dualityGap / Math.abs(solution.objective)).toBeLessThan(1e-4);
    // Pairs alone need more than 500,000 steps.
    expect(solution.iterations).toBeLessThan(100_000);
  });

  test("rows with C = 0 have no effect", async () => {
    const { X, labels } = clouds(80, 3, 4);
    const bounds = Float64Array.from({ length: 80 }, (_, i) => (i % 3 === 0 ? 0 : 1));
    const kept = allRows(80).filter((i) => bounds[i] > 0);
    const all = await solve({ X, labels }, gaussian, bounds);
    const some = await solve(
      { X: X.select(kept), labels: labels.filter((_, i) => bounds[i] > 0) },
      gaussian,
      bounds.filter((c) => c > 0),
    );
    for (let i = 0; i < 80; i += 3) expect(all.coefficients[i]).toBe(0);
    expect(all.coefficients.filter((_, i) => bounds[i] > 0)).toEqual(some.coefficients);
    expect(all.bias).toBeCloseTo(some.bias, 9);
  });

  test("if the iterations run out, the solution reports the remaining gap", async () => {
    const { X, labels } = clouds(200, 4, 5);
    using matrix = await kernelMatrix(X, cubic, run);
    const problem = {
      kernel: matrix,
      rows: allRows(200),
      labels,
      upperBounds: new Float64Array(200).fill(100),
    };
    for (const maxIterations of [0, 1, 150, 700]) {
      const solution = await solveSvm(problem, { tolerance: 1e-3, maxIterations });
      expect(solution.iterations).toBe(maxIterations);
      expect(solution.converged).toBe(false);
      expect(solution.gap).toBeGreaterThan(1e-3);
      expect(solution.dualityGap).toBeGreaterThan(0);
    }
  });
});

describe("rows of a larger kernel", () => {
  const { X, labels } = clouds(150, 4, 6);
  const rows = Int32Array.from([...allRows(150)].filter((i) => i % 4 !== 1)).reverse();
  const taken = (numbers: Int8Array) => Int8Array.from(rows, (row) => numbers[row]);
  const upperBounds = new Float64Array(rows.length).fill(5);

  test("make the same problem as a sample of these rows, in any order", async () => {
    using whole = await kernelMatrix(X, cubic, run);
    const ascending = rows.toReversed();
    using part = await kernelMatrix(X.select(ascending), cubic, run);
    const some = await solveSvm({ kernel: whole, rows, labels: taken(labels), upperBounds }, options);
    const problem = {
      kernel: part,
      rows: allRows(rows.length),
      labels: taken(labels).reverse(),
      upperBounds,
    };
    const own = await solveSvm(problem, options);
    const { coefficients, kept, decisionValues } = own;
    expect(some).toEqual({
      ...own,
      kept: kept.toReversed(),
      coefficients: coefficients.toReversed(),
      decisionValues: decisionValues.toReversed(),
    });
    const reversed = { ...problem, rows: problem.rows.toReversed(), labels: taken(labels) };
    expect(await solveSvm(reversed, options)).toEqual(some);
  });

  test("can be solved in an arena again and again, with the same bits", async () => {
    using whole = await kernelMatrix(X, cubic, run);
    using arena = Arena.allocate(solverBytes(150));
    const problem = { kernel: whole, rows, labels: taken(labels), upperBounds };
    const used = wasmMemory().used;
    const first = await solveSvm(problem, options, { arena });
    await solveSvm(
      { kernel: whole, rows: allRows(150), labels, upperBounds: new Float64Array(150).fill(1) },
      options,
      { arena },
    );
    expect(await solveSvm(problem, options, { arena })).toEqual(first);
    expect(wasmMemory().used).toBe(used);
    expect(await solveSvm(problem, options)).toEqual(first);
  });

  test("can be solved if the kernel is in the memory of another thread", async () => {
    using own = await kernelMatrix(X, cubic, run);
    const memory = createWasmMemory();
    const other = KernelMatrix.allocate(150, cubic, memory);
    for (let i = 0; i < 150; i++) other.row(i).set(own.row(i));
    const attached = new KernelMatrix(other);
    const problem = { rows: allRows(150), labels, upperBounds: new Float64Array(150).fill(1) };
    expect(await solveSvm({ kernel: attached, ...problem }, options)).toEqual(
      await solveSvm({ kernel: own, ...problem }, options),
    );
    using demanded = KernelOnDemand.of(X, cubic, 1e4);
    const demandedThere = KernelOnDemand.of(X, cubic, 1e4, memory);
    expect(await solveSvm({ kernel: demandedThere, ...problem }, options)).toEqual(
      await solveSvm({ kernel: demanded, ...problem }, options),
    );
  });

  test("need exactly solverBytes, for matrices and for rows on demand", async () => {
    using whole = await kernelMatrix(X, cubic, run);
    using demanded = KernelOnDemand.of(X, cubic, 2e4);
    const problem = { rows, labels: taken(labels), upperBounds };
    for (const kernel of [whole, demanded]) {
      using enough = Arena.allocate(solverBytes(rows.length, kernel));
      await solveSvm({ kernel, ...problem }, options, { arena: enough });
      using little = Arena.allocate(solverBytes(rows.length, kernel) - 64);
      const failing = solveSvm({ kernel, ...problem }, options, { arena: little });
      await expect(failing).rejects.toThrow(/arena/);
    }
  });
});

describe("rows on demand", () => {
  const { X, labels } = clouds(500, 6, 7);
  const kernels: readonly Kernel[] = [linear, cubic, gaussian];

  test.each(kernels)("solve the same problem as a matrix: %j", async (kernel) => {
    const closely = { ...options, tolerance: 1e-6 };
    for (const C of [0.1, 10]) {
      const problem = { rows: allRows(500), labels, upperBounds: new Float64Array(500).fill(C) };
      using matrix = await kernelMatrix(X, kernel, run);
      const exact = await solveSvm({ kernel: matrix, ...problem }, closely);
      // Room for all rows, for few, and for the two that a step needs.
      for (const bytes of [1e7, 1e5, 0]) {
        using demanded = KernelOnDemand.of(X, kernel, bytes);
        const solution = await solveSvm({ kernel: demanded, ...problem }, closely);
        expect(solution.converged).toBe(true);
        expect(Math.abs(solution.objective / exact.objective - 1)).toBeLessThan(1e-4);
        for (let i = 0; i < 500; i++) {
          expect(Math.abs(solution.decisionValues[i] - exact.decisionValues[i])).toBeLessThan(0.01);
        }
      }
    }
  });

  test("work for all kernels, in double precision if features need it", async () => {
    const random = new Random(1);
    const values = Float64Array.from(
      { length: 200 * 4 },
      (_, k) => 1000 * random.uniform() + 200 * labels[k >> 2],
    );
    const unscaled = new Matrix(200, 4, values.map(Math.abs));
    const problem = {
      rows: allRows(200),
      labels: labels.subarray(0, 200),
      // A larger C needs a million steps for the polynomial kernel.
      upperBounds: new Float64Array(200).fill(0.01),
    };
    for (const kernel of [
      { kind: "intersection" },
      { kind: "chi-square", gamma: 0.01 },
      { kind: "rbf", gamma: 1e-5 },
      { kind: "polynomial", degree: 2, scale: 1e-3 },
    ] satisfies Kernel[]) {
      using matrix = await kernelMatrix(unscaled, kernel, run);
      const exact = await solveSvm({ kernel: matrix, ...problem }, options);
      using demanded = KernelOnDemand.of(unscaled, kernel, 3e4);
      const solution = await solveSvm({ kernel: demanded, ...problem }, options);
      expect(Math.abs(solution.objective / exact.objective - 1)).toBeLessThan(1e-5);
      const isDouble = "panels" in demanded.sample && demanded.sample.panels.precision === "f64";
      if (isDouble) expect(solution).toEqual(exact);
    }
  });
});

describe("interruption", () => {
  test("a checkpoint that throws ends the work and releases the memory", async () => {
    const { X, labels } = clouds(600, 4, 8);
    using matrix = await kernelMatrix(X, linear, run);
    const used = wasmMemory().used;
    let checkpoints = 0;
    const problem = {
      kernel: matrix,
      rows: allRows(600),
      labels,
      upperBounds: new Float64Array(600).fill(1000),
    };
    const checkpoint = async () => {
      if (++checkpoints === 20) throw new Error("enough");
    };
    const solving = solveSvm(problem, { tolerance: 1e-9, maxIterations: 1e9 }, { checkpoint });
    await expect(solving).rejects.toThrow("enough");
    expect(wasmMemory().used).toBe(used);
  });

  test("invalid problems are refused", async () => {
    const { X, labels } = clouds(4, 2, 9);
    using kernel = await kernelMatrix(X, linear, run);
    const good = { kernel, rows: allRows(4), labels, upperBounds: new Float64Array(4).fill(1) };
    const bad = [
      { ...good, labels: labels.subarray(1) },
      { ...good, labels: Int8Array.of(1, 0, 1, -1) },
      { ...good, rows: Int32Array.of(0, 1, 2, 4) },
      { ...good, rows: Int32Array.of(0, 1, 1, 2) },
      { ...good, upperBounds: Float64Array.of(1, 1, -1, 1) },
      { ...good, upperBounds: Float64Array.of(1, 1, Infinity, 1) },
    ];
    for (const problem of bad) await expect(solveSvm(problem, options)).rejects.toThrow();
    await expect(solveSvm(good, { ...options, tolerance: 0 })).rejects.toThrow(/tolerance/);
  });
});

describe("ionosphere, standardised", () => {
  const text = readFileSync(
    fileURLToPath(new URL("../../../../datasets/data/ionosphere.csv", import.meta.url)),
    "utf8",
  );
  const lines = text.trim().split(/\r?\n/).slice(1);
  const cells = lines.map((line) => line.split(","));
  const labels = Int8Array.from(cells, (row) => (row.at(-1) === cells[0].at(-1) ? 1 : -1));
  const X = standardised(Matrix.from(cells.map((row) => row.slice(0, -1).map(Number))));

  // Output of svm-train -t 1 -g 1 -r 1 -e 0.00001 of LIBSVM 3.24 on the same numbers.
  const expected: readonly [degree: number, C: number, objective: number, rho: number][] = [
    [1, 0.01, -1.299459, -0.398205],
    [1, 1, -63.039552, 0.135563],
    [1, 100, -5126.799876, 1.419595],
    [2, 0.01, -0.276578, -1.160853],
    [2, 1, -2.383033, -1.263132],
    [2, 100, -2.486131, -1.187181],
    [3, 0.01, -0.058173, -1.116962],
    [3, 1, -0.103042, -1.20873],
    [3, 100, -0.103042, -1.20873],
    [4, 0.01, -0.011387, -1.162371],
    [4, 1, -0.011387, -1.162371],
    [4, 100, -0.011387, -1.162371],
  ];

  test.each(expected)(
    "degree %i, C = %d: the objective and the bias are LIBSVM's",
    async (degree, C, libsvm, rho) => {
      using matrix = await kernelMatrix(X, { kind: "polynomial", degree, scale: 1 }, run);
      const problem = {
        kernel: matrix,
        rows: allRows(X.rows),
        labels,
        upperBounds: new Float64Array(X.rows).fill(C),
      };
      const solution = await solveSvm(problem, options);
      expect(solution.converged).toBe(true);
      expect(Math.abs(solution.objective / libsvm - 1)).toBeLessThan(1e-4);
      expect(solution.bias).toBeCloseTo(-rho, 2);
    },
  );
});

function standardised({ rows, columns, values }: Matrix): Matrix {
  const scaled = Float64Array.from(values);
  for (let k = 0; k < columns; k++) {
    let [sum, squares] = [0, 0];
    for (let i = 0; i < rows; i++) sum += values[i * columns + k];
    for (let i = 0; i < rows; i++) squares += (values[i * columns + k] - sum / rows) ** 2;
    const deviation = Math.sqrt(squares / rows) || 1;
    for (let i = 0; i < rows; i++)
      scaled[i * columns + k] = (values[i * columns + k] - sum / rows) / deviation;
  }
  return new Matrix(rows, columns, scaled);
}
