import { afterAll, describe, expect, test } from "vitest";
import {
  createLearner,
  dagSvm,
  learnerNamed,
  type Model,
  type MulticlassModel,
  oneVsOne,
  oneVsRest,
  svm,
} from "vouch";
import { Sample } from "#core/encode/sample.js";
import { problemOf, rowsByClass } from "#core/learners/multiclass/problems.js";
import type { Sides } from "#core/learners/multiclass/schemes.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import type { Progress } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { blobs } from "./blobs.js";

const threads = threadExecutor({ threads: 2 });
afterAll(() => threads.close());

const schemes = [oneVsOne, oneVsRest, dagSvm];

/** Returns the error that a promise is rejected with. */
async function fault(work: Promise<unknown>): Promise<VouchError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof VouchError) return error;
  throw new Error(`no fault but ${error}`);
}

const certificatesOf = (model: MulticlassModel) => model.certificates?.({ confidence: 0.9 }) ?? [];

describe("options", () => {
  test("the defaults of the base are filled in, and a learner can be the base", async () => {
    const learner = oneVsRest({ base: "adaboost", baseOptions: { rounds: 7 } });
    expect(learner.options).toMatchObject({ base: "adaboost", baseOptions: { rounds: 7, patience: 0 } });
    expect(oneVsRest({ base: svm({ C: 5 }) }).options).toEqual(
      oneVsRest({ base: "svm", baseOptions: { C: 5 } }).options,
    );
    expect((await createLearner("one-vs-rest", learner.options)).options).toEqual(learner.options);
    expect(oneVsOne({ base: "forest" }).encoding.kind).toBe("binned");
  });

  test("an invalid base is refused", () => {
    expect(() => oneVsOne({ base: "one-vs-rest" })).toThrow(
      expect.objectContaining({
        code: "option/invalid",
        message: 'Option base of one-vs-one is "one-vs-rest", which is made of two-class machines itself.',
      }),
    );
    expect(() => oneVsOne({ base: "svn" })).toThrow(
      expect.objectContaining({ code: "learner/unknown", hint: expect.stringContaining('"svm"') }),
    );
    expect(() => oneVsOne({ baseOptions: { Q: 1 } })).toThrow(/^svm has no option Q\.$/);
    expect(() => oneVsOne({ baseOptions: { C: -1 } })).toThrow(/^svm: C must be a number > 0, not -1\.$/);
    expect(() => oneVsOne({ base: svm(), baseOptions: { C: 1 } })).toThrow(
      /a learner that has options already/,
    );
    expect(() => oneVsOne({ base: dagSvm() })).toThrow(/^Option base of one-vs-one is "dag-svm"/);
    expect(() => Reflect.apply(oneVsOne, undefined, [{ base: {} }])).toThrow(/^Expected a learner/);
    expect(() => oneVsOne({ maxRows: 3 })).toThrow(/^one-vs-one: maxRows must be .*, not 3\.$/);
  });
});

