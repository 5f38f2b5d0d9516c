import { afterAll, describe, expect, it } from "vitest";
import { threadExecutor } from "vouch";
import { loadLinearRows } from "#core/learners/linear/linear-rows.js";
import { LogisticLoss } from "#core/learners/logistic/logistic-loss.js";
import type { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { completeRun, type Run } from "#core/runtime/parallel/run.js";
import { randomFeatures } from "../linear/random-problem.js";

const executor = threadExecutor({ threads: 3 });
afterAll(() => executor.close());

/** Random labels and costs, and weights at which no probability is extreme. */
function problemOf(features: Matrix, classes: number, run: Partial<Run> = {}) {
  const random = new Random(classes);
  const labels = Int32Array.from({ length: features.rows }, (_, i) =>
    i < classes ? i : random.integer(classes),
  );
  const costs = Float64Array.from(labels, () => 0.5 + random.uniform());
  const rows = runNow(loadLinearRows(features));
  const loss = new LogisticLoss({ rows, classes, labels, costs }, completeRun(run));
  const weights = Float64Array.from({ length: loss.size }, (_, j) =>
    j % loss.outputs < classes ? 0.3 * random.normal() : 0,
  );
  const release = () => {
    loss.release();
    rows.release();
  };
  return { loss, weights, labels, costs, release };
}

/** Computes f_k(x) of one row from weights by features. */
function scoresOf(row: ArrayLike<number>, weights: Float64Array, classes: number, outputs: number): number[] {
  const own = classes === 2 ? 1 : classes;
  const scores = Array.from({ length: own }, (_, k) => {
    let score = weights[row.length * outputs + k];
    for (let j = 0; j < row.length; j++) score += row[j] * weights[j * outputs + k];
    return score;
  });
  return classes === 2 ? [0, ...scores] : scores;
}

const SHAPES = [
  { rows: 30, columns: 5, density: 1 },
  { rows: 30, columns: 12, density: 0.2 },
  { rows: 7, columns: 0, density: 1 },
].flatMap((shape) => [2, 3, 4, 5, 9, 13, 20, 26].map((classes) => ({ ...shape, classes })));

describe.each(SHAPES)(
  "the loss of $rows × $columns rows, $density of them not zero, with $classes classes",
  ({ classes, ...shape }) => {
    const features = randomFeatures({ ...shape, seed: 3 });

    it("is the sum of the log-losses, and its gradient that of finite differences", async () => {
      const { loss, weights, labels, costs, release } = problemOf(features, classes);
      const gradient = new Float64Array(loss.size);
      const value = await loss.evaluate(weights, gradient);
      let expected = 0;
      for (let i = 0; i < features.rows; i++) {
        const scores = scoresOf(features.row(i), weights, classes, loss.outputs);
        const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
        expected += costs[i] * (Math.log(total) - scores[labels[i]]);
      }
      expect(value).toBeCloseTo(expected, 10);
      const scratch = new Float64Array(loss.size);
      for (let j = 0; j < loss.size; j += Math.ceil(loss.size / 40)) {
        const [above, below] = [weights.slice(), weights.slice()];
        above[j] += 1e-5;
        below[j] -= 1e-5;
        const slope = ((await loss.evaluate(above, scratch)) - (await loss.evaluate(below, scratch))) / 2e-5;
        if (j % loss.outputs < Math.max(1, classes - (classes === 2 ? 1 : 0)))
          expect(gradient[j]).toBeCloseTo(slope, 6);
        else expect(gradient[j]).toBe(0);
      }
      release();
    });

    it("has the second derivatives of finite differences of the gradient", async () => {
      const { loss, weights, release } = problemOf(features, classes);
      const { size, outputs, features: columns } = loss;
      const [above, below] = [0, 1].map(() => new Float64Array(size));
      const secondBy = async (j: number) => {
        const [more, less] = [weights.slice(), weights.slice()];
        more[j] += 1e-5;
        less[j] -= 1e-5;
        await loss.evaluate(more, above);
        await loss.evaluate(less, below);
        return above.map((slope, l) => (slope - below[l]) / 2e-5);
      };
      const second = await secondBy(0);
      await loss.evaluate(weights, above);
      const gram = await loss.gram(1, [0, 0]);
      for (let j = 0; j <= columns; j++) {
        expect(gram.matrix.values[j * gram.columns]).toBeCloseTo(second[j * outputs], 6);
      }
      gram.release();
      if (classes > 2) {
        const mixed = await loss.gram(1, [1, 0]);
        for (let j = 0; j <= columns; j++) {
          expect(-mixed.matrix.values[j * mixed.columns]).toBeCloseTo(second[j * outputs + 1], 6);
        }
        mixed.release();
      }
      release();
    });
  },
);

it("has the same bits on any number of threads", async () => {
  for (const density of [0.1, 1]) {
    const features = randomFeatures({ rows: 4000, columns: 50, density, seed: 5 });
    for (const classes of [2, 7]) {
      const results = [];
      for (const run of [{}, { executor }]) {
        const { loss, weights, release } = problemOf(features, classes, run);
        const gradient = new Float64Array(loss.size);
        const value = await loss.evaluate(weights, gradient);
        const gram = await loss.gram(3);
        const triangle = gram.matrix.values.filter(
          (_, e) => e % gram.columns <= Math.floor(e / gram.columns),
        );
        results.push({ value, gradient, triangle: Float64Array.from(triangle), errors: loss.errors() });
        gram.release();
        release();
      }
      expect(results[1]).toEqual(results[0]);
    }
  }
});

it.each([1, 3])(
  "has a Gram matrix over blocks of rows, where each of every %d rows stands for as many",
  async (step) => {
    const features = randomFeatures({ rows: 12_000, columns: 20, density: 1, seed: 6 });
    const results = [];
    for (const run of [{}, { executor }]) {
      const { loss, weights, costs, release } = problemOf(features, 2, run);
      await loss.evaluate(weights, new Float64Array(loss.size));
      const gram = await loss.gram(step);
      const sums = new Float64Array(21 * gram.columns);
      for (let i = 0; i < features.rows; i += step) {
        const row = [...features.row(i), 1];
        const p = 1 / (1 + Math.exp(-scoresOf(features.row(i), weights, 2, 1)[1]));
        const weight = step * costs[i] * p * (1 - p);
        for (let a = 0; a <= 20; a++) {
          for (let b = 0; b <= a; b++) sums[a * gram.columns + b] += weight * row[a] * row[b];
        }
      }
      const lower = (_: number, e: number) => e % gram.columns <= Math.floor(e / gram.columns);
      const own = Array.from(gram.matrix.values).filter(lower);
      const scale = Math.max(...own);
      Array.from(sums)
        .filter(lower)
        .forEach((sum, e) => {
          expect(own[e] / scale).toBeCloseTo(sum / scale, 10);
        });
      results.push(own);
      gram.release();
      release();
    }
    expect(results[1]).toEqual(results[0]);
  },
);
