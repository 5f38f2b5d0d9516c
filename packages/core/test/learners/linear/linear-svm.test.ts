import { afterAll, describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { linearSvm } from "#core/learners/linear/linear-svm.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import type { Progress } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { noisyBlobs } from "../svm/noisy-blobs.js";
import { dot, randomFeatures } from "./random-problem.js";

const two = noisyBlobs(200, 4, 2, 1);
const five = noisyBlobs(400, 6, 5, 2);
const accuracy = (predictions: Int32Array, { labels, rows }: { labels: Int32Array; rows: number }) =>
  predictions.reduce((right, k, i) => right + Number(k === labels[i]), 0) / rows;

describe("linear-svm", () => {
  it("learns two and several classes, and its machines are at the optimum", async () => {
    for (const loss of ["hinge", "squared-hinge"] as const) {
      const pair = await linearSvm({ loss }).fit(two);
      expect(pair.machines.biases).toHaveLength(1);
      expect(accuracy(pair.predict(two.features), two)).toBeGreaterThan(0.85);
      const several = await linearSvm({ loss, tolerance: 1e-6, maxPasses: 100_000 }).fit(five);
      expect(several.machines.biases).toHaveLength(5);
      expect(accuracy(several.predict(five.features), five)).toBeGreaterThan(0.75);
      for (const gap of several.convergence.dualityGaps) expect(Math.abs(gap)).toBeLessThan(1e-3);
      expect(several.notices).toEqual([]);
    }
  });

  it("takes sparse rows as they are", async () => {
    const features = randomFeatures({ rows: 150, columns: 40, density: 0.2, seed: 8 });
    const labels = Int32Array.from({ length: 150 }, (_, i) => Number(features.row(i)[3] > 0) + (i % 2));
    const parts = { labels, classes: ["a", "b", "c"] };
    const learner = linearSvm({ C: 0.1 });
    const dense = new Sample({ ...parts, features });
    const sparse = new Sample({ ...parts, features: SparseRows.fromMatrix(features) });
    const model = await learner.fit(sparse);
    expect(model.toState()).toEqual((await learner.fit(dense)).toState());
    const [a, b] = [model.scores(sparse.features), model.scores(dense.features)];
    expect(Array.from(a.values)).toEqual(Array.from(b.values, (value) => expect.closeTo(value, 10)));
    expect(model.margins(sparse).map((x) => Math.round(x * 1e9))).toEqual(
      model.margins(dense).map((x) => Math.round(x * 1e9)),
    );
    const narrow = new SparseRows(1, 3, {
      starts: Int32Array.of(0, 0),
      indices: new Int32Array(0),
      values: new Float64Array(0),
    });
    expect(() => model.predict(narrow)).toThrow(expect.objectContaining({ code: "data/malformed" }));
  });

  it("counts a row of weight w as w rows", async () => {
    const weights = Float64Array.from(five.labels, (_, i) => i % 3);
    const repeated = Array.from(weights, (weight, i) => Array<number>(weight).fill(i)).flat();
    const learner = linearSvm({ tolerance: 1e-7, maxPasses: 100_000 });
    const weighted = await learner.fit(five.weighted(weights));
    const again = await learner.fit(five.select(repeated));
    const expected = Array.from(again.machines.weights.values, (value) => expect.closeTo(value, 4));
    expect(Array.from(weighted.machines.weights.values)).toEqual(expected);
  });

  it("gives balanced classes the same total weight", async () => {
    const rare = new Sample({
      features: new Matrix(
        101,
        1,
        Float64Array.from({ length: 101 }, (_, i) => (i === 0 ? 1 : (i % 10) / 10)),
      ),
      labels: Int32Array.from({ length: 101 }, (_, i) => Number(i === 0)),
      classes: ["common", "rare"],
    });
    expect((await linearSvm().fit(rare)).predict(rare.features)[0]).toBe(0);
    expect((await linearSvm({ classWeights: "balanced" }).fit(rare)).predict(rare.features)[0]).toBe(1);
  });

  it("never predicts a class without training rows", async () => {
    const classes = ["nobody", ...two.classes, "no one"];
    const labels = two.labels.map((label) => label + 1);
    const sample = new Sample({ ...two, classes, labels });
    const model = await linearSvm().fit(sample);
    const plain = await linearSvm().fit(two);
    expect(model.machines.biases).toHaveLength(1);
    expect(model.predict(two.features).map((k) => k - 1)).toEqual(plain.predict(two.features));
    expect(model.certificates?.({ confidence: 0.95 })).toEqual([]);
    const gap = new Sample({ ...five, classes: [...five.classes, "nobody"] });
    expect((await linearSvm().fit(gap)).predict(five.features)).not.toContain(5);
  });

  it("has margins in [−1, 1], positive for correct predictions", async () => {
    for (const sample of [two, five]) {
      const model = await linearSvm().fit(sample);
      const predictions = model.predict(sample.features);
      const margins = model.margins(sample);
      margins.forEach((margin, i) => {
        expect(Math.abs(margin)).toBeLessThanOrEqual(1);
        expect(margin > 0).toBe(predictions[i] === sample.labels[i]);
      });
      const unknown = model.margins(new Sample({ ...sample, labels: sample.labels.map(() => -1) }));
      expect(unknown.every((margin) => margin <= 0)).toBe(true);
    }
    const model = await linearSvm({ bias: 2 }).fit(two);
    const [w, b] = [Float64Array.from(model.machines.weights.row(0)), model.machines.biases[0]];
    const f = dot(w, two.features.row(0)) + b;
    const norm = Math.hypot(...w, b / 2);
    const radius = Math.sqrt(model.squaredRadius + 4);
    const sign = two.labels[0] === 0 ? 1 : -1;
    expect(model.margins(two)[0]).toBeCloseTo((sign * f) / (norm * radius), 10);
  });

  it("reports in a notice that the passes ran out", async () => {
    const model = await linearSvm({ maxPasses: 1, tolerance: 1e-9 }).fit(five);
    expect(model.notices).toEqual([
      expect.stringMatching(
        /^The solver stopped after 1 pass without converging \(5 of 5 machines, the worst is class \d vs the rest\)/,
      ),
    ]);
    expect(model.describe()).toMatchObject({
      facts: expect.arrayContaining([{ name: "converged", value: false }]),
    });
  });

  it("accepts rows of zeros, equal rows of different classes, and classes with one row", async () => {
    const zeros = new Sample({ ...two, features: new Matrix(200, 4) });
    const model = await linearSvm().fit(zeros);
    expect(new Set(model.predict(zeros.features)).size).toBe(1);
    const through = await linearSvm({ bias: 0 }).fit(zeros);
    expect(through.scores(zeros.features).values.every((value) => value === 0)).toBe(true);
    expect(through.margins(zeros).every((margin) => margin === 0)).toBe(true);
    const distinct = new Sample({
      features: randomFeatures({ rows: 12, columns: 2, density: 1, seed: 1 }),
      labels: Int32Array.from({ length: 12 }, (_, i) => i),
      classes: Array.from({ length: 20 }, (_, k) => `c${k}`),
    });
    expect((await linearSvm().fit(distinct)).machines.biases).toHaveLength(12);
  });

  it("refuses unusable data", async () => {
    const features = new Matrix(
      200,
      4,
      two.features.values.map((x, k) => (k === 9 ? Number.NaN : x)),
    );
    await expect(linearSvm().fit(new Sample({ ...two, features }))).rejects.toMatchObject({
      code: "data/not-finite",
    });
    await expect(linearSvm().fit(new Sample({ ...two, labels: new Int32Array(200) }))).rejects.toMatchObject({
      code: "data/one-class",
    });
    const huge = new Matrix(
      200,
      4,
      two.features.values.map((x) => x * 1e200),
    );
    await expect(linearSvm().fit(new Sample({ ...two, features: huge }))).rejects.toMatchObject({
      code: "data/too-large",
    });
    const model = await linearSvm().fit(two);
    const far = new Matrix(1, 4, new Float64Array(4).fill(Number.MAX_VALUE));
    expect(() => model.predict(far)).toThrow(expect.objectContaining({ code: "data/not-finite" }));
    expect(() => linearSvm({ C: 0 })).toThrow(expect.objectContaining({ code: "option/invalid" }));
  });

  it("encodes features such that zeros stay zeros, or takes them as they are", () => {
    const encoding = { kind: "numeric", sparse: true };
    expect(linearSvm().encoding).toEqual({ ...encoding, standardise: "keep-zeros" });
    expect(linearSvm({ standardise: false }).encoding).toEqual({ ...encoding, standardise: false });
  });
});

describe("threads", () => {
  const executor = threadExecutor({ threads: 3 });
  afterAll(() => executor.close());
  const large = noisyBlobs(4000, 20, 6, 3);

  it("give the same bits in any number, and report progress", async () => {
    const learner = linearSvm({ maxPasses: 30 });
    const inline = await learner.fit(large, { seed: 3 });
    const seen: Progress[] = [];
    const threaded = await learner.fit(large, {
      seed: 3,
      executor,
      progress: (progress) => seen.push(progress),
    });
    expect(executor.running).toBeGreaterThan(0);
    expect(threaded.toState()).toEqual(inline.toState());
    expect(seen.at(-1)).toMatchObject({ stage: "linear machines", done: 6, total: 6 });
    expect((await learner.fit(large, { seed: 4 })).toState()).not.toEqual(inline.toState());
  });

  it("stop when the run is aborted, and release all memory", async () => {
    const before = wasmMemory().used;
    const endless = linearSvm({ C: 1e6, tolerance: 1e-12, maxPasses: 1_000_000 });
    for (const options of [{ executor }, {}]) {
      const controller = new AbortController();
      const fit = endless.fit(large, { ...options, signal: controller.signal });
      const outcome = fit.then(
        () => "done",
        (error) => error.code,
      );
      await new Promise((resolve) => setTimeout(resolve, 300));
      const start = performance.now();
      controller.abort();
      expect(await outcome).toBe("run/interrupted");
      // Other work on the machine may delay it; alone it takes a tenth of a second.
      expect(performance.now() - start).toBeLessThan(5000);
      expect(wasmMemory().used).toBe(before);
    }
    const aborted = AbortSignal.abort();
    await expect(endless.fit(large, { signal: aborted })).rejects.toMatchObject({ code: "run/interrupted" });
    expect(wasmMemory().used).toBe(before);
  });
});