describe("training", () => {
  test("gives the same bits on any number of threads, and others for another seed", async () => {
    const sample = blobs(3, 10);
    for (const scheme of schemes) {
      const learner = scheme({ base: "mlp", baseOptions: { epochs: 1, layers: [4] } });
      const [inline, parallel, other] = await Promise.all([
        learner.fit(sample, { seed: 5 }),
        learner.fit(sample, { seed: 5, executor: threads }),
        learner.fit(sample, { seed: 6 }),
      ]);
      expect(parallel.toState()).toEqual(inline.toState());
      expect(other.toState()).not.toEqual(inline.toState());
    }
  });

  test("reports progress in machines", async () => {
    for (const executor of [undefined, threads]) {
      const reports: Progress[] = [];
      const progress = (report: Progress) => reports.push(report);
      await oneVsRest({ base: "perceptron" }).fit(blobs(4, 10), { progress, ...(executor && { executor }) });
      expect(reports.at(-1)).toEqual({ stage: "classes", done: 4, total: 4 });
      expect(reports.every(({ stage }) => stage === "classes")).toBe(true);
    }
  });

  test("can be interrupted", async () => {
    for (const executor of [undefined, threads]) {
      const stop = new AbortController();
      const fit = oneVsOne({ base: "perceptron" }).fit(blobs(30, 20), {
        signal: stop.signal,
        progress: () => stop.abort(),
        ...(executor && { executor }),
      });
      expect((await fault(fit)).code).toBe("run/interrupted");
    }
  });

  test("two classes need one machine, the model of the base", async () => {
    const sample = blobs(2, 20);
    const alone = await svm().fit(sample);
    for (const scheme of schemes) {
      const model = await scheme().fit(sample);
      expect(model.machines.count).toBe(1);
      expect(model.predict(sample.features)).toEqual(alone.predict(sample.features));
      expect(model.evaluations?.(sample.features)).toEqual({
        kernel: alone.machines.supportVectors.rows,
        nodes: 1,
      });
      expect(certificatesOf(model)).toEqual(alone.certificates?.({ confidence: 0.9 }));
    }
  });

  test("a class without rows never wins; one with a single row can", async () => {
    const { features } = blobs(3, 5);
    const labels = Int32Array.from({ length: 15 }, (_, i) => (i === 14 ? 3 : i % 2 === 0 ? 1 : 4));
    const sample = new Sample({ features, labels, classes: ["a", "b", "c", "d", "e"] });
    for (const scheme of schemes) {
      for (const base of ["svm", "stump", "perceptron"]) {
        const model = await scheme({ base }).fit(sample);
        expect(model.trained).toEqual([1, 3, 4]);
        expect([...model.predict(features)].every((k) => [1, 3, 4].includes(k))).toBe(true);
        expect(model.margins(sample).every((margin) => Math.abs(margin) <= 1)).toBe(true);
        expect(model.scores(features).values.every(Number.isFinite)).toBe(true);
      }
    }
    const [a, b] = [oneVsOne({ base: "perceptron" }), oneVsOne({ base: "svm" })];
    expect((await a.fit(sample)).predict(features)[14]).toBe(3);
    expect((await b.fit(sample)).trained).toEqual([1, 3, 4]);
  });

  test("the base handles weights: a row of weight 2 counts as two rows", async () => {
    const sample = blobs(3, 12);
    const doubled = [...Array(36).keys()].flatMap((i) => (i % 5 === 0 ? [i, i] : [i]));
    const weights = Float64Array.from({ length: 36 }, (_, i) => (i % 5 === 0 ? 2 : 1));
    const learner = oneVsRest({ base: "adaboost", baseOptions: { rounds: 5 } });
    const weighted = await learner.fit(new Sample({ ...sample, weights }));
    const repeated = await learner.fit(sample.select(doubled));
    expect(weighted.scores(sample.features).values).toEqual(repeated.scores(sample.features).values);
  });

  test("an error of the base names the machine", async () => {
    const sample = blobs(3, 4);
    const few = sample.select([0, 1, 2, 3, 5, 6, 8, 11]);
    for (const executor of [undefined, threads]) {
      const error = await fault(
        oneVsOne({ base: "deep-cascade-perceptron" }).fit(few, executor && { executor }),
      );
      expect(error.code).toBe("data/too-few-rows");
      expect(error.message).toBe(
        'The machine for "c0" or "c1", of 4 rows, cannot be trained: deep-cascade-perceptron needs at least 5 rows, but there are 4.',
      );
    }
  });

  test("rows to learn nothing from are refused as by every learner", async () => {
    const sample = blobs(3, 4);
    const broken = Matrix.from([...Array(12).keys()].map((i) => [i, i === 7 ? Number.NaN : 0]));
    const row8 = await fault(
      oneVsOne({ base: "perceptron" }).fit(
        new Sample({ ...sample, features: broken, featureNames: ["a", "b"] }),
      ),
    );
    expect(row8.message).toBe("Row 8 has NaN in feature b.");
    expect((await fault(oneVsRest().fit(sample.select([0, 3, 6])))).code).toBe("data/one-class");
    expect((await fault(oneVsRest().fit(sample.select([])))).code).toBe("data/no-rows");
  });
});

describe("maxRows", () => {
  test("takes half of the rows from each class of a pair, a quarter from a class against many", () => {
    const sample = blobs(5, 40);
    const byClass = rowsByClass(sample);
    const counts = (sides: Sides, most: number) => {
      const { rows, sides: drawn, available } = problemOf(sample, byClass, sides, most, 7);
      expect(new Set(rows).size).toBe(rows.length);
      expect(drawn).toEqual(
        Uint8Array.from(rows, (row) => Number(!sides.first.includes(sample.labels[row]))),
      );
      const ofClass = sample.classes.map((_, k) => rows.filter((row) => sample.labels[row] === k).length);
      return { available, ofClass };
    };
    const rest = { first: [1], second: [0, 2, 3, 4] };
    expect(counts({ first: [0], second: [3] }, 50)).toEqual({ available: 80, ofClass: [25, 0, 0, 25, 0] });
    expect(counts(rest, 80)).toEqual({ available: 200, ofClass: [15, 20, 15, 15, 15] });
    // If a side has fewer rows, the other fills in.
    expect(counts(rest, 190)).toEqual({ available: 200, ofClass: [38, 40, 38, 37, 37] });
    expect(counts(rest, 200)).toEqual({ available: 200, ofClass: [40, 40, 40, 40, 40] });
  });

  test("gives a notice and no certificates", async () => {
    const sample = blobs(5, 40);
    const model = await oneVsRest({ base: "perceptron", maxRows: 50 }).fit(sample, { seed: 2 });
    expect(model.subsampled).toBe(true);
    expect(model.notices?.[0]).toMatch(
      /^5 of 5 machines trained on a random subsample: that for "c0" or not on 50 of 200 rows\./,
    );
    expect(certificatesOf(model)).toEqual([]);
    const all = await oneVsRest({ base: "perceptron", maxRows: "all" }).fit(sample, { seed: 2 });
    expect(all.notices).toEqual([]);
  });

  test("auto subsamples for deep cascades", async () => {
    expect((await learnerNamed("deep-cascade-svm")).comfortableRows).toBe(1000);
    const base = { base: "deep-cascade-perceptron", baseOptions: { maxDepth: 1, degrees: [1], gammas: [1] } };
    const sample = blobs(3, 400);
    const model = await oneVsOne(base).fit(sample);
    expect(model.subsampled).toBe(false);
    const rest = await oneVsRest(base).fit(sample);
    expect(rest.notices?.[0]).toContain('that for "c0" or not on 1,000 of 1,200');
  });
});

