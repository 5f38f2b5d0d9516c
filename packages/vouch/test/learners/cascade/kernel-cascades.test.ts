import { afterAll, describe, expect, test } from "vitest";
import type { Sample } from "#vouch/encode/sample.js";
import { CascadeModel } from "#vouch/learners/cascade/cascade-model.js";
import { vcMeasure } from "#vouch/learners/cascade/complexity.js";
import { deepCascadePerceptron, deepCascadeSvm } from "#vouch/learners/cascade/kernel-cascades.js";
import { leavesOf } from "#vouch/learners/cascade/space.js";
import { kernelValue } from "#vouch/learners/kernel/kernel.js";
import { Matrix } from "#vouch/runtime/matrix.js";
import { Random } from "#vouch/runtime/random.js";
import type { State } from "#vouch/runtime/state.js";
import { threadExecutor } from "#vouch/runtime/threads.js";
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
  test("finds the cascade that trying all of them finds", async () => {
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
      expect(model.bound).toBeCloseTo(expected.bound, 12);
      expect(model.leaves.map(({ degree }) => degree - 1)).toEqual(expected.choices);
      expect(model.leaves.flatMap(({ fraction }) => fraction ?? [])).toEqual(
        expected.fractions.map((index) => small.fractions[index]),
      );
      expect(model.leaves.reduce((sum, { wrong }) => sum + wrong, 0)).toBe(expected.wrong);
    }
  });

  test("can be asked for what the authors of the report did", async () => {
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
    expect(model.depth).toBeGreaterThanOrEqual(2);
    const degrees = model.leaves.map(({ degree }) => degree);
    expect(degrees).toEqual([...degrees].sort((a, b) => a - b));
    expect(model.origin.distinct).toBe(10 * 4 + 20 * 16 + 35 * 64);
    expect(model.origin.validation.map(({ gamma }) => gamma)).toEqual([0.001, 0.01, 0.1, 1]);
  });
});

