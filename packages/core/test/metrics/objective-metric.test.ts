import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { balancedAccuracy, confusionMatrix, macroF1 } from "#core/metrics/evaluation.js";
import {
  findMetric,
  formatMetric,
  METRIC_NAMES,
  type MetricName,
  metricValue,
} from "#core/metrics/metric-name.js";
import {
  type ClassifiedRows,
  largestLoss,
  type Objective,
  rowLosses,
} from "#core/metrics/objective-metric.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { mean } from "#core/runtime/maths/statistics.js";
import { pairedDifference } from "#core/select/race/losses.js";

/** Random rows with ties among the scores, some rows of unknown classes and, with few rows, missing classes. */
function someRows(random: Random, rows: number, classes: number, unknown: number): ClassifiedRows {
  const labels = Int32Array.from({ length: rows }, () =>
    random.uniform() < unknown ? -1 : random.integer(classes),
  );
  const predictions = Int32Array.from(labels, (label) =>
    label >= 0 && random.uniform() < 0.5 ? label : random.integer(classes),
  );
  const scores = new Matrix(rows, classes);
  for (let row = 0; row < rows; row++) {
    const parts = Array.from({ length: classes }, () => 1 + random.integer(4));
    const sum = parts.reduce((a, b) => a + b);
    parts.forEach((part, k) => {
      scores.row(row)[k] = part / sum;
    });
  }
  return { labels, predictions, scores };
}

/** The share of pairs of a class and the rest that are in the wrong order; undefined if there are none. */
function wrongPairs({ labels, scores }: ClassifiedRows, c: number): number | undefined {
  let wrong = 0;
  let pairs = 0;
  for (const [i, own] of labels.entries()) {
    for (const [j, other] of labels.entries()) {
      if (own !== c || other === c || other < 0) continue;
      const difference = scores.row(i)[c] - scores.row(j)[c];
      pairs++;
      wrong += difference < 0 ? 1 : difference === 0 ? 0.5 : 0;
    }
  }
  return pairs === 0 ? undefined : wrong / pairs;
}

function bruteForce(objective: Objective, rows: ClassifiedRows): number {
  const { labels, predictions, scores } = rows;
  const classes = scores.columns;
  const all = Array.from({ length: classes }, (_, c) => c);
  const names = all.map(String);
  const each = (loss: (label: number, row: number) => number) => mean(Array.from(labels, loss));
  switch (objective.metric) {
    case "error":
      return each((label, i) => Number(predictions[i] !== label));
    case "balanced-error":
      return 1 - balancedAccuracy(confusionMatrix({ classes: names, labels, predictions }));
    case "auc": {
      const areas = (classes === 2 ? [1] : all).flatMap((c) => wrongPairs(rows, c) ?? []);
      return areas.length === 0 ? 0.5 : mean(areas);
    }
    case "log-loss":
      return each((label, i) => -Math.log(label < 0 ? 0.001 : Math.max(0.001, scores.row(i)[label])));
    case "brier":
      return each((label, i) => {
        const squares = all.map((k) => (scores.row(i)[k] - Number(k === label)) ** 2);
        const sum = Math.min(2, squares.reduce((a, b) => a + b) + Number(label < 0));
        return classes === 2 ? sum / 2 : sum;
      });
    case "f1": {
      if (classes > 2) return 1 - macroF1(confusionMatrix({ classes: names, labels, predictions }));
      const { positive = 1 } = objective;
      const count = (test: (isOwn: boolean, isPredicted: boolean) => boolean) =>
        labels.filter((label, i) => test(label === positive, predictions[i] === positive)).length;
      const both = count((own, predicted) => own && predicted);
      const one = count((own, predicted) => own !== predicted);
      return both + one === 0 ? 1 : 1 - (2 * both) / (2 * both + one);
    }
    case "cost": {
      const { costs = [] } = objective;
      const most = Math.max(...costs.flat());
      return each((label, i) => (label < 0 ? most : costs[label][predictions[i]]));
    }
  }
}

describe("the losses of rows", () => {
  it.each(METRIC_NAMES)("have the mean %s, with ties, missing and unknown classes", (metric) => {
    const shape = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 2, max: 5 }), fc.nat(1e6));
    fc.assert(
      fc.property(shape, ([count, classes, seed]) => {
        const random = new Random(seed);
        const rows = someRows(random, count, classes, seed % 2 === 0 ? 0 : 0.2);
        const costs = Array.from({ length: classes }, (_, t) =>
          Array.from({ length: classes }, (_, p) => (t === p ? random.integer(2) : random.integer(9))),
        );
        const positive = classes === 2 ? random.integer(2) : undefined;
        const objective = { metric, costs, positive };
        const losses = rowLosses(objective, rows);
        expect(losses).toHaveLength(count);
        expect(mean(losses)).toBeCloseTo(bruteForce(objective, rows), 10);
        const { length } = METRIC_NAMES.filter((name) => name === metric && isMeanOfRows(name));
        if (length > 0) expect(Math.max(...losses)).toBeLessThanOrEqual(largestLoss(objective, classes));
      }),
      { numRuns: 200 },
    );
  });

  it("are those of a classifier without rows of a class, or without any rows", () => {
    const rows = { labels: Int32Array.of(0, 0), predictions: Int32Array.of(0, 0), scores: new Matrix(2, 2) };
    expect([...rowLosses({ metric: "auc" }, rows)]).toEqual([0.5, 0.5]);
    expect([...rowLosses({ metric: "f1", positive: 1 }, rows)]).toEqual([1, 1]);
    const none = { labels: new Int32Array(0), predictions: new Int32Array(0), scores: new Matrix(0, 2) };
    for (const metric of METRIC_NAMES) {
      expect(
        rowLosses(
          {
            metric,
            costs: [
              [0, 1],
              [1, 0],
            ],
          },
          none,
        ),
      ).toHaveLength(0);
    }
  });
});

