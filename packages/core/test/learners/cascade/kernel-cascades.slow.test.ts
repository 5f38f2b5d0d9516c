import { afterAll, describe, expect, test } from "vitest";
import type { Sample } from "#core/encode/sample.js";
import { fitEachGamma } from "#core/learners/cascade/cascade-learner.js";
import {
  type CascadeModel,
  cascadeBound,
  cascadeLeaves,
  leafOf,
} from "#core/learners/cascade/cascade-model.js";
import { deepCascadePerceptron, deepCascadeSvm } from "#core/learners/cascade/kernel-cascades.js";
import { vcMeasure } from "#core/learners/cascade/kernel-family.js";
import { kernelValue } from "#core/learners/kernel/kernel.js";
import { rowValues } from "#core/learners/kernel/kernel-features.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { formatNumber } from "#core/runtime/text/number-format.js";
import { sampleOf } from "../small-samples.js";
import { bestPerceptronCascade } from "./best-perceptron-cascade.js";

const threads = threadExecutor({ threads: 2 });
afterAll(() => threads.close());

/** Two classes that overlap: inside and outside of a ring, with some labels turned. */
function noisyRing(rows: number, seed: number, noise = 0.1): Sample {
  const random = new Random(seed);
  const points = Array.from({ length: rows }, () => [random.normal(), random.normal(), random.normal()]);
  return sampleOf(
    points,
    points.map(([x, y]) => (x * x + y * y < 1.4 !== random.uniform() < noise ? 0 : 1)),
  );
}

const small = { degrees: [1, 2, 3], fractions: [0.3, 0.6, 0.9], maxDepth: 3 };

function errorsOf(model: CascadeModel, sample: Sample): number {
  return model.predict(sample.features).reduce((sum, k, i) => sum + (k === sample.labels[i] ? 0 : 1), 0);
}

describe("deep-cascade-perceptron", () => {
  test("finds the same cascade as trying all of them", async () => {
    for (const [seed, gamma] of [
      [1, 1e-4],
      [2, 1e-3],
      [3, 0.01],
      [4, 1],
      [5, 1e-3],
    ]) {
      const sample = noisyRing(40, seed, 0.2);
      const kernels = small.degrees.map((degree) => {
        const kernel = { kind: "polynomial", degree, scale: 1 } as const;
        const all = Array.from({ length: 40 }, (_, i) => sample.features.row(i));
        const matrix = all.map((x) => Float32Array.from(all, (y) => kernelValue(kernel, x, y)));
        return { row: (i: number) => matrix[i] };
      });
      // C(3 + δ, δ) for three features.
      const complexity = vcMeasure([4, 10, 20], 40);
      const expected = bestPerceptronCascade(sample, kernels, { ...small, gamma, complexity });
      const model = await deepCascadePerceptron({ ...small, gammas: [gamma] }).fit(sample);
      expect(cascadeBound(model)).toBeCloseTo(expected.bound, 12);
      expect(cascadeLeaves(model.levels).map(({ degree }) => degree - 1)).toEqual(expected.choices);
      expect(model.levels.flatMap(({ fraction }) => fraction ?? [])).toEqual(
        expected.fractions.map((index) => small.fractions[index]),
      );
      expect(model.levels.reduce((sum, { wrong }) => sum + wrong, 0)).toBe(expected.wrong);
    }
  });

  test("has the options of the report's program", async () => {
    const model = await deepCascadePerceptron({
      minDepth: 2,
      maxDepth: 4,
      fractions: [0.2, 0.4, 0.6, 0.8],
      gammas: [1, 0.1, 0.01, 0.001],
      folds: 3,
      nonDecreasing: true,
      gate: "strict",
      complexity: "vc-local",
    }).fit(noisyRing(80, 3));
    expect(model.levels.length).toBeGreaterThanOrEqual(2);
    const degrees = cascadeLeaves(model.levels).map(({ degree }) => degree);
    expect(degrees).toEqual([...degrees].sort((a, b) => a - b));
    expect(model.origin.distinct).toBe(10 * 4 + 20 * 16 + 35 * 64);
    expect(model.origin.validation.map(({ gamma }) => gamma)).toEqual([0.001, 0.01, 0.1, 1]);
  });
});

