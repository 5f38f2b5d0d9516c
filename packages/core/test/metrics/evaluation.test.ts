import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { auc, evaluate, logLoss } from "#core/metrics/evaluation.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { fault } from "../fault.js";

const classes = ["a", "b", "c"];

describe("evaluate", () => {
  it("computes all metrics of a small example by hand", () => {
    // Recalls 2/3, 1/2, 1; precisions 2/3, 1/2, 1.
    const labels = Int32Array.of(0, 0, 0, 1, 1, 2);
    const predictions = Int32Array.of(0, 0, 1, 1, 0, 2);
    const result = evaluate({ classes, labels, predictions });
    expect(result).toEqual({
      rows: 6,
      error: 2 / 6,
      accuracy: 4 / 6,
      balancedAccuracy: expect.closeTo((2 / 3 + 1 / 2 + 1) / 3, 12),
      macroF1: expect.closeTo((2 / 3 + 1 / 2 + 1) / 3, 12),
      confusion: {
        classes,
        matrix: [
          [2, 1, 0],
          [1, 1, 0],
          [0, 0, 1],
        ],
      },
    });
  });

  it("leaves classes that do not occur out of the means, but counts those predicted in F1", () => {
    const result = evaluate({ classes, labels: Int32Array.of(0, 0), predictions: Int32Array.of(0, 1) });
    expect(result.balancedAccuracy).toBe(0.5);
    expect(result.macroF1).toBeCloseTo((2 / 3 + 0) / 2);
  });

  it("gives unknown classes a row of their own; they are always errors", () => {
    const result = evaluate({ classes, labels: Int32Array.of(0, -1), predictions: Int32Array.of(0, 2) });
    expect(result.error).toBe(0.5);
    expect(result.balancedAccuracy).toBe(0.5);
    expect(result.macroF1).toBeCloseTo(1 / 3);
    expect(result.confusion).toEqual({
      classes: ["a", "b", "c", "(unknown)"],
      matrix: [
        [1, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 1, 0],
      ],
    });
  });

  it("gives the log-loss of probabilities only", () => {
    const labels = Int32Array.of(0, 1);
    const predictions = Int32Array.of(0, 0);
    const scores = Matrix.from([
      [0.8, 0.2],
      [0.6, 0.4],
    ]);
    const two = { classes: ["a", "b"], labels, predictions, scores };
    expect(evaluate({ ...two, scoring: "probability" }).logLoss).toBeCloseTo(
      -(Math.log(0.8) + Math.log(0.4)) / 2,
    );
    expect(evaluate({ ...two, scoring: "decision" })).not.toHaveProperty("logLoss");
    expect(evaluate({ ...two, scoring: "decision" }).auc).toBe(1);
  });

  it("omits undefined metrics and never gives NaN", () => {
    const scores = Matrix.from([[0.5, 0.5]]);
    const one = { classes: ["a", "b"], labels: Int32Array.of(1), predictions: Int32Array.of(1), scores };
    expect(evaluate(one)).not.toHaveProperty("auc");
    const rows = fc.array(fc.tuple(fc.integer({ min: -1, max: 2 }), fc.nat(2), fc.double()), {
      minLength: 1,
    });
    fc.assert(
      fc.property(rows, (rows) => {
        const result = evaluate({
          classes,
          labels: Int32Array.from(rows, ([label]) => label),
          predictions: Int32Array.from(rows, ([, prediction]) => prediction),
          scores: Matrix.from(rows.map(([, , score]) => [score, 0, 1].map((s) => (Number.isNaN(s) ? 0 : s)))),
          scoring: "probability",
        });
        const { confusion, ...numbers } = result;
        for (const value of Object.values(numbers)) expect(value).toBeGreaterThanOrEqual(0);
        expect(confusion.matrix.flat().reduce((sum, count) => sum + count, 0)).toBe(rows.length);
        expect(result.error + result.accuracy).toBeCloseTo(1, 12);
      }),
    );
  });

  it("rejects arrays that do not fit together", () => {
    const good = { classes, labels: Int32Array.of(0), predictions: Int32Array.of(0) };
    const none = new Int32Array(0);
    expect(fault(() => evaluate({ classes, labels: none, predictions: none })).code).toBe("data/no-rows");
    for (const bad of [
      { ...good, predictions: Int32Array.of(0, 1) },
      { ...good, predictions: Int32Array.of(3) },
      { ...good, predictions: Int32Array.of(-1) },
      { ...good, labels: Int32Array.of(-2) },
      { ...good, labels: Int32Array.of(3) },
      { ...good, scores: Matrix.from([[1, 2]]) },
      { ...good, scores: Matrix.from([[1, Number.NaN, 0]]) },
    ]) {
      expect(fault(() => evaluate(bad)).code).toBe("data/malformed");
    }
  });
});

describe("logLoss", () => {
  it("cuts probabilities off zero, also for unknown classes", () => {
    const probabilities = Matrix.from([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    expect(logLoss(Int32Array.of(0, 1, -1), probabilities)).toBeCloseTo((-2 * Math.log(1e-15)) / 3);
  });
});

describe("auc", () => {
  const pairCount = (labels: Int32Array, score: (row: number) => number, c: number) => {
    let pairs = 0;
    let inOrder = 0;
    for (let i = 0; i < labels.length; i++) {
      for (let j = 0; j < labels.length; j++) {
        if (labels[i] !== c || labels[j] === c || labels[j] < 0) continue;
        pairs++;
        inOrder += score(i) > score(j) ? 1 : score(i) === score(j) ? 0.5 : 0;
      }
    }
    return pairs === 0 ? undefined : inOrder / pairs;
  };
  const score = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ noNaN: true }), fc.constantFrom(-0, 0));

  it("counts pairs in order, ties one half: two classes", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: -1, max: 1 }), score)), (rows) => {
        const labels = Int32Array.from(rows, ([label]) => label);
        const scores = new Matrix(rows.length, 2, Float64Array.from(rows.flatMap(([, own]) => [-own, own])));
        const expected = pairCount(labels, (row) => rows[row][1], 1);
        if (expected === undefined) expect(auc(labels, scores)).toBeUndefined();
        else expect(auc(labels, scores)).toBeCloseTo(expected, 12);
      }),
    );
  });

  it("is the mean over the classes that occur, each against the rest", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), fc.array(score, { minLength: 4, maxLength: 4 }))), (rows) => {
        const labels = Int32Array.from(rows, ([label]) => label);
        const scores = new Matrix(rows.length, 4, Float64Array.from(rows.flatMap(([, own]) => own)));
        const areas = [0, 1, 2, 3]
          .map((c) => pairCount(labels, (row) => rows[row][1][c], c))
          .filter((area) => area !== undefined);
        const mean = areas.reduce((sum, area) => sum + area, 0) / areas.length;
        if (areas.length === 0) expect(auc(labels, scores)).toBeUndefined();
        else expect(auc(labels, scores)).toBeCloseTo(mean, 12);
      }),
    );
  });
});
