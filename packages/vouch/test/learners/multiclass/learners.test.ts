import { afterAll, describe, expect, test } from "vitest";
import { Sample } from "#vouch/encode/sample.js";
import { dagSvm, learnerNamed, oneVsOne, oneVsRest } from "#vouch/learners/index.js";
import type { MulticlassModel } from "#vouch/learners/multiclass/multiclass-model.js";
import { problemOf, rowsByClass } from "#vouch/learners/multiclass/problems.js";
import type { Sides } from "#vouch/learners/multiclass/schemes.js";
import { svm } from "#vouch/learners/svm/svm.js";
import { Matrix } from "#vouch/runtime/matrix.js";
import type { Progress } from "#vouch/runtime/run.js";
import type { State } from "#vouch/runtime/state.js";
import { threadExecutor } from "#vouch/runtime/threads.js";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import { blobs } from "./blobs.js";

const threads = threadExecutor({ threads: 2 });
afterAll(() => threads.close());

const schemes = [oneVsOne, oneVsRest, dagSvm];

/** What a promise is rejected with. */
async function fault(work: Promise<unknown>): Promise<VouchError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof VouchError) return error;
  throw new Error(`no fault but ${error}`);
}

describe("options", () => {
  test("the base's defaults are filled in, and a learner can be the base", () => {
    const learner = oneVsRest({ base: "adaboost", baseOptions: { rounds: 7 } });
    expect(learner.options).toMatchObject({ base: "adaboost", baseOptions: { rounds: 7, patience: 0 } });
    expect(oneVsRest({ base: svm({ C: 5 }) }).options).toEqual(
      oneVsRest({ base: "svm", baseOptions: { C: 5 } }).options,
    );
    expect(learnerNamed("one-vs-rest").create(learner.options).options).toEqual(learner.options);
    expect(oneVsOne({ base: "forest" }).encoding.kind).toBe("binned");
  });

  test("what cannot be a base is refused in words", () => {
    expect(() => oneVsOne({ base: "one-vs-rest" })).toThrow(
      expect.objectContaining({
        code: "option/invalid",
        message:
          'Option base of one-vs-one is "one-vs-rest", which is made of machines for two classes itself.',
      }),
    );
    expect(() => oneVsOne({ base: "svn" })).toThrow(
      expect.objectContaining({ code: "learner/unknown", hint: expect.stringContaining('"svm"') }),
    );
    expect(() => oneVsOne({ baseOptions: { Q: 1 } })).toThrow(/^svm has no option Q\.$/);
    expect(() => oneVsOne({ baseOptions: { C: -1 } })).toThrow(/^Option C of svm is -1\.$/);
    expect(() => oneVsOne({ base: svm(), baseOptions: { C: 1 } })).toThrow(/beside a base that has its own/);
    expect(() => oneVsOne({ maxRows: 3 })).toThrow(/^Option maxRows of one-vs-one is 3\.$/);
  });
});

