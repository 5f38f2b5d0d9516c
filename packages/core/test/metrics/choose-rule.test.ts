import { describe, expect, it } from "vitest";
import { predictionsOf } from "#core/learners/scores.js";
import { chooseRule, derivedRule, type RowsToDecide } from "#core/metrics/choose-rule.js";
import {
  ARGMAX,
  type DecisionRule,
  predictionsBy,
  ruleFault,
  thresholdRule,
} from "#core/metrics/decision-rule.js";
import { METRIC_NAMES } from "#core/metrics/metric-name.js";
import { type Objective, rowLosses } from "#core/metrics/objective-metric.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { mean } from "#core/runtime/maths/statistics.js";

/** Rows whose probabilities are true: labels are drawn from them. Class 0 is common. */
function calibratedRows(random: Random, rows: number, classes: number): RowsToDecide {
  const probabilities = new Matrix(rows, classes);
  const labels = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    const parts = Array.from({ length: classes }, (_, k) =>
      Math.exp(1.2 * random.normal() + (k === 0 ? 2 : 0)),
    );
    const sum = parts.reduce((a, b) => a + b);
    parts.forEach((part, k) => {
      probabilities.row(i)[k] = part / sum;
    });
    let left = random.uniform() * sum;
    while (labels[i] < classes - 1 && left >= parts[labels[i]]) left -= parts[labels[i]++];
  }
  return { labels, probabilities, predictions: predictionsOf(probabilities) };
}

const loss = (
  rule: DecisionRule,
  objective: Objective,
  { labels, probabilities, predictions }: RowsToDecide,
) =>
  mean(
    rowLosses(objective, {
      labels,
      predictions: predictionsBy(rule, probabilities, () => predictions),
      scores: probabilities,
    }),
  );

describe("the rule that follows from probabilities", () => {
  const rows = calibratedRows(new Random(1), 500, 2);

  it("has the closed-form threshold of two costs", () => {
    const costs = (miss: number, alarm: number) => [
      [0, alarm],
      [miss, 0],
    ];
    const threshold = (miss: number, alarm: number) =>
      derivedRule({ metric: "cost", costs: costs(miss, alarm), positive: 1 }, rows);
    expect(threshold(5, 1)).toEqual({ kind: "threshold", class: 1, at: 1 / 6 });
    expect(threshold(1, 1)).toEqual({ kind: "threshold", class: 1, at: 1 / 2 });
    expect(threshold(1, 3)).toEqual({ kind: "threshold", class: 1, at: 3 / 4 });
    expect(threshold(0, 1)).toEqual({ kind: "threshold", class: 1, at: 1 });
    // The same costs, seen from the other class.
    const other: Objective = { metric: "cost", costs: costs(5, 1), positive: 0 };
    expect(derivedRule(other, rows)).toEqual({ kind: "threshold", class: 0, at: 5 / 6 });
    // Right answers may cost something, too.
    const paid = [
      [1, 2],
      [9, 4],
    ];
    expect(derivedRule({ metric: "cost", costs: paid, positive: 1 }, rows)).toEqual({
      kind: "threshold",
      class: 1,
      at: 1 / 6,
    });
  });

  it("has the share of the class as the threshold of the balanced error", () => {
    const rule = derivedRule({ metric: "balanced-error", positive: 1 }, rows);
    const share = mean(Array.from({ length: 500 }, (_, i) => rows.probabilities.row(i)[1]));
    expect(rule).toEqual({ kind: "threshold", class: 1, at: expect.closeTo(share, 12) });
  });

  it("has half of the largest F1 as the threshold of F1", () => {
    // Lipton, Elkan and Naryanaswamy (2014), theorem 1: the optimal threshold is F*/2.
    const many = calibratedRows(new Random(2), 40_000, 2);
    const objective: Objective = { metric: "f1", positive: 1 };
    const rule = derivedRule(objective, many);
    if (rule.kind !== "threshold") throw new Error(rule.kind);
    expect(rule.at).toBeCloseTo((1 - loss(rule, objective, many)) / 2, 2);
  });

  it("minimises the expected cost of every row with three classes", () => {
    const three = calibratedRows(new Random(3), 200, 3);
    const costs = [
      [0, 4, 1],
      [2, 0, 9],
      [1, 1, 0],
    ];
    const rule = derivedRule({ metric: "cost", costs }, three);
    const predictions = predictionsBy(rule, three.probabilities, () => three.predictions);
    for (let i = 0; i < 200; i++) {
      const p = three.probabilities.row(i);
      const expected = [0, 1, 2].map((k) => costs.reduce((sum, row, t) => sum + p[t] * row[k], 0));
      expect(expected[predictions[i]]).toBeCloseTo(Math.min(...expected), 12);
    }
  });

  it("is the model's own answer for metrics of probabilities, ranking and the error", () => {
    for (const metric of ["error", "auc", "log-loss", "brier"] as const) {
      expect(chooseRule({ metric }, rows)).toBe(ARGMAX);
    }
    const none = {
      labels: new Int32Array(0),
      predictions: new Int32Array(0),
      probabilities: new Matrix(0, 2),
    };
    for (const metric of METRIC_NAMES) {
      expect(
        chooseRule(
          {
            metric,
            costs: [
              [0, 1],
              [1, 0],
            ],
            positive: 1,
          },
          none,
        ),
      ).toBe(ARGMAX);
    }
  });
});

