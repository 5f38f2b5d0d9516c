import { describe, expect, it } from "vitest";
import {
  againstBaseline,
  computeBaseline,
  constantLosses,
  objectiveAgainst,
} from "#core/metrics/baseline.js";
import { brierLosses } from "#core/metrics/evaluation.js";
import { groupCounts, meansByGroup } from "#core/metrics/groups.js";
import type { Objective } from "#core/metrics/objective-metric.js";
import { errorByPeriod } from "#core/metrics/periods.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { mean } from "#core/runtime/maths/statistics.js";

describe("the baseline", () => {
  it("answers the most common class of the training rows, with the shares of all classes", () => {
    const baseline = computeBaseline(Int32Array.of(0, 2, 2, 1, -1), ["a", "b", "c"]);
    expect(baseline).toEqual({ class: "c", index: 2, shares: [0.25, 0.25, 0.5] });
  });

  it("is compared with a model on the rows that only one of them gets right", () => {
    const baseline = computeBaseline(Int32Array.of(0, 0, 0, 1), ["no", "yes"]);
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

describe("the baseline by a metric", () => {
  const COSTS = [
    [0, 1],
    [5, 0],
  ];

  it("is the cheapest answer, the positive class for F1, otherwise the most common class", () => {
    const labels = Int32Array.of(0, 0, 0, 0, 1);
    const best = (objective: Objective) => computeBaseline(labels, ["no", "yes"], objective).class;
    // Always "no" costs 5/5, always "yes" 4/5.
    expect(best({ metric: "cost", costs: COSTS })).toBe("yes");
    expect(best({ metric: "f1", positive: 1 })).toBe("yes");
    for (const metric of ["error", "balanced-error", "auc", "log-loss", "brier"] as const) {
      expect(best({ metric, positive: 1 })).toBe("no");
    }
  });

  it("has the losses of always giving the same answer", () => {
    const baseline = { class: "no", index: 0, shares: [0.75, 0.25] };
    const labels = Int32Array.of(0, 0, 0, 1, -1);
    const loss = (objective: Objective) => mean(constantLosses(objective, baseline, labels));
    expect(loss({ metric: "cost", costs: COSTS })).toBeCloseTo((5 + 5) / 5, 12);
    expect(loss({ metric: "auc" })).toBe(0.5);
    // Of three classes that occur, the unknown one included, one is always right.
    expect(loss({ metric: "balanced-error" })).toBeCloseTo(2 / 3, 12);
    expect(loss({ metric: "brier" })).toBeCloseTo(
      (3 * 0.25 ** 2 + 0.75 ** 2 + (0.75 ** 2 + 0.25 ** 2 + 1) / 2) / 5,
      12,
    );
  });

  const objectives: Objective[] = [
    ...(["balanced-error", "auc", "log-loss", "brier"] as const).map((metric) => ({ metric, positive: 1 })),
    { metric: "cost", costs: COSTS, positive: 1 },
    { metric: "f1", positive: 1 },
  ];

  it.each(objectives)("is beaten by chance at most as often as the level says: $metric", (objective) => {
    // Predictions that know nothing about 80 rows: as good as the constant answer only if they are it.
    const random = new Random(17);
    const baseline = { ...computeBaseline(Int32Array.of(0, 0, 0, 1), ["no", "yes"], objective) };
    // Bets take longer, and prove what they say.
    const draws = ["log-loss", "brier", "cost"].includes(objective.metric) ? 60 : 600;
    for (const groups of [undefined, Int32Array.from({ length: 80 }, (_, i) => i >> 2)]) {
      let wins = 0;
      for (let draw = 0; draw < draws; draw++) {
        const labels = Int32Array.from({ length: 80 }, (_, i) =>
          // Rows of a group are of the same class.
          groups && i % 4 > 0 ? -2 : Number(random.uniform() < 0.25),
        );
        labels.forEach((label, i) => {
          if (label === -2) labels[i] = labels[i - 1];
        });
        const scores = new Matrix(80, 2);
        const predictions = new Int32Array(80);
        for (let i = 0; i < 80; i++) {
          const isFirst = !groups || i % 4 === 0;
          const p = isFirst ? 0.15 + 0.2 * random.uniform() : scores.row(i - 1)[1];
          scores.row(i).set([1 - p, p]);
          // The baseline of F1 and cost answers 1; one row in ten is answered otherwise.
          predictions[i] = isFirst
            ? random.uniform() < 0.1
              ? 1 - baseline.index
              : baseline.index
            : predictions[i - 1];
        }
        const { p } = objectiveAgainst(objective, baseline, {
          labels,
          predictions,
          scores,
          scoring: "probability",
          groups,
        });
        if (p <= 0.05) wins++;
      }
      expect(wins / draws).toBeLessThanOrEqual(0.05 + 2 * Math.sqrt((0.05 * 0.95) / draws));
    }
  });

  it.each(objectives)("is beaten by a good model, with a value people know: $metric", (objective) => {
    const random = new Random(3);
    const labels = Int32Array.from({ length: 300 }, () => Number(random.uniform() < 0.25));
    const scores = new Matrix(300, 2);
    labels.forEach((label, i) => {
      const p = label === 1 ? 0.9 - 0.2 * random.uniform() : 0.2 * random.uniform();
      scores.row(i).set([1 - p, p]);
    });
    const predictions = labels.map((label) => (random.uniform() < 0.05 ? 1 - label : label));
    const groups = Int32Array.from({ length: 300 }, (_, i) => i >> 1);
    const baseline = computeBaseline(labels, ["no", "yes"], objective);
    for (const own of [undefined, groups]) {
      const rows = { labels, predictions, scores, scoring: "probability" as const, groups: own };
      const { model, baseline: constant, gain, p } = objectiveAgainst(objective, baseline, rows);
      expect(p).toBeLessThan(0.01);
      const larger = objective.metric === "auc" || objective.metric === "f1";
      expect(gain).toBeCloseTo(larger ? model - constant : constant - model, 10);
      expect(gain).toBeGreaterThan(0);
    }
  });
});
