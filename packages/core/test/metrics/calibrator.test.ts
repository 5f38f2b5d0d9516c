import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CalibrationMethod, Calibrator, calibrationMethods } from "#core/metrics/calibrator.js";
import { calibratorState, restoreCalibrator } from "#core/metrics/calibrator-state.js";
import { auc } from "#core/metrics/evaluation.js";
import type { State } from "#core/runtime/codec/state.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { fitMethod, prepareScores } from "#core/validation/calibrator-solvers.js";
import { refuseDamagedTensors } from "../runtime/codec/damaged-states.js";

const logistic = (x: number) => 1 / (1 + Math.exp(-x));
const logOdds = (p: number) => Math.log(p / (1 - p));

/** Rows of two classes with true log-odds ~ N(0, 2²), and the log-odds that the model shows. */
function twoClasses(rows: number, seed: number, shown: (trueLogOdds: number) => number) {
  const random = new Random(seed);
  const values = new Float64Array(2 * rows);
  const labels = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    const truth = 2 * random.normal();
    values[2 * i + 1] = logistic(shown(truth));
    values[2 * i] = 1 - values[2 * i + 1];
    labels[i] = Number(random.uniform() < logistic(truth));
  }
  return { scores: new Matrix(rows, 2, values), labels };
}

function fitted(
  method: CalibrationMethod,
  { scores, labels }: { scores: Matrix; labels: Int32Array },
  scoring: "probability" | "decision" = "probability",
  weights = new Float64Array(labels.length).fill(1),
) {
  return fitMethod(method, prepareScores(scores, scoring, labels), weights);
}

/** The calibrated log-odds of the second class at log-odds x of the model. */
function mapped(calibrator: Calibrator, x: number): number {
  const { values } = calibrator.probabilities(Matrix.from([[logistic(-x), logistic(x)]]));
  return logOdds(values[1]);
}

describe("calibration of two classes", () => {
  it("by temperature recovers T", () => {
    const calibrator = fitted(
      "temperature",
      twoClasses(50_000, 1, (x) => 2.5 * x),
    );
    for (const x of [-5, -1, 0.5, 3]) expect(mapped(calibrator, x)).toBeCloseTo(x / 2.5, 1);
  });

  it("by Platt's method recovers slope and intercept", () => {
    const calibrator = fitted(
      "platt",
      twoClasses(50_000, 2, (x) => 0.5 * x - 1),
    );
    for (const x of [-3, -1, 0, 1]) expect(Math.abs(mapped(calibrator, x) - (2 * x + 2))).toBeLessThan(0.1);
  });

  it("by the beta method contains the identity, and recovers its parameters", () => {
    const { scores } = twoClasses(10, 3, (x) => x);
    const identity = new Calibrator({
      method: "beta",
      scoring: "probability",
      floor: 1e-12,
      scale: 1,
      slopes: Float64Array.of(1, 1),
      intercepts: Float64Array.of(0, 0),
      curves: { kind: "beta", a: Float64Array.of(1), b: Float64Array.of(1), c: Float64Array.of(0) },
    });
    identity.probabilities(scores).values.forEach((p, i) => {
      expect(p).toBeCloseTo(scores.values[i], 9);
    });
    // True log-odds are 2 ln p − ½ ln(1 − p) + 0.3 of the probability shown.
    const truth = (p: number) => 2 * Math.log(p) - 0.5 * Math.log(1 - p) + 0.3;
    const random = new Random(4);
    const labels = new Int32Array(50_000);
    const values = new Float64Array(2 * labels.length);
    for (let i = 0; i < labels.length; i++) {
      const p = 0.02 + 0.96 * random.uniform();
      values.set([1 - p, p], 2 * i);
      labels[i] = Number(random.uniform() < logistic(truth(p)));
    }
    const calibrator = fitted("beta", { scores: new Matrix(labels.length, 2, values), labels });
    for (const p of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      expect(Math.abs(mapped(calibrator, logOdds(p)) - truth(p))).toBeLessThan(0.12);
    }
  });

  it("by Platt's method is at the optimum: residuals of Platt's targets are orthogonal to score and constant", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            d: fc.integer({ min: -50, max: 50 }).map((tenths) => tenths / 10),
            label: fc.integer({ min: 0, max: 1 }),
          }),
          {
            minLength: 2,
            maxLength: 40,
          },
        ),
        (rows) => {
          const labels = Int32Array.from(rows, ({ label }) => label);
          const scores = Matrix.from(rows.map(({ d }) => [-d, d]));
          const { values } = fitted("platt", { scores, labels }, "decision").probabilities(scores);
          const own = labels.filter((label) => label === 1).length;
          const targets = Array.from(labels, (label) =>
            label === 1 ? (own + 1) / (own + 2) : 1 / (labels.length - own + 2),
          );
          const floor = 0.1 / (rows.length + 2);
          const residuals = targets.map((t, i) => t - (values[2 * i + 1] - floor) / (1 - 2 * floor));
          const constant = residuals.reduce((sum, r) => sum + r, 0);
          const slope = residuals.reduce((sum, r, i) => sum + r * rows[i].d, 0);
          expect(Math.abs(constant)).toBeLessThan(1e-4);
          // With a falling relation the slope stops at zero, where it would still like to decrease.
          const flat = values[1] === values[2 * labels.length - 1];
          if (flat) expect(slope).toBeLessThan(1e-4);
          else expect(Math.abs(slope)).toBeLessThan(1e-3);
        },
      ),
    );
  });

  it.each(calibrationMethods)("by %s keeps the order of the rows", (method) => {
    const rows = twoClasses(3000, 5, (x) => (x > 0 ? 3 * x : x - 1));
    const { values } = fitted(method, rows).probabilities(rows.scores);
    const order = Array.from(rows.labels.keys()).sort(
      (a, b) => rows.scores.values[2 * a + 1] - rows.scores.values[2 * b + 1],
    );
    for (let i = 1; i < order.length; i++) {
      expect(values[2 * order[i] + 1]).toBeGreaterThanOrEqual(values[2 * order[i - 1] + 1]);
    }
    const before = auc(rows.labels, rows.scores) ?? 0;
    const after = auc(rows.labels, new Matrix(rows.labels.length, 2, values)) ?? 0;
    expect(Math.abs(after - before)).toBeLessThan(method === "isotonic" ? 0.002 : 1e-6);
  });

  it("keeps the order even if higher scores are less likely", () => {
    const rows = twoClasses(2000, 6, (x) => -x);
    for (const method of calibrationMethods.filter((each) => each !== "none")) {
      const { values } = fitted(method, rows).probabilities(rows.scores);
      const order = Array.from(rows.labels.keys()).sort(
        (a, b) => rows.scores.values[2 * a + 1] - rows.scores.values[2 * b + 1],
      );
      for (let i = 1; i < order.length; i++) {
        expect(values[2 * order[i] + 1]).toBeGreaterThanOrEqual(values[2 * order[i - 1] + 1]);
      }
    }
  });
});

