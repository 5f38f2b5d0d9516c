import { describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { fitHierarchy } from "#core/learners/hierarchy/fit-hierarchy.js";
import { hierarchyOptions } from "#core/learners/hierarchy/hierarchy-options.js";
import { nodeValues } from "#core/learners/hierarchy/node-machines.js";
import { relaxedHierarchy } from "#core/learners/hierarchy/relaxed-hierarchy.js";
import { withKernelRows } from "#core/learners/kernel/kernel-rows.js";
import { solveLinearSvm } from "#core/learners/linear/dual-coordinate-descent.js";
import { loadLinearRows } from "#core/learners/linear/linear-rows.js";
import { linearSvm } from "#core/learners/linear/linear-svm.js";
import { logistic } from "#core/learners/logistic/logistic.js";
import { trainPerceptronSync } from "#core/learners/perceptron/batch-perceptron.js";
import { perceptron } from "#core/learners/perceptron/perceptron.js";
import { pairProblems } from "#core/learners/svm/pair-problems.js";
import { svm } from "#core/learners/svm/svm.js";
import { trainPairs } from "#core/learners/svm/train-pairs.js";
import type { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { drawRows, onALine } from "../theory/tiny-populations.js";

/**
 * Retrains on the compression set alone, with the tolerances that learners have by default, on a few points of a line: many rows are
 * equal, many machines have no free support vector, and decision boundaries pass through points.
 */
const SAMPLES = process.env.VOUCH_NIGHTLY ? 600 : 24;
const ROWS = 30;

/** Machines may differ by less than half of the margin of the rows that are left out (`kernelMachineCertificates`). */
const LEAST_MARGIN = 0.9;
const MOST_DIFFERENCE = LEAST_MARGIN / 2;

/** Limits of solvers for the optimum on the compression set, which the machine of all rows is compared with. */
const EXACT = { tolerance: 1e-6, maxPasses: 200_000 };

const even = Array<number>(9).fill(1);

/** Draws samples with little and much noise; all classes have rows. */
function* samples(classes: number): Generator<{ readonly sample: Sample<Matrix>; readonly points: Matrix }> {
  const random = new Random(classes);
  for (let n = 0; n < SAMPLES; n++) {
    const noise = [0, 0.05, 0.3][n % 3];
    const population = onALine(even, classes, (x) => Math.floor((x * classes) / even.length), noise);
    const sample = drawRows(population, ROWS, random);
    if (new Set(sample.labels).size === classes) yield { sample, points: population.points };
  }
}

const signsOf = (sample: Sample<Matrix>) => Int8Array.from(sample.labels, (label) => (label === 0 ? 1 : -1));

/** Checks that two machines are the same up to the tolerance, and that no row that was left out can become an error. */
function checkSame(
  values: readonly number[],
  again: readonly number[],
  marginsLeftOut: readonly number[],
): void {
  values.forEach((value, point) => {
    expect(Math.abs(value - again[point])).toBeLessThan(MOST_DIFFERENCE);
  });
  for (const margin of marginsLeftOut) expect(margin).toBeGreaterThan(LEAST_MARGIN);
}

describe("on a few points of a line, the compression set alone gives", () => {
  it.each([1, 4])("the same perceptron after up to %i passes, mistake by mistake", async (passes) => {
    for (const { sample, points } of samples(2)) {
      const learner = perceptron({ passes });
      const model = await learner.fit(sample);
      const labels = signsOf(sample);
      const x = (i: number) => sample.features.row(i)[0];
      const kernel = { row: (i: number) => Array.from(labels, (_, j) => (1 + x(i) * x(j)) ** 2) };
      const rows = Int32Array.from(labels.keys());
      const { coefficients } = trainPerceptronSync({ kernel, rows, labels }, { passes, averaged: false });
      const kept = rows.filter((row) => coefficients[row] !== 0);
      expect(model.compression.kept).toBe(kept.length);
      const again = await learner.fit(sample.select(kept));
      expect(again.machine.coefficients).toEqual(model.machine.coefficients);
      expect(again.predict(points)).toEqual(model.predict(points));
    }
  });

  it.each([
    [2, { kernel: "linear", C: 10 }],
    [2, { kernel: "linear", C: 0.02 }],
    [2, { kernel: "rbf", gamma: 0.5, C: 100 }],
    [2, { kernel: "rbf", gamma: 0.5, C: 0.02 }],
    [2, { kernel: "polynomial", degree: 2, C: 1 }],
    [3, { kernel: "linear", C: 10 }],
    [3, { kernel: "rbf", gamma: 0.5, C: 1 }],
  ] as const)("the same svm: %i classes, %o", async (classes, given) => {
    const learner = svm(given);
    const options = svm.options.parse(given);
    for (const { sample, points } of samples(classes)) {
      const run = completeRun({});
      const { problems } = pairProblems(sample, options);
      const pairs = await withKernelRows(sample, options, run, (values) =>
        trainPairs(sample.features, values, problems, options, run),
      );
      const kept = new Set<number>();
      const others: { readonly row: number; readonly margin: number }[] = [];
      for (const { problem, solution } of pairs) {
        problem.rows.forEach((row, i) => {
          if (solution.kept[i] === 1) kept.add(row);
          else others.push({ row, margin: problem.labels[i] * solution.decisionValues[i] });
        });
      }
      const model = await learner.fit(sample);
      expect(model.compression?.kept).toBe(kept.size);
      const rows = [...kept].sort((a, b) => a - b);
      const again = await svm({ ...given, tolerance: EXACT.tolerance }).fit(sample.select(rows));
      const [values, same] = [model, again].map(({ machines }) =>
        Array.from(machines.decisionValues(points).values),
      );
      const leftOut = others.filter(({ row }) => !kept.has(row)).map(({ margin }) => margin);
      checkSame(values, same, leftOut);
    }
  });

  it.each(["hinge", "squared-hinge"] as const)("the same linear-svm: %s", async (loss) => {
    const { C, bias, tolerance, maxPasses } = linearSvm.options.parse({});
    let converged = 0;
    for (const { sample, points } of samples(2)) {
      using rows = runNow(loadLinearRows(sample.features));
      const all = signsOf(sample);
      const solve = (taken: Int32Array, limits: { readonly tolerance: number; readonly maxPasses: number }) =>
        solveLinearSvm(
          {
            ...{ rows, taken, loss, bias },
            labels: Int8Array.from(taken, (row) => all[row]),
            upperBounds: new Float64Array(taken.length).fill(C),
          },
          { ...limits, seed: 1 },
        );
      const places = Int32Array.from(all.keys());
      const whole = await solve(places, { tolerance, maxPasses });
      // Otherwise there is no bound by compression.
      if (whole.violation > tolerance) continue;
      converged++;
      const isKept = (row: number) => whole.coefficients[row] !== 0;
      const again = await solve(places.filter(isKept), EXACT);
      const valuesOf = ({ weights, bias: b }: typeof whole) =>
        Array.from(points.values, (x) => weights[0] * x + b);
      const leftOut = places.filter((row) => !isKept(row));
      checkSame(
        valuesOf(whole),
        valuesOf(again),
        Array.from(leftOut, (row) => all[row] * whole.decisionValues[row]),
      );
    }
    expect(converged).toBeGreaterThan(SAMPLES / 2);
  });

  it.each([
    [2, { kernel: "linear" }],
    [3, { kernel: "rbf", gamma: 0.1 }],
    [3, { kernel: "rbf", gamma: 0.1, rho: 0.01 }],
    [4, { kernel: "polynomial", degree: 2 }],
  ] as const)(
    "with the colours, the same machines of a relaxed hierarchy: %i classes, %o",
    async (classes, given) => {
      const options = hierarchyOptions.parse(given);
      const { kernel, C, gamma, degree } = options;
      // For the linear kernel, nodes have the solver of linear-svm.
      const learner =
        kernel === "linear"
          ? linearSvm({ loss: "hinge", C, ...EXACT })
          : svm({ kernel, C, gamma, degree, tolerance: EXACT.tolerance });
      for (const { sample, points } of samples(classes)) {
        const { nodes, machines, kept } = await fitHierarchy(sample, options, completeRun({}));
        if (nodes.some(({ gap }) => gap > options.tolerance)) continue;
        for (const [j, { classes: reached, colours }] of nodes.entries()) {
          const colourOf = (row: number) => colours[reached.indexOf(sample.labels[row])] ?? 0;
          const taking = Array.from(sample.labels.keys()).filter((row) => colourOf(row) !== 0);
          const rows = taking.filter((row) => kept.has(row));
          const again = await learner.fit(
            new Sample({
              features: sample.features.select(rows),
              labels: Int32Array.from(rows, (row) => (colourOf(row) > 0 ? 0 : 1)),
              classes: ["right", "left"],
            }),
          );
          const valuesOf = (features: Matrix) =>
            nodeValues(
              machines,
              j,
              features,
              Int32Array.from({ length: features.rows }, (_, i) => i),
            );
          const scores = again.scores(points);
          const leftOut = taking.filter((row) => !kept.has(row));
          const own = valuesOf(sample.features.select(leftOut));
          checkSame(
            Array.from(valuesOf(points)),
            Array.from({ length: points.rows }, (_, i) => scores.row(i)[0]),
            leftOut.map((row, i) => colourOf(row) * own[i]),
          );
        }
      }
    },
  );

  it("nothing about classes without rows: a hierarchy with such a class has no bound by compression", async () => {
    const [{ sample }] = samples(2);
    const { features, labels } = sample;
    const certificatesWith = async (classes: readonly string[]) => {
      const model = await relaxedHierarchy().fit(new Sample({ features, labels, classes }));
      return (model.certificates?.({ confidence: 0.9 }) ?? []).map(({ name }) => name);
    };
    expect(await certificatesWith(["a", "b"])).toEqual(["compression", "relaxed-hierarchy"]);
    expect(await certificatesWith(["a", "b", "c"])).toEqual(["relaxed-hierarchy"]);
  });
});

it("bounds by the growth function count classes that happen to have no rows", async () => {
  const [{ sample }] = samples(2);
  const { features, labels } = sample;
  const classes = ["a", "b", "c"];
  for (const learner of [logistic(), svm({ kernel: "linear" })]) {
    const growthOf = async (given: Sample<Matrix>) => {
      const model = await learner.fit(given);
      const found = model
        .certificates?.({ confidence: 0.9 })
        .find(({ name }) => name === "growth-function-exact");
      return found?.terms["ln Π(m + u)"];
    };
    const absent = await growthOf(new Sample({ features, labels, classes }));
    const present = await growthOf(
      new Sample({ features, labels: labels.map((label, i) => (i === 0 ? 2 : label)), classes }),
    );
    expect(absent).toBe(present);
    expect(absent).toBeGreaterThan((await growthOf(sample)) ?? Number.POSITIVE_INFINITY);
  }
});

it("a solver that stops far from the optimum leaves no bound by compression", async () => {
  const [{ sample }] = samples(2);
  const far = [linearSvm({ tolerance: 10 }), relaxedHierarchy({ kernel: "linear", tolerance: 0.1 })];
  const near = [linearSvm(), relaxedHierarchy({ kernel: "linear" })];
  const holdsFor = async (learner: (typeof far)[number]) => {
    const certificates = (await learner.fit(sample)).certificates?.({ confidence: 0.5 }) ?? [];
    return certificates.find(({ name }) => name === "compression")?.holds;
  };
  for (const learner of far) expect(await holdsFor(learner)).toBe(false);
  for (const learner of near) expect(await holdsFor(learner)).toBe(true);
});
