import { predictionsBy } from "@vouch/core/internal/metrics/decision-rule";
import { metricValue } from "@vouch/core/internal/metrics/metric-name";
import { rowLosses } from "@vouch/core/internal/metrics/objective-metric";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DecisionRule, Objective, Predictions } from "vouch";
import { Matrix, mean, Random } from "vouch/extend";
import { positiveClass, thresholdFacts } from "#views/facts/evaluation/threshold-facts.js";
import {
  cheapestPoint,
  thresholdCurve,
  thresholdMeasures,
} from "#views/facts/evaluation/threshold-measures.js";
import { ThresholdPanel } from "#views/panels/evaluation/threshold-panel.js";
import { cells, rendered, texts } from "./rendered.js";

const own: DecisionRule = { kind: "model" };

/** Rows with these probabilities of "yes". */
function predictedOf(p: readonly number[], labels: readonly number[], at = 0.5): Predictions {
  return {
    classes: ["no", "yes"],
    labels: Int32Array.from(labels),
    predictions: Int32Array.from(p, (value) => Number(value >= at)),
    scores: Matrix.from(p.map((value) => [1 - value, value])),
    scoring: "probability",
  };
}

/** Ten rows with probabilities 0.05, 0.15, … of "yes"; the upper half but one are "yes", and one below. */
function tenRows(at?: number): Predictions {
  const p = Array.from({ length: 10 }, (_, i) => 0.05 + i / 10);
  return predictedOf(p, [0, 0, 0, 1, 0, 0, 1, 1, 1, 1], at);
}

/** Many rows with probabilities that say something about the class, some of them equal. */
function manyRows(rows: number, seed = 3): Predictions {
  const random = new Random(seed);
  const p = Array.from({ length: rows }, () => Math.round(1e4 * random.uniform()) / 1e4);
  return predictedOf(
    p,
    p.map((value) => Number(random.uniform() < value ** 2)),
  );
}

const costs: Objective = {
  metric: "cost",
  costs: [
    [0, 1],
    [5, 0],
  ],
  positive: 1,
};

function factsOf(predicted: Predictions, rule = own, objective?: Objective) {
  const facts = thresholdFacts({ rule, objective }, predicted);
  if (!facts) throw new Error("There are no thresholds.");
  return facts;
}

