import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adaboost, dagSvm, type MulticlassModel, oneVsOne, oneVsRest, perceptron, svm } from "vouch";
import { binMatrix } from "#core/encode/bin-matrix.js";
import { type Features, Sample } from "#core/encode/sample.js";
import { rowValues } from "#core/learners/kernel/kernel-features.js";
import type { Model } from "#core/learners/model.js";
import { SeparateMachines, SvmMachines } from "#core/learners/multiclass/binary-machines.js";
import { indexOfLargest } from "#core/learners/scores.js";
import { pairsOf } from "#core/learners/svm/pairwise.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { blobs } from "./blobs.js";

const schemes = { "one-vs-one": oneVsOne, "one-vs-rest": oneVsRest, "dag-svm": dagSvm };
type SchemeName = keyof typeof schemes;

/** A machine with a given value for each row; the only feature of a row is its number. */
function learned(values: readonly number[], scoring: Model["scoring"]): Model {
  const scores = (features: Features) => {
    if (!(features instanceof Matrix)) throw new Error("Expected a matrix.");
    const own = Array.from(features.values, (row) => values[row]);
    return Matrix.from(own.map((f) => (scoring === "probability" ? [0.5 + f, 0.5 - f] : [f, -f])));
  };
  const predict = (features: Features) =>
    Int32Array.from({ length: features.rows }, (_, i) => indexOfLargest(scores(features).row(i)));
  const margins = ({ features }: Sample<Features>) => {
    const all = scores(features);
    return Float64Array.from({ length: all.rows }, (_, i) =>
      Math.tanh(all.values[2 * i] - all.values[2 * i + 1]),
    );
  };
  const classify = (features: Features) => ({ scores: scores(features), predictions: predict(features) });
  return {
    learner: "learned",
    classes: ["first", "second"],
    featureNames: ["row"],
    scoring,
    scores,
    predict,
    margins,
    classify,
    assess: (sample) => ({ ...classify(sample.features), margins: margins(sample) }),
    complexity: () => ({ counts: {} }),
    describe: () => ({ facts: [], sections: [] }),
    toState: () => ({ json: {}, tensors: {} }),
  };
}

/** A model whose machines have the given values: one list per machine, one value per row. */
function modelOf(
  name: SchemeName,
  classes: number,
  values: readonly (readonly number[])[],
  scoring: Model["scoring"] = "decision",
): { model: MulticlassModel; rows: Matrix } {
  const model = schemes[name].assemble({
    classes: Array.from({ length: classes }, (_, k) => `c${k}`),
    featureNames: ["row"],
    trained: Array.from({ length: classes }, (_, k) => k),
    machines: new SeparateMachines(values.map((own) => learned(own, scoring))),
    rows: 100,
    subsampled: false,
    warnings: [],
  });
  return { model, rows: Matrix.from(values[0].map((_, row) => [row])) };
}

/** Decision values with many ties for some rows, of the machines that a number of classes asks for. */
const decisions = (machinesFor: (classes: number) => number) =>
  fc.integer({ min: 2, max: 6 }).chain((classes) => {
    const row = fc.constantFrom(-2, -1, -0.5, 0.5, 1, 2);
    const values = fc.array(row, { minLength: 3, maxLength: 3 });
    const machines = machinesFor(classes);
    return fc.record({
      classes: fc.constant(classes),
      values: fc.array(values, { minLength: machines, maxLength: machines }),
    });
  });
const pairCount = (classes: number) => pairsOf(classes).length;

/** The class with the most pairs won, of equal ones that with the largest sum, of equal ones the first. */
function votedByHand(classes: number, values: readonly number[]): number {
  const won = new Array<number>(classes).fill(0);
  const sums = new Array<number>(classes).fill(0);
  let p = 0;
  for (let i = 0; i < classes; i++) {
    for (let j = i + 1; j < classes; j++, p++) {
      won[values[p] > 0 ? i : j]++;
      sums[i] += values[p];
      sums[j] -= values[p];
    }
  }
  const order = won.map((_, k) => k).sort((a, b) => won[b] - won[a] || sums[b] - sums[a] || a - b);
  return order[0];
}