test("equal notices of machines are joined", async () => {
  const model = await oneVsOne({ base: "forest", baseOptions: { trees: 20 } }).fit(
    await binned(blobs(4, 20)),
  );
  expect(model.notices).toHaveLength(1);
  expect(model.notices?.[0]).toMatch(/^6 of 6 machines, such as that for "c0" or "c1": Out-of-bag error/);
});

async function binned(sample: Sample) {
  const { binMatrix } = await import("#core/encode/bin-matrix.js");
  return new Sample({ ...sample, features: binMatrix(sample.features) });
}

/** The bound of one of three stumps, at its share of δ = 0.1: `vc`, the other one, is for comparison and has none. */
function exactBound({ certificates }: Model): number {
  const own = certificates?.({ confidence: 1 - 0.1 / 3 }) ?? [];
  return own.find(({ name }) => name === "growth-function-exact")?.value ?? Number.NaN;
}

describe("certificates", () => {
  test("one-vs-rest: the sum of the best bounds of the machines, each with its share of δ", async () => {
    const sample = blobs(3, 600, 1, 0.2);
    const model = await oneVsRest({ base: "stump" }).fit(sample);
    const sum = model.machines.models.map(exactBound).reduce((a, b) => a + b);
    const [certificate, ...more] = certificatesOf(model);
    expect(more).toEqual([]);
    expect(sum).toBeLessThan(1);
    expect(certificate).toMatchObject({ name: "union-of-machines", confidence: 0.9, holds: true });
    expect(certificate.value).toBeCloseTo(sum, 12);
    expect(certificate.premises.map(({ text }) => text)).toContain(
      "Every new case belongs to one of the classes of the training rows.",
    );
  });

  test("pairs: K − 1 times the worst machine", async () => {
    const sample = blobs(3, 600, 1, 0.2);
    const model = await dagSvm({ base: "stump" }).fit(sample);
    const worst = Math.max(...model.machines.models.map(exactBound));
    expect(certificatesOf(model)[0].value).toBeCloseTo(2 * worst, 12);
  });

  test("none if the bound is not below 1, or if coupled probabilities decide", async () => {
    const few = await oneVsRest({ base: "stump" }).fit(blobs(6, 5));
    expect(certificatesOf(few)).toEqual([]);
    const coupled = await oneVsOne({ base: "stump" }).fit(blobs(3, 600, 1, 0.2));
    expect(certificatesOf(coupled)).toEqual([]);
  });
});

describe("a damaged state", () => {
  test("is refused unless machines and classes fit together", async () => {
    const sample = blobs(4, 15);
    const separate = await oneVsRest({ base: "perceptron" }).fit(sample);
    const shared = await oneVsOne({ base: "svm" }).fit(sample);
    const refused = async (model: MulticlassModel, changes: Readonly<Record<string, unknown>>) => {
      const { json, tensors } = structuredClone(model.toState());
      const { core, parts } = Object(json);
      const kind = await learnerNamed(model.learner);
      expect(() => kind.restore({ json: { core, parts: { ...parts, ...changes } }, tensors })).toThrow(
        expect.objectContaining({ code: "model/corrupt" }),
      );
    };
    for (const model of [separate, shared]) {
      await refused(model, { trained: [0, 2, 1, 3] });
      await refused(model, { trained: [0, 1, 2] });
      await refused(model, { trained: [0, 1, 2, 9] });
      await refused(model, { machines: { kind: "separate", models: [] } });
      await refused(model, { machines: { kind: "shared", model: null } });
      await refused(model, { rows: 0 });
    }
    // With three classes, one-vs-rest has as many machines as there are pairs, but svm's pairs are not machines of it.
    const three = await oneVsOne({ base: "svm" }).fit(blobs(3, 15));
    expect(() => oneVsRest.restore(three.toState())).toThrow(
      expect.objectContaining({ code: "model/corrupt" }),
    );
  });
});
