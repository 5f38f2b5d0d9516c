import { afterAll, describe, expect, test } from "vitest";
import type { Sample } from "#core/encode/sample.js";
import { type CascadeModel, cascadeBound, cascadeLeaves } from "#core/learners/cascade/cascade-model.js";
import { deepCascade } from "#core/learners/cascade/deep-cascade.js";
import { deepCascadePerceptron, deepCascadeSvm } from "#core/learners/cascade/kernel-cascades.js";
import { rademacherMeasure } from "#core/learners/cascade/kernel-family.js";
import { nodeKernels } from "#core/learners/cascade/node-kernels.js";
import type { Kernel } from "#core/learners/kernel/kernel.js";
import { DotProducts, type KernelMatrix } from "#core/learners/kernel/kernel-matrix.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { sampleOf } from "../small-samples.js";
import { bestPerceptronCascade } from "./best-perceptron-cascade.js";

const threads = threadExecutor({ threads: 2 });
afterAll(() => threads.close());

/** The squares of a board of four by four, alternating between the classes, with some labels flipped. */
function checkerboard(rows: number, seed: number, noise = 0): Sample {
  const random = new Random(seed);
  const points = Array.from({ length: rows }, () => [4 * random.uniform(), 4 * random.uniform()]);
  return sampleOf(
    points,
    points.map(([x, y]) => {
      const field = (Math.floor(x) + Math.floor(y)) % 2;
      return random.uniform() < noise ? 1 - field : field;
    }),
  );
}

function errorRate(model: CascadeModel, { features, labels, rows }: Sample): number {
  return model.predict(features).filter((k, i) => k !== labels[i]).length / rows;
}

function kernelsOf(model: CascadeModel): Kernel[] {
  return model.levels.flatMap(({ classifier }) =>
    classifier?.kind === "kernel" ? [classifier.machine.kernel] : [],
  );
}

const small = { kernelGammas: [0.5, 2, 8], fractions: [0.3, 0.6], maxDepth: 3 };

describe("the kernels of the levels", () => {
  test("differ by degree or by multiples of the default gamma; the simplest comes first", () => {
    const features = Matrix.from([
      [0, 1],
      [2, 3],
      [4, 2],
      [0, 0],
    ]);
    const options = { degrees: [3, 1, 3], scale: "1/d", kernelGammas: [4, 0.5, 4] } as const;
    const of = (kernel: Parameters<typeof nodeKernels>[0]["kernel"]) =>
      nodeKernels({ ...options, kernel }, features);
    expect(of("polynomial")).toEqual([
      { kind: "polynomial", degree: 1, scale: 0.5 },
      { kind: "polynomial", degree: 3, scale: 0.5 },
    ]);
    // Mean 1.5 and variance 2 of all cells: 1/(2·2) for rbf, 1.5 times that for chi-square.
    expect(of("rbf")).toEqual([
      { kind: "rbf", gamma: expect.closeTo(0.125, 12) },
      { kind: "rbf", gamma: expect.closeTo(1, 12) },
    ]);
    expect(of("chi-square")).toEqual([
      { kind: "chi-square", gamma: expect.closeTo(0.1875, 12) },
      { kind: "chi-square", gamma: expect.closeTo(1.5, 12) },
    ]);
    expect(of("intersection")).toEqual([{ kind: "intersection" }]);
  });
});