/** Strikes classes out of a list, first against last, until one is left. */
function struckByHand(classes: number, values: readonly number[]): { left: number; asked: number[] } {
  const pairs = pairsOf(classes);
  const list = Array.from({ length: classes }, (_, k) => k);
  const asked: number[] = [];
  while (list.length > 1) {
    const [first, last] = [list[0], list[list.length - 1]];
    const p = pairs.findIndex((pair) => pair.first === first && pair.second === last);
    asked.push(p);
    if (values[p] > 0) list.pop();
    else list.shift();
  }
  return { left: list[0], asked };
}

describe("one-vs-one", () => {
  test("votes are those counted by hand, ties go by the sum of decision values", () => {
    fc.assert(
      fc.property(decisions(pairCount), ({ classes, values }) => {
        const { model, rows } = modelOf("one-vs-one", classes, values);
        const byHand = values[0].map((_, row) =>
          votedByHand(
            classes,
            values.map((own) => own[row]),
          ),
        );
        expect([...model.predict(rows)]).toEqual(byHand);
      }),
      { numRuns: 300 },
    );
  });

  test("coupled probabilities are optimal: no move of weight between two classes improves them much", () => {
    const probabilities = fc.integer({ min: 3, max: 5 }).chain((classes) => {
      const r = fc.oneof(fc.double({ min: 0.1, max: 0.9, noNaN: true }), fc.constantFrom(0, 1));
      const own = fc.array(r, { minLength: 1, maxLength: 1 });
      const machines = pairCount(classes);
      return fc.record({
        classes: fc.constant(classes),
        r: fc.array(own, { minLength: machines, maxLength: machines }),
      });
    });
    fc.assert(
      fc.property(probabilities, ({ classes, r }) => {
        const values = r.map((own) => own.map((p) => p - 0.5));
        const { model, rows } = modelOf("one-vs-one", classes, values, "probability");
        expect(model.scoring).toBe("probability");
        const p = [...model.scores(rows).values];
        expect(p.every((value) => value >= 0)).toBe(true);
        expect(p.reduce((a, b) => a + b)).toBeCloseTo(1, 9);
        const objective = (q: readonly number[]) =>
          pairsOf(classes).reduce(
            (sum, { first, second }, m) => sum + 2 * ((1 - r[m][0]) * q[first] - r[m][0] * q[second]) ** 2,
            0,
          );
        for (let i = 0; i < classes; i++) {
          for (let j = 0; j < classes; j++) {
            if (i === j || p[j] < 0.02) continue;
            const moved = p.map((value, k) => value + (k === i ? 0.02 : k === j ? -0.02 : 0));
            expect(objective(moved)).toBeGreaterThan(objective(p) - 5e-4);
          }
        }
      }),
    );
  });

  test("with base svm it is svm, up to ties, and keeps support vectors once", async () => {
    const sample = blobs(5, 20);
    const model = await oneVsOne({ base: "svm", baseOptions: { C: 3 } }).fit(sample);
    const own = await svm({ C: 3 }).fit(sample);
    expect(model.machines).toBeInstanceOf(SvmMachines);
    const [mine, its] = [model.predict(sample.features), own.predict(sample.features)];
    const different = mine.reduce((sum, k, i) => sum + Number(k !== its[i]), 0);
    expect(different).toBeLessThanOrEqual(2);
    expect(model.evaluations?.(sample.features)).toEqual({
      kernel: own.machines.supportVectors.rows,
      nodes: 10,
    });
  });
});

