import { describe, expect, it } from "vitest";
import { againstBaseline, baselineOf } from "#vouch/evaluate/baseline.js";
import { groupCounts, meansByGroup } from "#vouch/evaluate/groups.js";
import { brierLosses } from "#vouch/evaluate/metrics.js";
import { errorByPeriod } from "#vouch/evaluate/periods.js";
import { Matrix } from "#vouch/runtime/matrix.js";
import { Random } from "#vouch/runtime/random.js";

describe("the baseline", () => {
  it("answers the commonest class of the training rows, with the shares of all classes", () => {
    const baseline = baselineOf(Int32Array.of(0, 2, 2, 1, -1), ["a", "b", "c"]);
    expect(baseline).toEqual({ class: "c", index: 2, shares: [0.25, 0.25, 0.5] });
  });

  it("is compared with a model on the rows that only one of them gets right", () => {
    const baseline = baselineOf(Int32Array.of(0, 0, 0, 1), ["no", "yes"]);
    const labels = Int32Array.of(0, 0, 0, 0, 1, 1, 1, 1, 1, -1);
    const predictions = Int32Array.of(0, 0, 0, 1, 1, 1, 1, 1, 0, 0);
    const scores = Matrix.from(Array.from(predictions, (k) => (k === 1 ? [0.2, 0.8] : [0.7, 0.3])));
    const result = againstBaseline(baseline, { labels, predictions, scores, scoring: "probability" });
    // Four rows won, one lost: P(Binomial(5, ½) ≥ 4) = 6/32. The unknown class is an error of both.
    expect(result.error.p).toBeCloseTo(6 / 32, 12);
    expect(result.error).toMatchObject({ model: 0.3, baseline: 0.6 });
    expect(result.error.gain).toBeCloseTo(0.3, 12);
    expect(result.auc?.model).toBeCloseTo((4 * 3 + 0.5 * (4 * 1 + 1 * 3)) / 20, 12);
    expect(result.logLoss?.baseline).toBeCloseTo(
      (4 * -Math.log(0.75) + 5 * -Math.log(0.25) - Math.log(0.001)) / 10,
      12,
    );
  });

  it("is compared group by group if rows of a group are not independent", () => {
    // One lucky group of many rows proves nothing.
    const labels = new Int32Array(60).fill(1);
    const groups = new Int32Array(60).fill(7);
    const baseline = { class: "no", index: 0, shares: [0.6, 0.4] };
    const scores = Matrix.from(Array.from(labels, () => [0.1, 0.9]));
    const rows = { labels, predictions: labels, scores, scoring: "probability" as const };
    expect(againstBaseline(baseline, rows).error.p).toBeLessThan(1e-6);
    expect(againstBaseline(baseline, { ...rows, groups }).error.p).toBeGreaterThan(0.4);
  });
});

describe("groups", () => {
  it("have means of their own and are counted by rows and errors", () => {
    const groups = Int32Array.of(4, 9, 4, 9, 9, 2);
    expect([...meansByGroup([1, 0, 0, 3, 3, 5], groups)]).toEqual([0.5, 2, 5]);
    expect(groupCounts(Uint8Array.of(1, 0, 0, 1, 0, 1), groups)).toEqual([
      { rows: 1, errors: 1, groups: 1 },
      { rows: 2, errors: 1, groups: 1 },
      { rows: 3, errors: 1, groups: 1 },
    ]);
  });
});

describe("the Brier score", () => {
  it("is the squared error of the probabilities, halved for two classes", () => {
    const two = Matrix.from([
      [0.3, 0.7],
      [1, 0],
    ]);
    expect([...brierLosses(Int32Array.of(1, 1), two)].map((loss) => Number(loss.toFixed(12)))).toEqual([
      0.09, 1,
    ]);
    const three = Matrix.from([
      [0.2, 0.3, 0.5],
      [0, 1, 0],
    ]);
    const losses = brierLosses(Int32Array.of(2, 0), three);
    expect(losses[0]).toBeCloseTo(0.04 + 0.09 + 0.25, 12);
    expect(losses[1]).toBe(2);
    expect(brierLosses(Int32Array.of(-1), Matrix.from([[0, 1, 0]]))[0]).toBe(2);
  });
});

describe("the error by period", () => {
  it("has periods of about equal size that do not split equal times", () => {
    const times = Float64Array.from({ length: 200 }, (_, i) => Math.floor((199 - i) / 3));
    const { periods } = errorByPeriod(times, new Uint8Array(200));
    expect(periods.map(({ rows }) => rows).reduce((a, b) => a + b)).toBe(200);
    expect(periods).toHaveLength(6);
    periods.slice(1).forEach(({ from }, i) => {
      expect(from).toBeGreaterThan(periods[i].to);
    });
  });

  it("tells a change from chance", () => {
    const times = Float64Array.from({ length: 400 }, (_, i) => i);
    const late = Uint8Array.from(times, (time, i) => Number(time >= 200 && i % 4 === 0));
    expect(errorByPeriod(times, late).p).toBeLessThan(1e-6);
    let alarms = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Random(seed);
      const steady = Uint8Array.from(times, () => Number(random.uniform() < 0.2));
      if (errorByPeriod(times, steady).p < 0.05) alarms++;
    }
    expect(alarms).toBeLessThanOrEqual(15);
    expect(errorByPeriod(new Float64Array(50), late.subarray(0, 50)).p).toBe(1);
  });
});