describe("the thresholds of two classes", () => {
  it("give what predicting by them gives", () => {
    const predicted = manyRows(5000);
    const { scores, labels } = predicted;
    if (!scores) throw new Error("There are no scores.");
    const { points, listed } = factsOf(predicted);
    expect(points.length).toBeGreaterThan(100);
    expect(points.length).toBeLessThan(400);
    for (const { at, found, alarms } of [...points, ...listed]) {
      const answers = predictionsBy({ kind: "threshold", class: 1, at }, scores, () => predicted.predictions);
      const counted = { found: 0, alarms: 0 };
      answers.forEach((answer, i) => {
        if (answer === 1) counted[labels[i] === 1 ? "found" : "alarms"]++;
      });
      expect({ at, found, alarms }).toEqual({ at, ...counted });
    }
  });

  it("ascend from all rows to none, in few digits, with the one in use", () => {
    const rule: DecisionRule = { kind: "threshold", class: 1, at: 1 / 6 };
    const { points, used } = factsOf(tenRows(1 / 6), rule);
    expect(points.map(({ at }) => at)).toEqual([0, 0.1, 1 / 6, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
    expect(points[0]).toEqual({ at: 0, found: 5, alarms: 5 });
    expect(points.at(-1)).toEqual({ at: 1, found: 0, alarms: 0 });
    expect(used).toEqual({ at: 1 / 6, found: 5, alarms: 3 });
  });

  it("are those of the positive class, and the model's own answers need none", () => {
    const predicted = tenRows();
    const { used, positive } = factsOf(predicted, own, { metric: "error", positive: 0 });
    expect(positive).toBe("no");
    expect(used).toEqual({ found: 4, alarms: 1 });
    const weights: DecisionRule = { kind: "weights", weights: [1, 2, 3] };
    expect(positiveClass({ rule: weights, objective: undefined }, ["a", "b", "c"])).toBeUndefined();
  });

  it("are not there for decision values, more classes, and rows of one class", () => {
    const by = { rule: own, objective: undefined };
    expect(thresholdFacts(by, { ...tenRows(), scoring: "decision" })).toBeUndefined();
    expect(thresholdFacts(by, { ...tenRows(), classes: ["a", "b", "c"] })).toBeUndefined();
    expect(thresholdFacts(by, { ...tenRows(), labels: new Int32Array(10) })).toBeUndefined();
  });

  it("are plain data", () => {
    const facts = factsOf(manyRows(200), own, costs);
    expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
    expect(structuredClone(facts)).toEqual(facts);
  });
});

describe("the measures of a threshold", () => {
  it.each(["error", "balanced-error", "f1", "cost"] as const)("have the %s of the library", (metric) => {
    const predicted = manyRows(300);
    const { labels, predictions, scores } = predicted;
    if (!scores) throw new Error("There are no scores.");
    const objective = { ...costs, metric };
    const facts = factsOf(predicted, own, objective);
    const measures = thresholdMeasures(facts, facts.used, facts.costs);
    const names = { error: "error", "balanced-error": "balancedError", f1: "f1", cost: "cost" } as const;
    const expected = metricValue(metric, mean(rowLosses(objective, { labels, predictions, scores })));
    expect(measures[names[metric]]).toBeCloseTo(expected, 12);
  });

  it("are cheapest at the same threshold as among all, for any costs", () => {
    const amount = fc.integer({ min: 0, max: 50 });
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 1, max: 5 }), (missed, alarm, seed) => {
        const predicted = manyRows(2000, seed);
        const facts = factsOf(predicted);
        const paid = { missed, alarm, found: 0, rejected: 0 };
        const { scores, labels } = predicted;
        const p = Array.from(labels, (_, i) => scores?.values[2 * i + 1] ?? 0);
        const byScore = Array.from(labels.keys()).sort((a, b) => p[a] - p[b]);
        // Start with all rows as "yes", and take them away in ascending order.
        let cost = alarm * facts.negatives;
        let least = cost;
        byScore.forEach((row, i) => {
          cost += labels[row] === 1 ? missed : -alarm;
          if (p[byScore[i + 1]] !== p[row]) least = Math.min(least, cost);
        });
        const { cost: mean } = thresholdMeasures(facts, facts.points[cheapestPoint(facts, paid)], paid);
        expect(mean * labels.length).toBeCloseTo(least, 6);
      }),
      { numRuns: 40 },
    );
  });

  it("draw the curve whose area is said", () => {
    const { roc, areaUnderRoc } = thresholdCurve(factsOf(manyRows(2000)));
    const area = roc.slice(1).reduce((sum, { x, y }, i) => sum + ((x - roc[i].x) * (y + roc[i].y)) / 2, 0);
    expect(area).toBeCloseTo(areaUnderRoc, 3);
  });
});

describe("the panel of thresholds without a script", () => {
  const rule: DecisionRule = { kind: "threshold", class: 1, at: 1 / 6 };
  const page = rendered(<ThresholdPanel facts={factsOf(tenRows(1 / 6), rule, costs)} />);

  it("shows counts and measures of the model, and no controls", () => {
    const [counts] = page.querySelectorAll("table");
    expect(cells(counts)).toEqual([
      ["yes", "5", "0"],
      ["no", "3", "2"],
    ]);
    expect(texts(page, ".tiles dt")).toEqual(["Recall", "Precision", "Error", "Cost per row"]);
    expect(texts(page, ".tiles dd")).toEqual(["100%", "62.5%", "30.0%", "0.3"]);
    expect(page.querySelectorAll("input, button")).toHaveLength(0);
  });

  it("has a table of other thresholds that marks the one in use", () => {
    expect(texts(page, "tr.used th")).toEqual(["0.167 used"]);
    const row = cells(page).find(([at]) => at === "0.6");
    // The row at 0.35 is missed, at a cost of 5.
    expect(row).toEqual(["0.6", "80.0%", "100%", "0%", "10.0%", "0.5"]);
    expect(
      cells(page)
        .find(([at]) => at === "0.3")
        ?.slice(1, 4),
    ).toEqual(["100%", "71.4%", "40.0%"]);
  });

  it("has no cost where none was given", () => {
    const free = rendered(<ThresholdPanel facts={factsOf(tenRows())} />);
    expect(texts(free, ".tiles dt")).toEqual(["Recall", "Precision", "Error"]);
    expect(texts(free, "tr.used th")).toEqual(["own rule used"]);
  });
});