describe("training", () => {
  test("is the same on any number of threads, and another with another seed", async () => {
    const sample = blobs(4, 20);
    for (const scheme of schemes) {
      const learner = scheme({ base: "mlp", baseOptions: { epochs: 2 } });
      const [inline, parallel, other] = await Promise.all([
        learner.fit(sample, { seed: 5 }),
        learner.fit(sample, { seed: 5, executor: threads }),
        learner.fit(sample, { seed: 6 }),
      ]);
      expect(parallel.toState()).toEqual(inline.toState());
      expect(other.toState()).not.toEqual(inline.toState());
    }
  });

  test("tells how far it is, in machines", async () => {
    for (const executor of [undefined, threads]) {
      const reports: Progress[] = [];
      const progress = (report: Progress) => reports.push(report);
      await oneVsRest({ base: "perceptron" }).fit(blobs(4, 10), { progress, ...(executor && { executor }) });
      expect(reports.at(-1)).toEqual({ stage: "classes", done: 4, total: 4 });
      expect(reports.every(({ stage }) => stage === "classes")).toBe(true);
    }
  });

  test("stops when it is told to", async () => {
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

  test("two classes are one machine, which is the base's model", async () => {
    const sample = blobs(2, 20);
    const alone = await svm().fit(sample);
    for (const scheme of schemes) {
      const model = await scheme().fit(sample);
      expect(model.machines.count).toBe(1);
      expect(model.predict(sample.features)).toEqual(alone.predict(sample.features));
      expect(model.evaluations(sample.features)).toEqual({
        kernel: alone.machines.supportVectors.rows,
        nodes: 1,
      });
      expect(model.certificates({ confidence: 0.9 })).toEqual(alone.certificates({ confidence: 0.9 }));
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
        const wins = [...model.predict(features)];
        expect(wins.every((k) => [1, 3, 4].includes(k))).toBe(true);
        expect(model.margins(sample).every((margin) => Math.abs(margin) <= 1)).toBe(true);
        expect(model.scores(features).values.every(Number.isFinite)).toBe(true);
      }
    }
    const [a, b] = [oneVsOne({ base: "perceptron" }), oneVsOne({ base: "svm" })];
    expect((await a.fit(sample)).predict(features)[14]).toBe(3);
    expect((await b.fit(sample)).trained).toEqual([1, 3, 4]);
  });

  test("weights are the base's matter: a row of weight 2 is as good as two rows", async () => {
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

  test("rows that nothing can be learned from are refused as by every learner", async () => {
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
  test("draws half of the rows from each class of a pair, a quarter from a class against many, these alike", () => {
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
    // A side that has fewer leaves its places to the other.
    expect(counts(rest, 190)).toEqual({ available: 200, ofClass: [38, 40, 38, 37, 37] });
    expect(counts(rest, 200)).toEqual({ available: 200, ofClass: [40, 40, 40, 40, 40] });
  });

  test("is told, and leaves no certificates", async () => {
    const sample = blobs(5, 40);
    const model = await oneVsRest({ base: "perceptron", maxRows: 50 }).fit(sample, { seed: 2 });
    expect(model.drawn).toBe(true);
    expect(model.notices[0]).toMatch(
      /^5 of 5 machines trained on some of their rows only, drawn at random: that for "c0" or not on 50 of 200\./,
    );
    expect(model.certificates({ confidence: 0.9 })).toEqual([]);
    const all = await oneVsRest({ base: "perceptron", maxRows: "all" }).fit(sample, { seed: 2 });
    expect(all.notices).toEqual([]);
  });

  test("auto draws for deep cascades", async () => {
    expect(learnerNamed("deep-cascade-svm").comfortableRows).toBe(1000);
    const base = { base: "deep-cascade-perceptron", baseOptions: { maxDepth: 1, degrees: [1], gammas: [1] } };
    const sample = blobs(3, 400);
    const model = await oneVsOne(base).fit(sample);
    expect(model.drawn).toBe(false);
    const rest = await oneVsRest(base).fit(sample);
    expect(rest.notices[0]).toContain('that for "c0" or not on 1,000 of 1,200');
  });
});

test("notices of machines that say the same are one", async () => {
  const model = await oneVsOne({ base: "forest", baseOptions: { trees: 20 } }).fit(
    await binned(blobs(4, 20)),
  );
  expect(model.notices).toHaveLength(1);
  expect(model.notices[0]).toMatch(/^6 of 6 machines, such as that for "c0" or "c1": Out-of-bag error/);
});

async function binned(sample: Sample) {
  const { binMatrix } = await import("#vouch/encode/bins.js");
  return new Sample({ ...sample, features: binMatrix(sample.features) });
}

describe("certificates", () => {
  test("one-vs-rest: the sum of the machines' best, each with its share of δ", async () => {
    const sample = blobs(3, 600, 1, 0.2);
    const model = await oneVsRest({ base: "stump" }).fit(sample);
    const machines = model.machines.models.map((machine) => {
      const count = machine.certificates?.({ confidence: 0.9 }).length ?? 0;
      const own = machine.certificates?.({ confidence: 1 - 0.1 / (3 * count) }) ?? [];
      return Math.min(...own.filter(({ holds }) => holds).map(({ value }) => value));
    });
    const sum = machines.reduce((a, b) => a + b);
    const [certificate, ...more] = model.certificates({ confidence: 0.9 });
    expect(more).toEqual([]);
    expect(sum).toBeLessThan(1);
    expect(certificate).toMatchObject({ name: "union-of-machines", confidence: 0.9, holds: true });
    expect(certificate.value).toBeCloseTo(sum, 12);
    expect(certificate.premises.map(({ statement }) => statement)).toContain(
      "Every new case belongs to one of the classes of the training rows.",
    );
  });

  test("pairs: K − 1 times the worst machine", async () => {
    const sample = blobs(3, 600, 1, 0.2);
    const model = await dagSvm({ base: "stump" }).fit(sample);
    const worst = Math.max(
      ...model.machines.models.map((machine) => {
        const count = machine.certificates?.({ confidence: 0.9 }).length ?? 0;
        const own = machine.certificates?.({ confidence: 1 - 0.1 / (3 * count) }) ?? [];
        return Math.min(...own.map(({ value }) => value));
      }),
    );
    expect(model.certificates({ confidence: 0.9 })[0].value).toBeCloseTo(2 * worst, 12);
  });

  test("none where the bound is not below 1, or where coupled probabilities decide", async () => {
    const few = await oneVsRest({ base: "stump" }).fit(blobs(6, 5));
    expect(few.certificates({ confidence: 0.9 })).toEqual([]);
    const coupled = await oneVsOne({ base: "stump" }).fit(blobs(3, 600, 1, 0.2));
    expect(coupled.certificates({ confidence: 0.9 })).toEqual([]);
  });
});

describe("states", () => {
  test("a restored model is the model", async () => {
    const sample = blobs(4, 15);
    for (const name of ["one-vs-one", "one-vs-rest", "dag-svm"]) {
      for (const base of ["svm", "adaboost", "deep-cascade-perceptron"]) {
        const model = await learnerNamed(name).create({ base }).fit(sample);
        const again = learnerNamed(name).restore(structuredClone(model.toState()));
        expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
        expect(again.margins(sample)).toEqual(model.margins(sample));
        expect(again.toState()).toEqual(model.toState());
        expect(again.describe()).toEqual(model.describe());
        expect(again.notices).toEqual(model.notices);
      }
    }
  });

  test("a state that no model has is refused", async () => {
    const sample = blobs(4, 15);
    const separate = await oneVsRest({ base: "perceptron" }).fit(sample);
    const shared = await oneVsOne({ base: "svm" }).fit(sample);
    const damage = (
      model: MulticlassModel,
      change: (json: Record<string, unknown>, tensors: Record<string, State["tensors"][string]>) => void,
    ) => {
      const state = structuredClone(model.toState());
      const json = { ...Object(state.json) };
      const tensors = { ...state.tensors };
      change(json, tensors);
      expect(() => learnerNamed(model.learner).restore({ json, tensors })).toThrow(
        expect.objectContaining({ code: "model/corrupt" }),
      );
    };
    for (const model of [separate, shared]) {
      damage(model, (json) => (json.trained = [0, 2, 1, 3]));
      damage(model, (json) => (json.trained = [0, 1, 2]));
      damage(model, (json) => (json.trained = [0, 1, 2, 9]));
      damage(model, (json) => (json.models = []));
      damage(model, (json) => (json.shared = json.shared !== true));
      damage(model, (json) => (json.rows = 0));
      damage(model, (json) => (json.extra = 1));
      damage(model, (_, tensors) => {
        tensors["9.support"] = { shape: [1], data: new Float64Array(1) };
      });
      damage(model, (_, tensors) => {
        for (const name of Object.keys(tensors)) if (name.startsWith("1.")) delete tensors[name];
      });
    }
    damage(shared, (json) => (json.classes = ["c0"]));
  });
});