describe("deep-cascade-svm", () => {
  const sample = noisyRing(150, 7);

  test("predicts new points", async () => {
    const model = await deepCascadeSvm({ ...small, gammas: [1e-3, 0.1], cGrid: [1, 10] }).fit(sample);
    expect(errorsOf(model, noisyRing(300, 8, 0)) / 300).toBeLessThan(0.15);
  });

  test("divides the training points by its own predictions, and takes scores from the leaves", async () => {
    for (const gate of ["closed", "strict"] as const) {
      const model = await deepCascadeSvm({ ...small, gate, minDepth: 2, gammas: [1e-4], cGrid: [1] }).fit(
        sample,
      );
      const { levels } = model;
      const leaf = leafOf(model, sample.features);
      const scores = model.scores(sample.features);
      const margins = model.margins(sample);
      cascadeLeaves(levels).forEach(({ points, depth, gateComplexities, level }, k) => {
        expect(leaf.filter((index) => index === k).length).toBe(points);
        expect(points).toBeGreaterThan(0);
        expect(gateComplexities).toHaveLength(depth);
        expect(depth).toBe(Math.min(level, levels.length - 1));
      });
      expect(errorsOf(model, sample)).toBe(levels.reduce((sum, { wrong }) => sum + wrong, 0));
      for (let i = 0; i < sample.rows; i++) {
        const { classifier } = levels[leaf[i]];
        if (classifier?.kind !== "kernel") throw new Error("not a kernel classifier");
        const { machine } = classifier;
        const sum = machine.coefficients.reduce(
          (total, c, s) =>
            total + c * kernelValue(machine.kernel, rowValues(machine.support, s), sample.features.row(i)),
          machine.bias,
        );
        expect(scores.row(i)[0]).toBeCloseTo(sum, 8);
        expect(scores.row(i)[1]).toBe(-scores.row(i)[0]);
        expect(Math.abs(margins[i])).toBeLessThanOrEqual(1);
        expect(Math.sign(margins[i])).toBe(Math.sign(sample.labels[i] === 0 ? sum : -sum));
      }
    }
  });

  test("passes the fraction μ of a level's points on, and lowers C with the points", async () => {
    const model = await deepCascadeSvm({ ...small, minDepth: 3, gammas: [1e-4], cGrid: [2] }).fit(sample);
    expect(model.levels).toHaveLength(3);
    let left = sample.rows;
    for (const { classifier, gate, fraction, correct, wrong } of model.levels) {
      if (classifier?.kind !== "kernel") throw new Error("not a kernel classifier");
      expect(classifier.cost).toBeCloseTo(2 * Math.sqrt(left / sample.rows), 12);
      if (!gate) break;
      left -= correct + wrong;
      // Distances are distinct here: exactly ⌈μ·n⌉ points go on.
      expect(left).toBe(Math.ceil((fraction ?? 0) * (left + correct + wrong) - 1e-9));
    }
  });

  test("minimises bound (9), the sum over the leaves, with every complexity term", async () => {
    for (const complexity of ["vc", "vc-local", "rademacher"] as const) {
      const model = await deepCascadeSvm({ ...small, complexity, gammas: [1e-3], cGrid: [1] }).fit(sample);
      const m = sample.rows;
      const bound = cascadeLeaves(model.levels).reduce((sum, leaf) => {
        const gates = leaf.gateComplexities.reduce((total, c) => total + c, 0);
        return sum + leaf.wrong / m + Math.min(4e-3 * (gates + leaf.complexity), leaf.correct / m);
      }, 0);
      expect(cascadeBound(model)).toBeCloseTo(bound, 12);
      const equation9 = model
        .certificates?.({ confidence: 0.95 })
        .find(({ name }) => name === "deep-cascade-equation-9");
      expect(equation9).toMatchObject({ value: cascadeBound(model), holds: false });
    }
  });

  test("fits a cascade for each gamma, deeper for smaller ones, as separate fits would", async () => {
    const options = { ...small, cGrid: [1] };
    const models = await fitEachGamma(deepCascadeSvm({ ...options, gammas: [1, 1e-4, 1e-2] }), sample);
    expect(models.map(({ origin }) => origin.gamma)).toEqual([1e-4, 1e-2, 1]);
    expect(models[0].levels.length).toBeGreaterThanOrEqual(models[1].levels.length);
    const alone = await deepCascadeSvm({ ...options, gammas: [1e-2] }).fit(sample);
    expect(alone.levels).toEqual(models[1].levels);
    expect(models[1].learner).toBe("deep-cascade-svm");
  });

  test("computes kernel values that do not fit into memory on demand", async () => {
    const more = noisyRing(320, 9);
    const options = { degrees: [1, 2], fractions: [0.4], maxDepth: 2, gammas: [0.001], cGrid: [1] };
    const full = await deepCascadeSvm(options).fit(more);
    const onDemand = await deepCascadeSvm({ ...options, cacheMegabytes: 1 }).fit(more, { executor: threads });
    // 2 matrices of 320² numbers of four bytes: 0.8 MB fit, 3 do not.
    const three = await deepCascadeSvm({ ...options, degrees: [1, 2, 3], cacheMegabytes: 1 }).fit(more);
    expect(cascadeBound(onDemand)).toBeCloseTo(cascadeBound(full), 2);
    expect(cascadeBound(three)).toBeLessThanOrEqual(cascadeBound(full) + 0.01);
  });

  test("a file whose levels do not make a cascade is damaged", async () => {
    const model = await deepCascadeSvm({ ...small, minDepth: 2, gammas: [1e-3], cGrid: [1] }).fit(sample);
    const [first, ...rest] = model.levels;
    const { gate, fraction, ...ungated } = first;
    const constant = { ...first, classifier: { kind: "constant", class: 0 } as const };
    const last = { ...rest[rest.length - 1], gate, fraction };
    for (const [levels, fault] of [
      [[ungated, ...rest], "not a tree"],
      [[...model.levels.slice(0, -1), last], "not a tree"],
      [[{ ...first, gate: undefined }, ...rest], "level 1 of"],
      [[{ ...first, stay: 2 }, ...rest], "has points but no leaf"],
      [[{ ...first, stay: 2, correct: 0, wrong: 0 }, ...rest], "not a tree"],
      [[constant, ...rest], "without a kernel"],
      [[{ ...first, correct: first.correct + 1 }, ...rest], "151 of 150 training points"],
      [[first, first, ...model.levels], "leaves of 3"],
    ] as const) {
      const { classes, featureNames, origin } = model;
      const state = deepCascadeSvm.assemble({ classes, featureNames, levels, origin }).toState();
      expect(() => deepCascadeSvm.restore(state), fault).toThrow(
        expect.objectContaining({ code: "model/corrupt", message: expect.stringContaining(fault) }),
      );
    }
  });

  test("describes gates and leaves as a tree, and the validation error of every gamma", async () => {
    const model = await deepCascadeSvm({ ...small, minDepth: 2, gammas: [1e-3, 1e-2], cGrid: [1] }).fit(
      sample,
    );
    const [leaf] = cascadeLeaves(model.levels);
    const cost = formatNumber(4 * model.origin.gamma * (leaf.gateComplexities[0] + leaf.complexity));
    const error = errorsOf(model, sample) / sample.rows;
    expect(model.describe()).toMatchObject({
      facts: expect.arrayContaining([{ name: "training error", value: error, unit: "share" }]),
      sections: [
        {
          kind: "tree",
          root: {
            kind: "split",
            condition: expect.stringMatching(/^distance from the boundary ≤ 0/),
            rows: 150,
            facts: [{ name: "fraction passed on", value: model.levels[0].fraction, unit: "share" }],
            branches: [
              {
                outcome: "stays",
                node: {
                  kind: "leaf",
                  label: expect.stringMatching(/^polynomial kernel of degree \d, scale 0.3333$/),
                  rows: leaf.points,
                  facts: expect.arrayContaining([
                    { name: "right", value: leaf.correct },
                    { name: "wrong", value: leaf.wrong },
                    { name: "complexity cost", value: `${cost} (cap ${formatNumber(leaf.correct / 150)})` },
                  ]),
                },
              },
              { outcome: "goes on", node: { rows: 150 - leaf.points } },
            ],
          },
        },
        {
          kind: "table",
          title: "validation error by gamma",
          rows: model.origin.validation.map(({ gamma, error, depth }) => [gamma, error, depth]),
        },
      ],
    });
  });
});