describe("Gaussian kernels", () => {
  test("learn a checkerboard, which polynomials up to degree 4 do not", async () => {
    const sample = checkerboard(300, 1);
    const fresh = checkerboard(1000, 2);
    const grid = { fractions: [0.4], maxDepth: 2, gammas: [0.01], cGrid: [30] };
    const polynomial = await deepCascadeSvm({ ...grid, cGrid: [1] }).fit(sample);
    const svm = await deepCascadeSvm({ ...grid, kernel: "rbf", kernelGammas: [1, 4, 16] }).fit(sample);
    expect(errorRate(polynomial, fresh)).toBeGreaterThan(0.25);
    expect(errorRate(svm, fresh)).toBeLessThan(0.1);
    const rbf = { kernelGammas: [16], fractions: [0.4], maxDepth: 2, gammas: [0.01] };
    const perceptron = await deepCascadePerceptron({ ...rbf, kernel: "rbf" }).fit(sample);
    expect(errorRate(perceptron, fresh)).toBeLessThan(0.15);
  });

  test("branch and bound finds the same cascade as trying all of them", async () => {
    for (const [seed, gamma, minDepth] of [
      [1, 1e-4, 1],
      [2, 0.01, 2],
      [3, 0.05, 3],
      [4, 1, 1],
    ]) {
      const sample = checkerboard(40, seed, 0.1);
      const { features } = sample;
      const run = completeRun();
      using products = await DotProducts.of(features, run);
      const kernels: KernelMatrix[] = [];
      for (const kernel of nodeKernels({ ...small, kernel: "rbf", degrees: [], scale: "none" }, features)) {
        kernels.push(await products.kernelMatrix(kernel, run));
      }
      // K(x, x) = 1: the traces are the number of rows.
      const complexity = rademacherMeasure([40, 40, 40], 40);
      const expected = bestPerceptronCascade(sample, kernels, { ...small, minDepth, gamma, complexity });
      const learner = deepCascadePerceptron({ ...small, kernel: "rbf", minDepth, gammas: [gamma] });
      const model = await learner.fit(sample);
      expect(cascadeBound(model)).toBeCloseTo(expected.bound, 12);
      expect(kernelsOf(model)).toEqual(expected.choices.map((choice) => kernels[choice].kernel));
      expect(model.levels.flatMap(({ fraction }) => fraction ?? [])).toEqual(
        expected.fractions.map((index) => small.fractions[index]),
      );
      expect(model.levels.reduce((sum, { wrong }) => sum + wrong, 0)).toBe(expected.wrong);
      for (const kernel of kernels) kernel.release();
    }
  });

  test("the bound takes ‖w‖/√m as complexity, and no certificate is below 1", async () => {
    const sample = checkerboard(120, 5, 0.05);
    const learner = deepCascadeSvm({ ...small, kernel: "rbf", minDepth: 2, gammas: [1e-3] });
    expect(learner.options).toMatchObject({ complexity: "rademacher" });
    const model = await learner.fit(sample);
    const m = sample.rows;
    let bound = 0;
    cascadeLeaves(model.levels).forEach(({ complexity, gateComplexities, correct, wrong, degree }, k) => {
      const { classifier } = model.levels[k];
      if (classifier?.kind !== "kernel") throw new Error("not a kernel classifier");
      expect(complexity).toBeCloseTo(Math.min(1, classifier.machine.norm / Math.sqrt(m)), 5);
      expect(degree).toBe(0);
      const gates = gateComplexities.reduce((sum, c) => sum + c, 0);
      bound += wrong / m + Math.min(4e-3 * (gates + complexity), correct / m);
    });
    expect(cascadeBound(model)).toBeCloseTo(bound, 12);
    for (const { name, value, holds } of model.certificates?.({ confidence: 0.95 }) ?? []) {
      if (name === "deep-cascade-equation-9") expect(holds).toBe(false);
      else expect(value).toBeGreaterThanOrEqual(1);
    }
  });

  test("nonDecreasing gives gammas that never decrease; kernel rows on demand give about the same bound", async () => {
    const sample = checkerboard(320, 7, 0.1);
    const options = { fractions: [0.3, 0.6], gammas: [1e-4], cGrid: [10], minDepth: 3, maxDepth: 3 };
    const grid = { ...options, kernel: "rbf" as const, kernelGammas: [1, 4, 16], nonDecreasing: true };
    const model = await deepCascadeSvm(grid).fit(sample);
    const gammas = kernelsOf(model).map((kernel) => ("gamma" in kernel ? kernel.gamma : Number.NaN));
    expect(gammas).toHaveLength(3);
    expect(gammas).toEqual([...gammas].sort((a, b) => a - b));
    // 3 matrices of 320² numbers of four bytes are more than a megabyte.
    const onDemand = await deepCascadeSvm({ ...grid, cacheMegabytes: 1 }).fit(sample, { executor: threads });
    expect(cascadeBound(onDemand)).toBeCloseTo(cascadeBound(model), 2);
  });
});