describe("one-vs-rest", () => {
  test("the machine with the largest value wins", () => {
    const threeOrMore = decisions((classes) => (classes === 2 ? 1 : classes));
    fc.assert(
      fc.property(threeOrMore, ({ classes, values }) => {
        const { model, rows } = modelOf("one-vs-rest", classes, values);
        const byHand = values[0].map((_, row) =>
          classes === 2 ? Number(values[0][row] < 0) : indexOfLargest(values.map((own) => own[row])),
        );
        expect([...model.predict(rows)]).toEqual(byHand);
      }),
    );
  });

  test("probabilities are those of the machines, scaled to sum to one", () => {
    const { model, rows } = modelOf(
      "one-vs-rest",
      3,
      [
        [0.3, -0.5],
        [-0.3, -0.5],
        [-0.5, -0.5],
      ],
      "probability",
    );
    const scores = model.scores(rows);
    [0.8, 0.2, 0, 1 / 3, 1 / 3, 1 / 3].forEach((p, i) => {
      expect(scores.values[i]).toBeCloseTo(p, 12);
    });
  });
});

describe("dag-svm", () => {
  test("evaluates first against last, K − 1 machines per row", () => {
    fc.assert(
      fc.property(decisions(pairCount), ({ classes, values }) => {
        const { model, rows } = modelOf("dag-svm", classes, values);
        const byHand = values[0].map((_, row) =>
          struckByHand(
            classes,
            values.map((own) => own[row]),
          ),
        );
        expect([...model.predict(rows)]).toEqual(byHand.map(({ left }) => left));
        expect(model.evaluations?.(rows)).toEqual({ nodes: classes - 1 });
      }),
      { numRuns: 300 },
    );
  });

  test("agrees with one-vs-one if the pairs agree on an order of the classes", () => {
    const strengths = fc
      .integer({ min: 2, max: 7 })
      .chain((classes) =>
        fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: classes, maxLength: classes }),
      );
    fc.assert(
      fc.property(strengths, (strength) => {
        const values = pairsOf(strength.length).map(({ first, second }) => [
          strength[first] - strength[second],
        ]);
        const [dag, all] = (["dag-svm", "one-vs-one"] as const).map((name) => {
          const { model, rows } = modelOf(name, strength.length, values);
          return model.predict(rows)[0];
        });
        expect(dag).toBe(all);
        expect(dag).toBe(indexOfLargest(strength));
      }),
    );
  });

  test("counts each support vector once per row", async () => {
    const sample = blobs(5, 20);
    const model = await dagSvm({ baseOptions: { C: 3 } }).fit(sample);
    if (!(model.machines instanceof SvmMachines)) throw new Error("Expected shared machines.");
    const { machines } = model.machines.model;
    const values = model.machines.allValues(sample.features);
    let compared = 0;
    for (let row = 0; row < sample.rows; row++) {
      const { asked } = struckByHand(5, Array.from(values.row(row)));
      const touched = new Set(asked.flatMap((p) => [...machines.partsOf(machines.pairs[p]).supportVectors]));
      compared += touched.size;
    }
    const found = model.evaluations?.(sample.features);
    expect(found?.nodes).toBe(4);
    expect(found?.kernel).toBeCloseTo(compared / sample.rows, 9);
    expect(found?.kernel).toBeLessThan(machines.supportVectors.rows);
  });
});