describe("bad input", () => {
  const learners = { "deep-cascade-svm": deepCascadeSvm, "deep-cascade-perceptron": deepCascadePerceptron };
  const quick = { degrees: [1, 2], fractions: [0.5], maxDepth: 2 };

  test("fewer than five rows, one class", async () => {
    for (const [name, create] of Object.entries(learners)) {
      await expect(create().fit(sampleOf([[0], [1], [2], [3]], [0, 1, 0, 1]))).rejects.toMatchObject({
        code: "data/too-few-rows",
        message: `${name} needs at least 5 rows, but there are 4.`,
      });
      await expect(create().fit(sampleOf([[0], [1], [2], [3], [4]], [0, 0, 0, 0, 0]))).rejects.toMatchObject({
        code: "data/one-class",
      });
    }
  });

  test("a class with a single row, which folds lack", async () => {
    const rows = Array.from({ length: 12 }, (_, i) => [i, i % 3]);
    const sample = sampleOf(
      rows,
      rows.map((_, i) => (i === 11 ? 1 : 0)),
    );
    for (const create of Object.values(learners)) {
      for (const folds of [0, 3]) {
        const model = await create({ ...quick, folds, gammas: [0.001, 0.1] }).fit(sample);
        expect(model.scores(sample.features).values.every(Number.isFinite)).toBe(true);
        if (create === deepCascadeSvm) expect(errorsOf(model, sample)).toBeLessThanOrEqual(1);
      }
    }
  });

  test("identical points with different labels, and points that are all equal", async () => {
    const twins = sampleOf(
      Array.from({ length: 20 }, (_, i) => [Math.floor(i / 2), 1]),
      Array.from({ length: 20 }, (_, i) => i % 2),
    );
    const equal = sampleOf(
      Array.from({ length: 9 }, () => [1, 2]),
      Array.from({ length: 9 }, (_, i) => (i < 3 ? 0 : 1)),
    );
    for (const create of Object.values(learners)) {
      for (const sample of [twins, equal]) {
        const model = await create({ ...quick, gammas: [0.01, 1] }).fit(sample);
        expect(model.scores(sample.features).values.every(Number.isFinite)).toBe(true);
        expect(model.margins(sample).every((margin) => Math.abs(margin) <= 1)).toBe(true);
        // One of each pair of twins is always wrong; all equal points get one class.
        expect(errorsOf(model, sample)).toBeGreaterThanOrEqual(sample === twins ? 10 : 3);
        expect(JSON.stringify(model.describe())).not.toMatch(/null/);
      }
      const svmOnEqual = await deepCascadeSvm({ ...quick, gammas: [0.01] }).fit(equal);
      expect(errorsOf(svmOnEqual, equal)).toBe(3);
      await expect(create({ ...quick, minDepth: 2, gammas: [0.01] }).fit(equal)).rejects.toMatchObject({
        code: "option/invalid",
        message: expect.stringContaining("No cascade of 2 levels exists"),
      });
    }
  });

  test("options that are out of range, and a kernel that overflows", async () => {
    const invalid = [
      () => deepCascadeSvm({ fractions: [1.2] }),
      () => deepCascadeSvm({ fractions: [0] }),
      () => deepCascadeSvm({ fractions: [] }),
      () => deepCascadeSvm({ degrees: [] }),
      () => deepCascadeSvm({ cGrid: [0] }),
      () => deepCascadeSvm({ cGrid: [-1] }),
      () => deepCascadeSvm({ minDepth: 3, maxDepth: 2 }),
      () => deepCascadePerceptron({ gammas: [0] }),
      () => deepCascadePerceptron({ passes: 0 }),
    ];
    for (const create of invalid) expect(create).toThrow(expect.objectContaining({ code: "option/invalid" }));
    const large = sampleOf(
      Array.from({ length: 8 }, (_, i) => [i * 1e9]),
      [0, 1, 0, 1, 0, 1, 0, 1],
    );
    await expect(deepCascadeSvm({ degrees: [4], scale: "none" }).fit(large)).rejects.toMatchObject({
      code: "option/invalid",
      message: expect.stringContaining("degree 4"),
    });
  });

  test("notices report solver runs that did not converge, with the largest gap", async () => {
    const model = await deepCascadeSvm({ ...quick, maxIterations: 2, gammas: [0.01] }).fit(noisyRing(60, 2));
    expect(model.notices).toEqual([
      expect.stringMatching(
        /^\d+ support vector machines in the choice of C did not converge within 2 iterations: the largest remaining gap is /,
      ),
      expect.stringMatching(/^\d+ support vector machines of the search did not converge/),
    ]);
  });

  test("rows to classify that do not fit", async () => {
    const model = await deepCascadePerceptron({ ...quick, gammas: [1] }).fit(noisyRing(20, 1));
    expect(() => model.predict(new Matrix(1, 2))).toThrow(
      expect.objectContaining({ code: "data/malformed" }),
    );
    expect(model.predict(new Matrix(0, 3))).toHaveLength(0);
  });
});