describe("kernels of amounts", () => {
  const amounts = checkerboard(100, 8, 0.05);

  test("are not standardised, and refuse negative features in training and in prediction", async () => {
    for (const kernel of ["chi-square", "intersection"] as const) {
      const options = { ...small, kernel, maxDepth: 2, gammas: [0.001] };
      for (const learner of [deepCascadeSvm(options), deepCascadePerceptron(options)]) {
        expect(learner.encoding).toEqual({ kind: "numeric", standardise: false });
        const model = await learner.fit(amounts);
        expect(kernelsOf(model).every(({ kind }) => kind === kernel)).toBe(true);
        const refusal = {
          code: "data/malformed",
          message: `Row 2 has -1 in feature x1, but the ${kernel} kernel needs non-negative features.`,
        };
        const negative = Matrix.from([
          [1, 1],
          [-1, 1],
        ]);
        expect(() => model.predict(negative)).toThrow(expect.objectContaining(refusal));
        const rows = [...Array(6).keys()].map((i) => (i === 1 ? [-1, 1] : [i, i]));
        await expect(learner.fit(sampleOf(rows, [0, 1, 0, 1, 0, 1]))).rejects.toMatchObject(refusal);
      }
    }
    expect(deepCascadeSvm({ kernel: "rbf" }).encoding).toEqual({ kind: "numeric", standardise: true });
  });

  test("there is one intersection kernel, so cascades differ only by fractions", async () => {
    const grid = { fractions: [0.3, 0.6], maxDepth: 3, gammas: [0.01] };
    const { origin } = await deepCascadePerceptron({ ...grid, kernel: "intersection" }).fit(amounts);
    expect(origin.distinct).toBe(1 + 2 + 4);
    expect(origin.families).toBe(1);
  });
});

describe("deep-cascade", () => {
  test("has a family of Gaussian leaves for each kernel gamma", async () => {
    const sample = checkerboard(200, 9);
    const model = await deepCascade({
      leaves: ["constant", "rbf", "kernel-1"],
      kernelGammas: [16, 4],
      fractions: [0.5],
      maxDepth: 2,
      gammas: [0.001],
      cGrid: [10],
    }).fit(sample);
    expect(model.origin.families).toBe(4);
    expect(kernelsOf(model).some(({ kind }) => kind === "rbf")).toBe(true);
    expect(errorRate(model, checkerboard(500, 10))).toBeLessThan(0.15);
  });

  test("gives the same model on two threads", async () => {
    const learner = deepCascade({
      fractions: [0.5],
      maxDepth: 2,
      minDepth: 2,
      gammas: [1e-3],
      cGrid: [1, 10],
    });
    const sample = checkerboard(120, 11, 0.1);
    const model = await learner.fit(sample);
    const threaded = await learner.fit(sample, { executor: threads });
    expect(threaded.toState()).toEqual(model.toState());
  });
});

describe("invalid options", () => {
  test("complexity terms by VC dimension are refused if it is infinite", () => {
    const infinite = [
      () => deepCascadeSvm({ kernel: "rbf", complexity: "vc" }),
      () => deepCascadePerceptron({ kernel: "intersection", complexity: "vc-local" }),
      () => deepCascade({ leaves: ["constant", "rbf"], complexity: "vc" }),
    ];
    for (const create of infinite) {
      expect(create).toThrow(
        expect.objectContaining({
          code: "option/invalid",
          message: expect.stringMatching(
            /^Option complexity of deep-cascade\S* is vc\S*, but the VC dimension of the (rbf|intersection) kernel is infinite\.$/,
          ),
          hint: "Set complexity to rademacher.",
        }),
      );
    }
    expect(deepCascadeSvm().options).toMatchObject({ complexity: "vc" });
    expect(deepCascadeSvm({ complexity: "vc-local" }).options).toMatchObject({ complexity: "vc-local" });
  });

  test("unknown kernels, and kernel gammas that are not positive", () => {
    const invalid = [
      ["kernel", "linear"],
      ["kernel", "sigmoid"],
      ["kernelGammas", []],
      ["kernelGammas", [0]],
      ["kernelGammas", [1, -1]],
    ] as const;
    for (const [name, value] of invalid) {
      for (const create of [deepCascadeSvm, deepCascadePerceptron]) {
        expect(() => create(Object.fromEntries([[name, value]]))).toThrow(
          expect.objectContaining({
            code: "option/invalid",
            message: expect.stringMatching(new RegExp(`^deep-cascade-\\w+: .*${name}.* must `)),
          }),
        );
      }
    }
  });

  test("kernels of equal points have a default gamma", async () => {
    const equal = sampleOf(Array(9).fill([1, 2]), [0, 0, 0, 1, 1, 1, 1, 1, 1]);
    const model = await deepCascadeSvm({ kernel: "rbf", gammas: [0.01] }).fit(equal);
    expect(errorRate(model, equal)).toBeCloseTo(3 / 9, 12);
    expect(JSON.stringify(model.describe())).not.toContain("null");
  });
});