function isMeanOfRows(metric: MetricName): boolean {
  return metric !== "auc" && metric !== "f1" && metric !== "balanced-error";
}

/** Two classifiers that share a part of their noise, on rows of which few are of class 1. */
function twoScores(random: Random, rows: number): { labels: Int32Array; scores: [Matrix, Matrix] } {
  const labels = Int32Array.from({ length: rows }, () => (random.uniform() < 0.3 ? 1 : 0));
  const scores: [Matrix, Matrix] = [new Matrix(rows, 2), new Matrix(rows, 2)];
  for (let row = 0; row < rows; row++) {
    const shared = random.normal();
    scores.forEach((own, which) => {
      // Rounded, for ties.
      const score = Math.round(4 * ((1 - 0.4 * which) * labels[row] + shared + random.normal())) / 4;
      own.row(row).set([-score, score]);
    });
  }
  return { labels, scores };
}

/** The variance of DeLong, DeLong and Clarke-Pearson (1988, eq. 5) of a difference of two AUCs, with divisors m and n. */
function deLongVariance(labels: Int32Array, [one, other]: readonly [Matrix, Matrix]): number {
  const psi = (own: number, rest: number) => (own > rest ? 1 : own === rest ? 0.5 : 0);
  const of = (c: number) => Array.from(labels.keys()).filter((row) => labels[row] === c);
  const [rest, own] = [of(0), of(1)];
  const placements = ({ values }: Matrix) => ({
    own: own.map((i) => mean(rest.map((j) => psi(values[2 * i + 1], values[2 * j + 1])))),
    rest: rest.map((j) => mean(own.map((i) => psi(values[2 * i + 1], values[2 * j + 1])))),
  });
  const [a, b] = [placements(one), placements(other)];
  const variance = (x: readonly number[], y: readonly number[]) => {
    const differences = x.map((value, i) => value - y[i]);
    const centre = mean(differences);
    return mean(differences.map((difference) => (difference - centre) ** 2));
  };
  return variance(a.own, b.own) / own.length + variance(a.rest, b.rest) / rest.length;
}

describe("paired comparisons", () => {
  const compared = (objective: Objective, labels: Int32Array, rows: readonly ClassifiedRows[]) => {
    const tested = Int32Array.from(labels.keys());
    const [one, other] = rows.map((own) => [{ tested, losses: rowLosses(objective, own) }]);
    return pairedDifference(one, other);
  };

  it("of AUCs have DeLong's standard error", () => {
    for (const seed of [1, 2, 3]) {
      const { labels, scores } = twoScores(new Random(seed), 120);
      const rows = scores.map((own) => ({ labels, predictions: labels, scores: own }));
      const { difference, standardError } = compared({ metric: "auc" }, labels, rows);
      const losses = rows.map((own) => bruteForce({ metric: "auc" }, own));
      expect(difference).toBeCloseTo(losses[0] - losses[1], 12);
      expect(standardError).toBeCloseTo(Math.sqrt(deLongVariance(labels, scores)), 12);
    }
  });

  it.each(["f1", "balanced-error"] as const)("of %s have the standard error of a bootstrap", (metric) => {
    const random = new Random(7);
    const { labels, scores } = twoScores(random, 1500);
    const predictions = scores.map(({ values }) =>
      Int32Array.from(labels, (_, i) => Number(values[2 * i + 1] > 0.8)),
    );
    const objective: Objective = { metric, positive: 1 };
    const rows = scores.map((own, which) => ({ labels, predictions: predictions[which], scores: own }));
    const { difference, standardError } = compared(objective, labels, rows);
    expect(difference).toBeCloseTo(bruteForce(objective, rows[0]) - bruteForce(objective, rows[1]), 12);
    const differences = Array.from({ length: 600 }, () => {
      const drawn = Int32Array.from(labels, () => random.integer(labels.length));
      const [one, other] = rows.map((own) =>
        mean(
          rowLosses(objective, {
            labels: drawn.map((row) => labels[row]),
            predictions: drawn.map((row) => own.predictions[row]),
            scores: own.scores,
          }),
        ),
      );
      return one - other;
    });
    const centre = mean(differences);
    const bootstrap = Math.sqrt(mean(differences.map((value) => (value - centre) ** 2)));
    // The standard deviation of 600 draws is known to ± 3%.
    expect(standardError / bootstrap).toBeGreaterThan(0.9);
    expect(standardError / bootstrap).toBeLessThan(1.1);
  });
});

describe("names of metrics", () => {
  it("are checked, with the nearest one as a hint", () => {
    expect(findMetric("log-loss")).toBe("log-loss");
    expect(() => findMetric("logloss")).toThrow(
      expect.objectContaining({ code: "option/unknown", hint: expect.stringContaining('"log-loss"') }),
    );
    expect(() => findMetric("constructor")).toThrow(/Unknown metric/);
  });

  it("say how values are written", () => {
    expect(metricValue("auc", 0.25)).toBe(0.75);
    expect(metricValue("brier", 0.25)).toBe(0.25);
    expect(formatMetric("balanced-error", 0.1234)).toMatch(/12\.3/);
    expect(formatMetric("cost", 12.34567)).toBe("12.35");
  });
});
