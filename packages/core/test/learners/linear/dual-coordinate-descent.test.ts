import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kernelRows } from "#core/learners/kernel/kernel-rows.js";
import {
  type LinearProblem,
  type LinearSolution,
  linearSolverBytes,
  losses,
  solveLinearSvm,
} from "#core/learners/linear/dual-coordinate-descent.js";
import { type LinearRows, loadLinearRows } from "#core/learners/linear/linear-rows.js";
import { solveSvm } from "#core/learners/svm/solver.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { Arena } from "#core/runtime/wasm/arena.js";
import { createWasmMemory, wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { dot, noisyLabels, problemOn, randomFeatures } from "./random-problem.js";
import { referenceAlpha, weightsOf } from "./reference-dual.js";

const exact = { tolerance: 1e-9, maxPasses: 200_000, seed: 1 };

const shapes = fc.record({
  rows: fc.integer({ min: 2, max: 40 }),
  columns: fc.integer({ min: 1, max: 12 }),
  density: fc.constantFrom(0.2, 1),
  seed: fc.integer({ min: 0, max: 1000 }),
});
const settings = fc.record({
  loss: fc.constantFrom(...losses),
  bias: fc.constantFrom(0, 1, 2.5),
  C: fc.constantFrom(0.01, 1, 10),
});

/** Solves and releases the rows. */
async function solved(
  problem: LinearProblem & { readonly rows: LinearRows },
  options = exact,
): Promise<LinearSolution> {
  try {
    return await solveLinearSvm(problem, options);
  } finally {
    problem.rows.release();
  }
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, distance: number): void {
  expect(actual.length).toBe(expected.length);
  const differences = Array.from(actual, (value, i) => Math.abs(value - expected[i]));
  expect(Math.max(0, ...differences)).toBeLessThan(distance);
}

describe("the solution", () => {
  it("has no duality gap, fulfils the KKT conditions, and w is the sum of the rows with their coefficients", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, settings, async (shape, setting) => {
        const features = randomFeatures(shape);
        const labels = noisyLabels(features, shape.seed);
        const { objective, dualObjective, coefficients, weights, bias, ...rest } = await solved(
          problemOn(features, labels, setting),
        );
        expect(rest.converged).toBe(true);
        expect(Math.abs(objective - dualObjective)).toBeLessThan(1e-7 * (1 + objective));
        const value = (i: number) => dot(weights, features.row(i)) + bias;
        for (let i = 0; i < labels.length; i++) {
          expect(rest.decisionValues[i]).toBeCloseTo(value(i), 8);
          const alpha = labels[i] * coefficients[i];
          const ridge = setting.loss === "hinge" ? 0 : alpha / (2 * setting.C);
          const gradient = labels[i] * value(i) - 1 + ridge;
          expect(alpha).toBeGreaterThanOrEqual(0);
          if (setting.loss === "hinge") expect(alpha).toBeLessThanOrEqual(setting.C);
          if (alpha > 0) expect(gradient).toBeLessThan(1e-7);
          if (alpha < (setting.loss === "hinge" ? setting.C : Number.POSITIVE_INFINITY)) {
            expect(gradient).toBeGreaterThan(-1e-7);
          }
        }
        const total = coefficients.reduce((sum, c) => sum + c, 0);
        expectClose(
          weights,
          weightsOf(
            { ...setting, features, labels, costs: weights },
            coefficients.map((c, i) => c * labels[i]),
          ),
          1e-8,
        );
        expect(bias).toBeCloseTo(setting.bias ** 2 * total, 8);
        const norm = weights.reduce(
          (sum, w) => sum + w * w,
          setting.bias > 0 ? (bias / setting.bias) ** 2 : 0,
        );
        expect(rest.squaredNorm).toBeCloseTo(norm, 8);
      }),
      { numRuns: 150 },
    );
  });

  it("is that of projected gradient descent", async () => {
    const small = fc.record({
      rows: fc.integer({ min: 1, max: 6 }),
      columns: fc.integer({ min: 1, max: 4 }),
      density: fc.constant(1),
      seed: fc.integer({ min: 0, max: 1000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        small,
        fc.constantFrom(...losses),
        fc.constantFrom(0, 1),
        async (shape, loss, bias) => {
          const features = randomFeatures(shape);
          const labels = noisyLabels(features, shape.seed);
          const costs = Float64Array.from(labels, (_, i) => 0.2 + 0.3 * (i % 3));
          const reference = { features, labels, costs, loss, bias };
          const expected = weightsOf(reference, referenceAlpha(reference, 20_000));
          const problem = { ...problemOn(features, labels, { loss, bias }), upperBounds: costs };
          expectClose((await solved(problem)).weights, expected, 1e-5);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("is that of the kernel machine on mirrored rows, where the bias is 0 by symmetry", async () => {
    for (const seed of [1, 2, 3]) {
      const half = randomFeatures({ rows: 30, columns: 5, density: 1, seed });
      const labels = noisyLabels(half, seed);
      const mirrored = new Matrix(60, 5, Float64Array.of(...half.values, ...half.values.map((x) => -x)));
      const both = Int8Array.of(...labels, ...labels.map((y) => -y));
      const values = await kernelRows(mirrored, { kind: "linear" }, 100, completeRun());
      const rows = Int32Array.from(both, (_, i) => i);
      const upperBounds = new Float64Array(60).fill(0.5);
      const kernel = await solveSvm(
        { kernel: values, rows, labels: both, upperBounds },
        { tolerance: 1e-6, maxIterations: 1e6 },
      );
      values.release();
      expect(kernel.bias).toBeCloseTo(0, 4);
      const linear = await solved(problemOn(mirrored, both, { loss: "hinge", bias: 0, C: 0.5 }));
      expect(linear.objective).toBeCloseTo(-kernel.objective, 5);
      expectClose(
        linear.decisionValues,
        kernel.decisionValues.map((value) => value - kernel.bias),
        1e-3,
      );
    }
  });

  it("does not depend on whether rows are sparse or dense, or in which precision they fit", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, settings, fc.boolean(), async (shape, setting, single) => {
        const given = randomFeatures(shape);
        const { rows, columns } = given;
        const features = single ? new Matrix(rows, columns, Float32Array.from(given.values)) : given;
        const labels = noisyLabels(features, shape.seed);
        const sparse = problemOn(SparseRows.fromMatrix(features), labels, setting);
        const dense = problemOn(features, labels, setting);
        expect(sparse.rows.starts === 0).toBe(dense.rows.starts === 0);
        expect(sparse.rows.wide).toBe(!single && features.values.some((x) => Math.fround(x) !== x));
        expectClose((await solved(sparse)).weights, (await solved(dense)).weights, 1e-12);
      }),
    );
    const features = randomFeatures({ rows: 50, columns: 30, density: 0.1, seed: 3 });
    const labels = noisyLabels(features, 3);
    const filled = new Matrix(50, 80, new Float64Array(4000).fill(1e-9));
    for (let i = 0; i < 50; i++) filled.row(i).set(features.row(i));
    const [sparse, dense] = [problemOn(features, labels), problemOn(filled, labels)];
    expect([sparse.rows.starts === 0, dense.rows.starts === 0]).toEqual([false, true]);
    expectClose((await solved(sparse)).weights, (await solved(dense)).weights.subarray(0, 30), 1e-5);
  });

  it("of rows that are taken is that of a sample of these rows; a row taken twice is one of twice the cost", async () => {
    const features = randomFeatures({ rows: 40, columns: 6, density: 0.5, seed: 5 });
    const labels = noisyLabels(features, 5);
    for (const loss of losses) {
      const taken = Int32Array.of(3, 8, 8, 30, 12, 1, 39, 8, 20);
      const own = Int8Array.from(taken, (row) => labels[row]);
      const some = await solved({
        ...problemOn(features, labels, { loss }),
        taken,
        labels: own,
        upperBounds: new Float64Array(taken.length).fill(0.7),
      });
      const alone = await solved(problemOn(features.select(taken), own, { loss, C: 0.7 }));
      expectClose(some.weights, alone.weights, 1e-12);
      const once = Int32Array.of(3, 8, 30, 12, 1, 39, 20);
      const weighted = await solved({
        ...problemOn(features, labels, { loss }),
        taken: once,
        labels: Int8Array.from(once, (row) => labels[row]),
        upperBounds: Float64Array.from(once, (row) => (row === 8 ? 2.1 : 0.7)),
      });
      expectClose(weighted.weights, some.weights, 1e-7);
      expect(weighted.objective).toBeCloseTo(some.objective, 7);
    }
  });

  it("ignores rows that cost nothing", async () => {
    const features = randomFeatures({ rows: 20, columns: 3, density: 1, seed: 2 });
    const labels = noisyLabels(features, 2);
    const kept = Int32Array.from({ length: 10 }, (_, i) => i);
    for (const loss of losses) {
      const upperBounds = Float64Array.from(labels, (_, i) => (i < 10 ? 1 : 0));
      const all = await solved({ ...problemOn(features, labels, { loss }), upperBounds });
      const some = await solved(problemOn(features.select(kept), labels.slice(0, 10), { loss }));
      expect(all.converged).toBe(true);
      expect(all.coefficients.subarray(10).every((c) => c === 0)).toBe(true);
      expectClose(all.weights, some.weights, 1e-7);
      const none = await solved({
        ...problemOn(features, labels, { loss }),
        upperBounds: new Float64Array(20),
      });
      expect(none).toMatchObject({ converged: true, objective: 0, dualObjective: 0, bias: 0 });
    }
  });
});

describe("the solver", () => {
  const features = randomFeatures({ rows: 300, columns: 40, density: 0.3, seed: 4 });
  const labels = noisyLabels(features, 4);

  it("gives the same bits for the same seed, in any memory", async () => {
    const options = { tolerance: 1e-3, maxPasses: 1000, seed: 9 };
    const first = await solved(problemOn(features, labels), options);
    const other = createWasmMemory({ shared: false, limit: 2 ** 24 });
    const rows = runNow(loadLinearRows(features, other));
    const arena = Arena.allocate(linearSolverBytes(rows, labels.length), other);
    let pauses = 0;
    const checkpoint = (passes: number) => {
      expect(passes).toBeLessThanOrEqual(first.passes);
      pauses++;
      return undefined;
    };
    const problem = { ...problemOn(features, labels), rows };
    expect(await solveLinearSvm(problem, options, { arena, checkpoint })).toEqual(first);
    expect(pauses).toBeGreaterThan(1);
    const another = await solved(problemOn(features, labels), { ...options, seed: 10 });
    expect(another.weights).not.toEqual(first.weights);
    expectClose(another.weights, first.weights, 0.02);
  });

  it("reports that the passes ran out, and the remaining violation", async () => {
    for (const loss of losses) {
      for (const maxPasses of [1, 2, 3, 5]) {
        const solution = await solved(problemOn(features, labels, { loss, C: 10 }), { ...exact, maxPasses });
        expect(solution).toMatchObject({ passes: maxPasses, converged: false });
        expect(solution.violation).toBeGreaterThan(exact.tolerance);
        expect(solution.objective).toBeGreaterThan(solution.dualObjective);
      }
    }
  });

  it("releases its memory, even when it is interrupted", async () => {
    const problem = problemOn(features, labels);
    const before = wasmMemory().used;
    await solveLinearSvm(problem, exact);
    const stop = () => {
      throw new Error("stop");
    };
    await expect(solveLinearSvm(problem, exact, { checkpoint: stop })).rejects.toThrow("stop");
    expect(wasmMemory().used).toBe(before);
    problem.rows.release();
  });

  it("refuses invalid problems", async () => {
    const problem = problemOn(features, labels);
    const solve = (change: Partial<LinearProblem>, options = {}) =>
      solveLinearSvm({ ...problem, ...change }, { ...exact, ...options });
    await expect(solve({ labels: labels.slice(1) })).rejects.toThrow(RangeError);
    await expect(solve({ taken: problem.taken.map(() => 300) })).rejects.toThrow(RangeError);
    await expect(solve({ labels: labels.map(() => 0) })).rejects.toThrow(RangeError);
    const invalid = [
      ...[-1, Number.NaN, Number.POSITIVE_INFINITY].map((C) =>
        solve({ upperBounds: problem.upperBounds.map(() => C) }),
      ),
      ...[-1, Number.NaN, 1e200].map((bias) => solve({ bias })),
      ...[{ tolerance: 0 }, { tolerance: Number.NaN }, { maxPasses: 0 }, { maxPasses: 1.5 }].map((options) =>
        solve({}, options),
      ),
    ];
    for (const refused of await Promise.allSettled(invalid)) {
      expect(refused).toMatchObject({ status: "rejected", reason: { code: "option/invalid" } });
    }
    problem.rows.release();
  });
});