describe("deep-cascade-svm", () => {
  const sample = noisyRing(150, 7);

  test("gives the same model on one thread and on two", async () => {
    const learner = deepCascadeSvm({ ...small, gammas: [1e-3, 0.1] });
    const inline = await learner.fit(sample);
    const threaded = await learner.fit(sample, { executor: threads });
    expect(threaded.toState()).toEqual(inline.toState());
    expect(errorsOf(inline, noisyRing(300, 8, 0)) / 300).toBeLessThan(0.15);
  });

  test("its leaves share the points out as its own predictions do, and its scores follow the leaves", async () => {
    for (const gate of ["closed", "strict"] as const) {
      const model = await deepCascadeSvm({ ...small, gate, minDepth: 2, gammas: [1e-4] }).fit(sample);
      const leaf = model.leafOf(sample.features);
      const scores = model.scores(sample.features);
      const margins = model.margins(sample);
      const classifiers = leavesOf(model.tree).map((entry) => entry.leaf);
      model.leaves.forEach(({ points, correct, wrong, depth, gateComplexities, level }, k) => {
        expect(leaf.filter((index) => index === k).length).toBe(points);
        expect(correct + wrong).toBe(points);
        expect(points).toBeGreaterThan(0);
        expect(gateComplexities).toHaveLength(depth);
        expect(depth).toBe(Math.min(level, model.depth - 1));
      });
      const wrong = model.leaves.reduce((sum, entry) => sum + entry.wrong, 0);
      expect(errorsOf(model, sample)).toBe(wrong);
      for (let i = 0; i < sample.rows; i++) {
        const classifier = classifiers[leaf[i]];
        if (classifier.kind !== "kernel") throw new Error("not a kernel classifier");
        const { machine } = classifier;
        const sum = machine.coefficients.reduce(
          (total, c, s) =>
            total + c * kernelValue(machine.kernel, machine.support.row(s), sample.features.row(i)),
          machine.bias,
        );
        expect(scores.row(i)[0]).toBeCloseTo(sum, 8);
        expect(scores.row(i)[1]).toBe(-scores.row(i)[0]);
        expect(Math.abs(margins[i])).toBeLessThanOrEqual(1);
        expect(Math.sign(margins[i])).toBe(Math.sign(sample.labels[i] === 0 ? sum : -sum));
      }
    }
  });

  test("the gate of a level sends on the points within its threshold, and C falls with the points", async () => {
    const model = await deepCascadeSvm({ ...small, minDepth: 3, gammas: [1e-4], cGrid: [2] }).fit(sample);
    expect(model.depth).toBe(3);
    let left = sample.rows;
    let { tree } = model;
    for (const { points, fraction } of model.leaves) {
      const classifier = tree.kind === "fork" ? leavesOf(tree.stay)[0].leaf : tree.leaf;
      if (classifier.kind !== "kernel") throw new Error("not a kernel classifier");
      expect(classifier.cost).toBeCloseTo(2 * Math.sqrt(left / sample.rows), 12);
      if (tree.kind === "leaf") break;
      // Distances are distinct here: exactly ⌈μ·n⌉ points go on.
      expect(left - points).toBe(Math.ceil((fraction ?? 0) * left - 1e-9));
      left -= points;
      tree = tree.on;
    }
  });

  test("every complexity chooses, and bound (9) is that of the leaves", async () => {
    for (const complexity of ["vc", "vc-local", "rademacher"] as const) {
      const model = await deepCascadeSvm({ ...small, complexity, gammas: [1e-3] }).fit(sample);
      const m = sample.rows;
      const bound = model.leaves.reduce((sum, leaf) => {
        const gates = leaf.gateComplexities.reduce((total, c) => total + c, 0);
        return sum + leaf.wrong / m + Math.min(4e-3 * (gates + leaf.complexity), leaf.correct / m);
      }, 0);
      expect(model.bound).toBeCloseTo(bound, 12);
      const certificates = model.certificates({ confidence: 0.95 });
      expect(certificates.length).toBeGreaterThan(0);
      expect(certificates.every(({ value }) => value >= bound || value > 0)).toBe(true);
    }
  });

  test("one cascade per gamma, deeper for smaller ones, from one set of trained nodes", async () => {
    const models = await deepCascadeSvm({ ...small, gammas: [1e-4, 1e-2, 1] }).fitEach(sample);
    expect(models.map(({ origin }) => origin.gamma)).toEqual([1e-4, 1e-2, 1]);
    expect(models[0].depth).toBeGreaterThanOrEqual(models[1].depth);
    const alone = await deepCascadeSvm({ ...small, gammas: [1e-2] }).fit(sample);
    expect(alone.tree).toEqual(models[1].tree);
  });

  test("kernel values that do not fit into memory are computed as needed", async () => {
    const more = noisyRing(320, 9);
    const options = { degrees: [1, 2], fractions: [0.4], maxDepth: 2, gammas: [0.001], cGrid: [1] };
    const full = await deepCascadeSvm(options).fit(more);
    const onDemand = await deepCascadeSvm({ ...options, cacheMegabytes: 1 }).fit(more, { executor: threads });
    // 2 matrices of 320² numbers of four bytes: 0.8 MB fit, 3 do not.
    const three = await deepCascadeSvm({ ...options, degrees: [1, 2, 3], cacheMegabytes: 1 }).fit(more);
    expect(onDemand.bound).toBeCloseTo(full.bound, 2);
    expect(three.bound).toBeLessThanOrEqual(full.bound + 0.01);
  });

  test("a model is stored and restored, and a damaged one is refused", async () => {
    const model = await deepCascadeSvm({ ...small, minDepth: 2, gammas: [1e-3, 1e-2] }).fit(sample);
    const restore = CascadeModel.restorer("deep-cascade-svm");
    const state = structuredClone(model.toState());
    const again = restore(state);
    expect(again.toState()).toEqual(model.toState());
    expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
    expect(again.describe()).toEqual(model.describe());
    const json = JSON.stringify(state.json);
    const edited = (from: string | RegExp, to: string): State => ({
      ...state,
      json: JSON.parse(json.replace(from, to)),
    });
    const damaged = [
      edited('"machine":0', '"machine":99'),
      edited(/"on":\d+/, '"on":0'),
      edited(/"stay":\d+/, '"stay":77'),
      edited('"gamma"', '"gama"'),
      edited(/"sign"|"leaf":\{/, '"leaf":{"odd":1,'),
      edited(/"leaves":\[\{.*?\}\},/, '"leaves":['),
      { ...state, tensors: { ...state.tensors, extra: state.tensors.coefficients } },
      { ...state, tensors: { ...state.tensors, sizes: { shape: [1], data: Int32Array.of(1) } } },
    ];
    for (const [i, odd] of damaged.entries()) {
      expect(() => restore(odd), `damage ${i}`).toThrow(expect.objectContaining({ code: "model/corrupt" }));
    }
  });

  test("describes every level: classifier, C, threshold, fraction, points, penalty and which term counts", async () => {
    const model = await deepCascadeSvm({ ...small, minDepth: 2, gammas: [1e-3] }).fit(sample);
    const { cascade } = model.describe() as { cascade: Record<string, unknown> };
    expect(cascade).toMatchObject({
      points: 150,
      question: { asks: expect.stringMatching(/^distance ≤ /), threshold: expect.any(Number) },
      fraction: expect.any(Number),
      stay: {
        C: expect.any(Number),
        degree: expect.any(Number),
        right: model.leaves[0].correct,
        wrong: model.leaves[0].wrong,
        active: expect.stringMatching(/^penalty$|^share of points$/),
      },
      on: { points: 150 - model.leaves[0].points },
    });
  });
});

describe("bad input", () => {
  const learners = { "deep-cascade-svm": deepCascadeSvm, "deep-cascade-perceptron": deepCascadePerceptron };
  const quick = { degrees: [1, 2], fractions: [0.5], maxDepth: 2 };

  test("fewer than five rows, one class, three classes", async () => {
    for (const [name, create] of Object.entries(learners)) {
      await expect(create().fit(sampleOf([[0], [1], [2], [3]], [0, 1, 0, 1]))).rejects.toMatchObject({
        code: "data/too-few-rows",
        message: `${name} needs at least 5 rows, but there are 4.`,
      });
      await expect(create().fit(sampleOf([[0], [1], [2], [3], [4]], [0, 0, 0, 0, 0]))).rejects.toMatchObject({
        code: "data/one-class",
      });
      await expect(create().fit(sampleOf([[0], [1], [2], [3], [4]], [0, 1, 2, 1, 0]))).rejects.toMatchObject({
        code: "learner/unsupported",
      });
    }
  });

  test("a class with a single row, so that folds lack it", async () => {
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
        message: expect.stringContaining("No cascade of 2 levels"),
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

  test("a solver that gives up is told of, with the gap", async () => {
    const model = await deepCascadeSvm({ ...quick, maxIterations: 2, gammas: [0.01] }).fit(noisyRing(60, 2));
    expect(model.notices).toHaveLength(2);
    expect(model.notices[0]).toMatch(
      /used up its 2 iterations in .* that C was chosen with: the largest violation left is/,
    );
    expect(model.notices[1]).toMatch(/of the search/);
  });

  test("an aborted run stops", async () => {
    const controller = new AbortController();
    const fit = deepCascadeSvm().fit(noisyRing(300, 2), {
      executor: threads,
      signal: controller.signal,
      progress: () => controller.abort(),
    });
    await expect(fit).rejects.toMatchObject({ code: "run/interrupted" });
  });

  test("rows to classify that do not fit", async () => {
    const model = await deepCascadePerceptron({ ...quick, gammas: [1] }).fit(noisyRing(20, 1));
    expect(() => model.predict(new Matrix(1, 2))).toThrow(
      expect.objectContaining({ code: "data/malformed" }),
    );
    expect(model.predict(new Matrix(0, 3))).toHaveLength(0);
  });
});
