import { describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { solveNode } from "#core/learners/hierarchy/solve-node.js";
import { kernelMatrix } from "#core/learners/kernel/kernel-matrix.js";
import { withKernelRows } from "#core/learners/kernel/kernel-rows.js";
import { pairProblems } from "#core/learners/svm/pair-problems.js";
import { svm } from "#core/learners/svm/svm.js";
import { type TrainedPair, trainPairs } from "#core/learners/svm/train-pairs.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun } from "#core/runtime/parallel/run.js";

const ROWS = 60;

/** f(x) of the machine for all rows and of the one for the compression set differ by no more; points closer to 0 may change sides. */
const TOLERANCE = 1e-3;

/** Rows in the plane with noisy labels; at least two of each class. */
function noisyPlane(rows: number, classes: number, random: Random): Sample {
  const features = Array.from({ length: rows }, () => [random.normal(), random.normal()]);
  const labels = features.map(([x, y], i) => {
    if (i < 2 * classes) return i % classes;
    const score = x + 0.5 * y + 0.7 * random.normal();
    return Math.max(0, Math.min(classes - 1, Math.floor((score / 3 + 0.5) * classes)));
  });
  return new Sample({
    features: Matrix.from(features),
    labels: Int32Array.from(labels),
    classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
  });
}

const optionsOf = (kernel: "linear" | "rbf", C: number) =>
  ({
    kernel,
    C,
    gamma: 0.5,
    degree: 1,
    scale: 1,
    classWeights: "none",
    probability: false,
    tolerance: 1e-6,
    cacheMegabytes: 100,
    maxIterations: 1e6,
  }) as const;

/** Trains the machines of all pairs. */
function machinesOf(sample: Sample, options: ReturnType<typeof optionsOf>): Promise<TrainedPair[]> {
  const { problems } = pairProblems(sample, options);
  const run = completeRun({});
  return withKernelRows(sample, options, run, (values) =>
    trainPairs(sample.features, values, problems, options, run),
  );
}

/** Counts what the certificate needs by hand, and retrains on the compression set alone. */
async function compare(options: ReturnType<typeof optionsOf>, sample: Sample, fresh: Matrix) {
  const learner = svm(options);
  const model = await learner.fit(sample);
  const kept = new Set<number>();
  let bound = 0;
  for (const { problem, solution } of await machinesOf(sample, options)) {
    const { coefficients } = solution;
    if (coefficients.every((beta, i) => beta === 0 || Math.abs(beta) === problem.upperBounds[i])) bound++;
    problem.rows.forEach((row, i) => {
      if (solution.kept[i] === 1) kept.add(row);
    });
  }
  const rows = Array.from(kept).sort((a, b) => a - b);
  const again = await learner.fit(sample.select(rows));
  const [values, same] = [model, again].map(({ machines }) =>
    Array.from(machines.decisionValues(fresh).values),
  );
  const difference = values.reduce((largest, value, i) => Math.max(largest, Math.abs(value - same[i])), 0);
  const columns = model.machines.pairs.length;
  const close = new Set<number>();
  values.forEach((value, i) => {
    if (Math.abs(value) <= TOLERANCE) close.add(Math.floor(i / columns));
  });
  const [labels, sameLabels] = [model, again].map((machine) =>
    machine.predict(fresh).filter((_, i) => !close.has(i)),
  );
  return { model, kept, bound, difference, labels, sameLabels, close: close.size };
}

describe("the compression set of a support vector machine", () => {
  it.each([
    [2, "rbf", 0.02, 300],
    [2, "rbf", 1, 100],
    [2, "linear", 0.02, 300],
    [2, "linear", 1, 100],
    [3, "rbf", 0.02, 100],
    [3, "linear", 0.05, 100],
  ] as const)("determines it: %i classes, %s, C = %d, %i samples", async (classes, kernel, C, samples) => {
    let withoutFree = 0;
    let extra = 0;
    let close = 0;
    for (let seed = 0; seed < samples; seed++) {
      const random = new Random(seed);
      const sample = noisyPlane(ROWS, classes, random);
      const fresh = Matrix.from(Array.from({ length: 100 }, () => [random.normal(), random.normal()]));
      const found = await compare(optionsOf(kernel, C), sample, fresh);
      const { model, kept } = found;
      expect(found.difference).toBeLessThan(TOLERANCE);
      expect(found.sameLabels).toEqual(found.labels);
      expect(model.compression?.kept).toBe(kept.size);
      if (classes === 2) {
        const wrong = Array.from(model.predict(sample.features).entries()).filter(
          ([i, label]) => label !== sample.labels[i] && !kept.has(i),
        );
        expect(model.compression?.otherErrors).toBe(wrong.length);
      }
      extra += kept.size - model.machines.supportVectors.rows;
      close += found.close;
      if (found.bound > 0) withoutFree++;
    }
    // With a small C many machines have no free support vector, and rows that are none set their bias.
    expect(withoutFree > samples / 10).toBe(C < 1);
    expect(extra > samples / 10).toBe(C < 1);
    expect(close).toBeLessThan(samples);
  });

  it("has no further rows if a support vector is free", async () => {
    const sample = noisyPlane(200, 2, new Random(1));
    const { compression, machines } = await svm({ C: 1 }).fit(sample);
    expect(compression?.kept).toBe(machines.supportVectors.rows);
  });

  it("takes a support vector for an end of the bias if it ties with another row", async () => {
    // Two copies of every row: half of each pair can be left out of the support vectors.
    const features = Matrix.from([[-1], [-1], [1], [1]]);
    const sample = new Sample({ features, labels: Int32Array.of(0, 0, 1, 1), classes: ["a", "b"] });
    const { compression, machines } = await svm({ kernel: "linear", C: 10 }).fit(sample);
    expect(compression?.kept).toBe(machines.supportVectors.rows);
  });
});

describe("the compression set of a node of a hierarchy", () => {
  it("determines its machine", async () => {
    let extra = 0;
    for (let seed = 0; seed < 100; seed++) {
      const { features, labels } = noisyPlane(ROWS, 2, new Random(seed));
      const values = await kernelMatrix(features, { kind: "rbf", gamma: 0.5 }, completeRun({}));
      try {
        const setup = {
          kind: "kernel",
          values,
          tolerance: 1e-6,
          maxIterations: 1e6,
        } as const;
        const all = {
          rows: Int32Array.from(labels.keys()),
          labels: Int8Array.from(labels, (label) => (label === 0 ? 1 : -1)),
          costs: new Float64Array(ROWS).fill(0.02),
        };
        const whole = await solveNode(setup, all, () => undefined);
        // Rows with label 0 take no part, but get their value.
        const own = all.labels.map((label, i) => (whole.isKept[i] === 0 ? 0 : label));
        const again = await solveNode(setup, { ...all, labels: own }, () => undefined);
        extra += own.filter((label, i) => label !== 0 && whole.coefficients[i] === 0).length;
        whole.values.forEach((value, i) => {
          expect(Math.abs(again.values[i] - value)).toBeLessThan(TOLERANCE);
        });
      } finally {
        values.release();
      }
    }
    expect(extra).toBeGreaterThan(10);
  });
});