describe("calibration of several classes", () => {
  /** Labels drawn from softmax(z), and scores softmax(T·(z − shifts)). */
  function severalClasses(rows: number, seed: number, factor: number, shifts: readonly number[]) {
    const random = new Random(seed);
    const classes = shifts.length;
    const values = new Float64Array(rows * classes);
    const labels = new Int32Array(rows);
    for (let i = 0; i < rows; i++) {
      const z = shifts.map(() => 1.5 * random.normal());
      const truth = shares(z);
      const place = random.uniform();
      const upTo = (k: number) => truth.slice(0, k + 1).reduce((sum, p) => sum + p, 0);
      labels[i] = Math.min(classes - 1, truth.filter((_, k) => upTo(k) <= place).length);
      values.set(shares(z.map((x, c) => factor * (x - shifts[c]))), i * classes);
    }
    return { scores: new Matrix(rows, classes, values), labels };
  }

  function shares(logits: readonly number[]): number[] {
    const sum = logits.reduce((total, x) => total + Math.exp(x), 0);
    return logits.map((x) => Math.exp(x) / sum);
  }

  it("by temperature recovers T", () => {
    const rows = severalClasses(20_000, 7, 3, [0, 0, 0, 0]);
    const { json, tensors } = calibratorState(fitted("temperature", rows));
    expect(json).toMatchObject({ method: "temperature" });
    for (const slope of tensors.slopes.data) expect(Number(slope)).toBeCloseTo(1 / 3, 1);
  });

  it("by Platt's method recovers shifts of classes", () => {
    const shifts = [0, 1, -1];
    const { tensors } = calibratorState(fitted("platt", severalClasses(20_000, 8, 1, shifts)));
    const intercepts = Array.from(tensors.intercepts.data, Number);
    for (const slope of tensors.slopes.data) expect(Math.abs(Number(slope) - 1)).toBeLessThan(0.1);
    expect(intercepts[1] - intercepts[0]).toBeCloseTo(1, 0);
    expect(intercepts[2] - intercepts[0]).toBeCloseTo(-1, 0);
  });

  it.each(calibrationMethods)("by %s gives probabilities", (method) => {
    const rows = severalClasses(500, 9, 2, [0, 0.5, -0.5, 0, 0]);
    const { values } = fitted(method, rows).probabilities(rows.scores);
    for (let start = 0; start < values.length; start += 5) {
      const row = Array.from(values.subarray(start, start + 5));
      expect(row.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
      for (const p of row) expect(p > 0 && p < 1).toBe(true);
    }
  });
});

describe("bad scores", () => {
  const extremes = Matrix.from([
    [-Number.MAX_VALUE, Number.MAX_VALUE],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    [0, 0],
    [-1e-300, 1e-300],
    [1, -1],
    [-2, 2],
  ]);
  const labels = Int32Array.of(1, 0, 0, 1, 0, 1);

  it("that are huge, infinite or equal give finite probabilities", () => {
    for (const method of calibrationMethods.filter((each) => each !== "none")) {
      for (const scores of [extremes, new Matrix(6, 2), new Matrix(6, 2, new Float64Array(12).fill(7))]) {
        const { values } = fitted(method, { scores, labels }, "decision").probabilities(extremes);
        for (let i = 0; i < values.length; i += 2) {
          expect(values[i] > 0 && values[i] < 1).toBe(true);
          expect(values[i] + values[i + 1]).toBeCloseTo(1, 12);
        }
      }
    }
  });

  it("of 0 and 1 get a floor that falls with the number of rows", () => {
    const leastOf = (rows: number) => {
      const scores = new Matrix(
        rows,
        2,
        Float64Array.from({ length: 2 * rows }, (_, i) => i % 2),
      );
      return fitted("none", { scores, labels: new Int32Array(rows).fill(1) }).probabilities(scores).values[0];
    };
    expect(leastOf(8)).toBeCloseTo(0.01, 12);
    expect(leastOf(998)).toBeCloseTo(0.0001, 12);
  });

  it("that are NaN, or of another number of classes, are refused", () => {
    const calibrator = fitted("platt", { scores: extremes, labels }, "decision");
    const malformed = expect.objectContaining({ code: "data/malformed" });
    expect(() => calibrator.probabilities(Matrix.from([[Number.NaN, 1]]))).toThrow(malformed);
    expect(() => calibrator.probabilities(new Matrix(1, 3))).toThrow(malformed);
  });
});

describe("a calibrator in a file", () => {
  const two = twoClasses(1500, 10, (x) => 2 * x + 0.5);
  const refuse = (classes: number) => (state: unknown) =>
    expect(() => Reflect.apply(restoreCalibrator, undefined, [state, classes])).toThrow(
      expect.objectContaining({ code: "model/corrupt" }),
    );

  it.each(calibrationMethods)(
    "gives the same probabilities as before (%s), and is refused if damaged",
    (method) => {
      const calibrator = fitted(method, two);
      const state = calibratorState(calibrator);
      const restored = restoreCalibrator(state, 2);
      expect(restored.method).toBe(method);
      expect(restored.probabilities(two.scores).values).toEqual(calibrator.probabilities(two.scores).values);
      refuseDamagedTensors(state, refuse(2));
      refuse(3)(state);
    },
  );

  it("is refused if a number is out of range", () => {
    const { json, tensors }: State = calibratorState(fitted("isotonic", two));
    const forged = (changes: object) => ({ json: Object.assign({}, json, changes), tensors });
    for (const changes of [
      { floor: 0 },
      { floor: 0.5 },
      { floor: -1 },
      { scale: 0 },
      { scale: Number.POSITIVE_INFINITY },
      { method: "beta" },
      { method: "magic" },
      { method: "none" },
      { scoring: "odds" },
      { curves: { kind: "isotonic", knots: [] } },
      { further: 1 },
    ]) {
      refuse(2)(forged(changes));
    }
    const changed = (name: string, change: (values: Float64Array) => Float64Array) => {
      const { shape, data } = tensors[name];
      if (!(data instanceof Float64Array)) return expect.fail(`${name} holds no doubles`);
      return { json, tensors: { ...tensors, [name]: { shape, data: change(data) } } };
    };
    refuse(2)(changed("curves.knots.1.at", (at) => at.toReversed()));
    refuse(2)(changed("curves.knots.1.probabilities", (ps) => ps.toReversed()));
    refuse(2)(changed("curves.knots.1.probabilities", (ps) => ps.map((p) => p + 0.5)));
    refuse(2)(changed("slopes", () => Float64Array.of(-1, -1)));
    refuse(2)(changed("slopes", () => Float64Array.of(1, 2)));
    refuse(2)(changed("intercepts", () => Float64Array.of(0, 1e9)));
  });
});