describe("the chosen rule", () => {
  const costs = [
    [0, 1, 1],
    [8, 0, 2],
    [5, 1, 0],
  ];
  const objectives: [string, number, Objective][] = [
    ["F1", 2, { metric: "f1", positive: 1 }],
    ["balanced error", 2, { metric: "balanced-error", positive: 1 }],
    [
      "cost",
      2,
      {
        metric: "cost",
        costs: [
          [0, 1],
          [5, 0],
        ],
        positive: 1,
      },
    ],
    ["F1", 3, { metric: "f1" }],
    ["balanced error", 3, { metric: "balanced-error" }],
    ["cost", 3, { metric: "cost", costs }],
  ];

  it.each(objectives)(
    "for %s of %i classes beats the model's own answers on fresh rows",
    (_, classes, objective) => {
      const random = new Random(5);
      const fresh = calibratedRows(random, 20_000, classes);
      const gains = Array.from({ length: 10 }, () => {
        const rule = chooseRule(objective, calibratedRows(random, 400, classes));
        return loss(ARGMAX, objective, fresh) - loss(rule, objective, fresh);
      });
      expect(mean(gains)).toBeGreaterThan(0);
      // Four hundred rows never mislead it by more than noise.
      expect(Math.min(...gains)).toBeGreaterThan(-0.01);
    },
  );

  it("corrects probabilities that are far too small", () => {
    const rows = calibratedRows(new Random(6), 3000, 2);
    const wrong = new Matrix(3000, 2);
    for (let i = 0; i < 3000; i++) {
      const p = rows.probabilities.row(i)[1] / 20;
      wrong.row(i).set([1 - p, p]);
    }
    const objective: Objective = {
      metric: "cost",
      costs: [
        [0, 1],
        [5, 0],
      ],
      positive: 1,
    };
    const rule = chooseRule(objective, { ...rows, probabilities: wrong });
    if (rule.kind !== "threshold") throw new Error(rule.kind);
    expect(rule.at).toBeGreaterThan(0.05 / 6);
    expect(rule.at).toBeLessThan(0.5 / 6);
  });

  it("never answers a class whose errors cost too much", () => {
    // Probabilities say nothing and are too large: answering class 0 is best, but for a few rows that chance favours.
    const random = new Random(8);
    const labels = Int32Array.from({ length: 400 }, () => Number(random.uniform() < 0.5));
    const probabilities = new Matrix(400, 2);
    for (let i = 0; i < 400; i++) {
      const p = 0.98 - 0.01 * random.uniform();
      probabilities.row(i).set([1 - p, p]);
    }
    const objective: Objective = {
      metric: "cost",
      costs: [
        [0, 30],
        [1, 0],
      ],
      positive: 1,
    };
    const rule = chooseRule(objective, { labels, probabilities, predictions: predictionsOf(probabilities) });
    const predictions = predictionsBy(rule, probabilities, () => labels);
    expect(predictions.filter((k) => k === 1).length).toBeLessThan(8);
  });

  it("takes little time with very many classes", () => {
    const classes = 2000;
    const probabilities = new Matrix(300, classes);
    probabilities.values.fill(1 / classes);
    const labels = Int32Array.from({ length: 300 }, (_, i) => (7 * i) % classes);
    const began = performance.now();
    const rows = { labels, probabilities, predictions: labels };
    expect(chooseRule({ metric: "balanced-error" }, rows).kind).toBe("weights");
    expect(chooseRule({ metric: "f1" }, rows).kind).toBe("weights");
    expect(performance.now() - began).toBeLessThan(3000);
  });
});

describe("rules", () => {
  const probabilities = Matrix.from([
    [0.5, 0.3, 0.2],
    [0.1, 0.2, 0.7],
    [0.25, 0.25, 0.5],
  ]);
  const own = () => Int32Array.of(0, 0, 0);

  it("with a threshold of 0 always, and of 1 hardly ever, predict the class; otherwise the likeliest other", () => {
    const classes = ["a", "b", "c"];
    const by = (name: string, at: number) => [
      ...predictionsBy(thresholdRule(classes, name, at), probabilities, own),
    ];
    expect(by("b", 0)).toEqual([1, 1, 1]);
    expect(by("b", 1)).toEqual([0, 2, 2]);
    expect(by("c", 0.5)).toEqual([0, 2, 2]);
    expect(by("a", 0.6)).toEqual([1, 2, 2]);
    expect(() => thresholdRule(classes, "d", 0.5)).toThrow(/"d" is not a class/);
    for (const at of [-0.1, 1.1, Number.NaN])
      expect(() => thresholdRule(classes, "a", at)).toThrow(/threshold/);
  });

  it("fit a number of classes", () => {
    expect(ruleFault({ kind: "threshold", class: 3, at: 0.5 }, 3)).toContain("class 3");
    expect(ruleFault({ kind: "weights", weights: [1, 2] }, 3)).toContain("2 weights");
    expect(
      ruleFault(
        {
          kind: "costs",
          costs: [
            [0, 1],
            [1, 0, 2],
          ],
        },
        2,
      ),
    ).toContain("cost matrix");
    expect(
      ruleFault(
        {
          kind: "costs",
          costs: [
            [0, 1],
            [1, 0],
          ],
        },
        2,
      ),
    ).toBeUndefined();
    expect(ruleFault(ARGMAX, 2)).toBeUndefined();
  });
});
