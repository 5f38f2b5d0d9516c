import { afterAll, describe, expect, test } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { type Kernel, kernelValue } from "#core/learners/kernel/kernel.js";
import { kernelMatrix } from "#core/learners/kernel/kernel-matrix.js";
import { KernelOnDemand, kernelRows } from "#core/learners/kernel/kernel-rows.js";
import { oneVsOne, oneVsRest } from "#core/learners/multiclass/multiclass.js";
import { perceptron } from "#core/learners/perceptron/perceptron.js";
import { classifyRows } from "#core/learners/score-rows.js";
import { svm } from "#core/learners/svm/svm.js";
import { Random } from "#core/runtime/maths/random.js";
import { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";

const usedBefore = wasmMemory().used;
const KINDS = ["linear", "polynomial", "rbf", "chi-square", "intersection"] as const;

/** Draws counts of words: each class has words of its own among those that all have. */
function drawWords(rows: number, columns: number, classes: number, seed: number): Sample<SparseRows> {
  const random = new Random(seed);
  const labels = Int32Array.from({ length: rows }, (_, i) => i % classes);
  const cells = Array.from(labels, (label) => {
    const words = new Map<number, number>();
    for (let w = 0; w < 20; w++) {
      const isOwn = random.uniform() < 0.4;
      words.set(isOwn ? 30 * label + random.integer(30) : random.integer(columns), 1 + random.integer(3));
    }
    // Every row has some common words.
    words.set(columns - 1 - random.integer(5), 1);
    return [...words].sort(([a], [b]) => a - b);
  });
  const starts = new Int32Array(rows + 1);
  cells.forEach(({ length }, i) => {
    starts[i + 1] = starts[i] + length;
  });
  const features = new SparseRows(rows, columns, {
    starts,
    indices: Int32Array.from(cells.flat(), ([column]) => column),
    values: Float64Array.from(cells.flat(), ([, value]) => value),
  });
  return new Sample({ features, labels, classes: Array.from({ length: classes }, (_, k) => `c${k}`) });
}

/** The same rows as a matrix. */
function dense({ features, labels, classes }: Sample<SparseRows>): Sample {
  return new Sample({ features: features.toMatrix(), labels, classes });
}

const kernelOf = (kind: Kernel["kind"]): Kernel =>
  kind === "polynomial"
    ? { kind, degree: 3, scale: 0.01 }
    : kind === "linear" || kind === "intersection"
      ? { kind }
      : { kind, gamma: 0.01 };

// A matrix of these rows has 8.4 million cells: fewer become a matrix.
const WIDE = 28_000;

describe("kernel values of sparse rows", () => {
  const { features } = drawWords(90, 500, 3, 1);
  const matrix = features.toMatrix();

  test.each(KINDS)("%s: are those of the formula, symmetric and the same on demand", async (kind) => {
    const kernel = kernelOf(kind);
    const run = { executor: inlineExecutor() };
    using values = await kernelMatrix(features, kernel, run);
    using demanded = KernelOnDemand.of(features, kernel, 0);
    for (let i = 0; i < 90; i++) {
      const row = demanded.row(i);
      for (let j = 0; j < 90; j++) {
        const exact = kernelValue(kernel, matrix.row(i), matrix.row(j));
        expect(Math.abs(values.row(i)[j] - exact)).toBeLessThanOrEqual(2 ** -22 * exact);
        expect(Math.abs(row[j] - exact)).toBeLessThanOrEqual(2 ** -22 * exact);
        expect(values.row(i)[j]).toBe(values.row(j)[i]);
      }
      expect(demanded.diagonal[i]).toBe(values.row(i)[i]);
    }
  });
});

describe("svm on sparse rows", () => {
  const sample = drawWords(300, WIDE, 3, 2);
  const executor = threadExecutor({ threads: 3 });
  afterAll(() => executor.close());

  test.each(KINDS)("%s: decision values are those on a matrix, up to rounding", async (kernel) => {
    const learner = svm({ kernel, tolerance: 1e-7 });
    const sparse = await learner.fit(sample);
    const { supportVectors } = sparse.machines;
    expect(supportVectors).toBeInstanceOf(SparseRows);
    const some = dense(drawWords(60, WIDE, 3, 3));
    const full = await learner.fit(dense(sample));
    const values = sparse.machines.decisionValues(some.features).values;
    const expected = full.machines.decisionValues(some.features).values;
    values.forEach((value, i) => {
      expect(Math.abs(value - expected[i])).toBeLessThan(1e-4);
    });
    expect(sparse.predict(sample.features)).toEqual(full.predict(sample.features));
    const margins = full.margins(some);
    sparse.margins(some).forEach((margin, i) => {
      expect(Math.abs(margin - margins[i])).toBeLessThan(1e-4);
    });
  });

  test("small samples become a matrix, with the same bits", async () => {
    const small = drawWords(60, 200, 2, 4);
    expect((await svm().fit(small)).toState()).toEqual((await svm().fit(dense(small))).toState());
  });

  test("rows of any form get the same values", async () => {
    for (const given of [sample, dense(sample)]) {
      const model = await svm().fit(given);
      const features = drawWords(70, WIDE, 3, 5).features;
      expect(model.scores(features)).toEqual(model.scores(features.toMatrix()));
    }
  });

  test("any number of threads gives the same bits, with probabilities", async () => {
    const learner = svm({ probability: true });
    const inline = await learner.fit(sample, { seed: 3 });
    const threaded = await learner.fit(sample, { seed: 3, executor });
    expect(threaded.toState()).toEqual(inline.toState());
    const { features } = sample;
    const run = { seed: 0, executor, progress: () => {} };
    const classified = await classifyRows(threaded, features, run);
    expect(classified.scores).toEqual(inline.scores(features));
  });

  test("rows on demand give the same machines", async () => {
    const many = drawWords(700, 12_000, 2, 6);
    using values = await kernelRows(many.features, { kind: "linear" }, 1, { executor });
    expect(values).toBeInstanceOf(KernelOnDemand);
    for (const kernel of ["rbf", "chi-square"] as const) {
      const options = { kernel, C: 100, tolerance: 1e-4 };
      const cached = await svm({ ...options, cacheMegabytes: 1 }).fit(many, { executor });
      const matrix = await svm(options).fit(many);
      expect(cached.toState()).toEqual(matrix.toState());
    }
  });

  test("models are saved with sparse support vectors, and damaged ones refused", async () => {
    const model = await svm().fit(sample);
    const state = model.toState();
    const bytes = Object.values(state.tensors).reduce((sum, { data }) => sum + data.byteLength, 0);
    expect(bytes).toBeLessThan(300 * 40 * 12 + 10_000);
    expect(svm.restore(state).scores(sample.features)).toEqual(model.scores(sample.features));
    for (const [name, fault] of [
      ["indices", WIDE],
      ["indices", -1],
      ["starts", 1e6],
      ["values", Number.NaN],
    ] as const) {
      const key = `machines.supportVectors.${name}`;
      const tensor = state.tensors[key];
      const data = tensor.data.slice();
      data[3] = fault;
      const damaged = { ...state, tensors: { ...state.tensors, [key]: { ...tensor, data } } };
      expect(() => svm.restore(damaged)).toThrow(expect.objectContaining({ code: "model/corrupt" }));
    }
  });

  test("memory is given back", () => {
    expect(wasmMemory().used).toBe(usedBefore);
  });
});

describe("other kernel machines on sparse rows", () => {
  const sample = drawWords(300, WIDE, 3, 7);

  test.each([
    ["one-vs-one", oneVsOne],
    ["one-vs-rest", oneVsRest],
  ])("%s", async (_, scheme) => {
    const learner = scheme({ base: "svm", baseOptions: { kernel: "linear", tolerance: 1e-6 } });
    const some = drawWords(60, WIDE, 3, 8);
    const sparse = await learner.fit(sample);
    const full = await learner.fit(dense(sample));
    expect(sparse.predict(some.features)).toEqual(full.predict(some.features));
  });

  test("perceptron", async () => {
    const two = drawWords(320, WIDE, 2, 9);
    const learner = perceptron({ kernel: "linear" });
    const sparse = await learner.fit(two);
    const full = await learner.fit(dense(two));
    expect(sparse.machine.support).toBeInstanceOf(SparseRows);
    expect(sparse.mistakes).toBe(full.mistakes);
    expect(sparse.predict(two.features)).toEqual(full.predict(two.features));
    expect(sparse.margins(two)).toEqual(full.margins(two));
  });
});