describe("margins", () => {
  test("are positive only where the model is right, negative only where it is wrong, and in [−1, 1]", () => {
    for (const name of ["one-vs-one", "one-vs-rest", "dag-svm"] as const) {
      const machines = (classes: number) =>
        name === "one-vs-rest" ? (classes === 2 ? 1 : classes) : pairCount(classes);
      fc.assert(
        fc.property(
          decisions(machines),
          fc.array(fc.integer({ min: -1, max: 5 }), { minLength: 3, maxLength: 3 }),
          ({ classes, values }, any) => {
            const { model, rows } = modelOf(name, classes, values);
            const labels = Int32Array.from(any, (label) => Math.min(label, classes - 1));
            const margins = model.margins(new Sample({ features: rows, labels, classes: model.classes }));
            model.predict(rows).forEach((winner, i) => {
              expect(Math.abs(margins[i])).toBeLessThanOrEqual(1);
              expect(winner === labels[i] ? margins[i] >= 0 : margins[i] <= 0).toBe(true);
            });
          },
        ),
      );
    }
  });

  test("one-vs-one and dag-svm: the smallest margin of the own class over its pairs", () => {
    // Class 0 beats 1 narrowly and 2 clearly; 1 beats 2.
    const values = [[0.1], [2], [1]];
    const sample = (rows: Matrix, label: number) =>
      new Sample({ features: rows, labels: Int32Array.of(label), classes: ["c0", "c1", "c2"] });
    for (const name of ["one-vs-one", "dag-svm"] as const) {
      const { model, rows } = modelOf(name, 3, values);
      expect(model.margins(sample(rows, 0))[0]).toBeCloseTo(Math.tanh(0.2), 12);
      expect(model.margins(sample(rows, 1))[0]).toBeCloseTo(-Math.tanh(0.2), 12);
      expect(model.margins(sample(rows, 2))[0]).toBeCloseTo(-Math.tanh(4), 12);
      expect(model.margins(sample(rows, -1))[0]).toBeCloseTo(-Math.tanh(0.2), 12);
    }
  });
});

describe("any base", () => {
  const sample = blobs(4, 25);
  const binned = new Sample({ ...sample, features: binMatrix(sample.features) });

  test("each machine is the model of the base on its two sides", async () => {
    const model = await oneVsRest({ base: adaboost({ rounds: 5 }) }).fit(sample);
    expect(model.machines.count).toBe(4);
    const sides = Int32Array.from(sample.labels, (label) => (label === 2 ? 0 : 1));
    const alone = await adaboost({ rounds: 5 }).fit(
      new Sample({ features: sample.features, labels: sides, classes: ["c2", "not c2"] }),
    );
    expect(model.machines.models[2].scores(sample.features)).toEqual(alone.scores(sample.features));
    const [{ kind, rows }] = Object(model.describe()).sections;
    expect(kind).toBe("table");
    expect(rows.map(([classes]: readonly string[]) => classes)).toEqual([
      "c0 or not",
      "c1 or not",
      "c2 or not",
      "c3 or not",
    ]);
  });

  test.each([
    ["svm", { probability: true }],
    ["perceptron", {}],
    ["adaboost", { rounds: 10 }],
    ["stump", {}],
    ["forest", { trees: 5 }],
    ["deep-cascade-perceptron", { maxDepth: 2, fractions: [0.5] }],
    ["mlp", { epochs: 3 }],
  ])("%s learns under every scheme", async (base, baseOptions) => {
    for (const scheme of Object.values(schemes)) {
      const learner = scheme({ base, baseOptions });
      const rows: Sample<Features> = learner.encoding.kind === "binned" ? binned : sample;
      const model = await learner.fit(rows, { seed: 3 });
      const right = model.predict(rows.features).reduce((sum, k, i) => sum + Number(k === rows.labels[i]), 0);
      expect(right, `${model.learner} ${base}`).toBeGreaterThan(base === "mlp" ? 30 : 60);
      expect(model.scoring).toBe(model.learner === "dag-svm" ? "decision" : model.machines.models[0].scoring);
    }
  });

  test("kernel values of perceptrons are counted once if rows and kernels are the same", async () => {
    const model = await oneVsRest({ base: "perceptron" }).fit(sample);
    const distinct = new Set<string>();
    let all = 0;
    for (const machine of model.machines.models) {
      if (!perceptron.made(machine)) throw new Error("Expected perceptrons.");
      const { support } = machine.machine;
      all += support.rows;
      for (let s = 0; s < support.rows; s++) distinct.add(rowValues(support, s).join());
    }
    expect(model.evaluations?.(sample.features)).toEqual({ kernel: distinct.size, nodes: 4 });
    expect(distinct.size).toBeLessThan(all);
  });
});
