import { describe, expect, it } from "vitest";
import type { DecisionRule, Objective, Predictions } from "vouch";
import { Matrix } from "vouch/learning";
import { decisionSection, positiveClass, thresholdResults } from "#report/decision-section.js";
import { parsed } from "./parsed.js";

const own: DecisionRule = { kind: "model" };

/** Ten rows with probabilities 0.05, 0.15, … of "yes"; the upper half but one are "yes", and one below. */
function predictedBy(rule: DecisionRule): Predictions {
  const p = Array.from({ length: 10 }, (_, i) => 0.05 + i / 10);
  const at = rule.kind === "threshold" ? rule.at : 0.5;
  return {
    classes: ["no", "yes"],
    labels: Int32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 1, 1),
    predictions: Int32Array.from(p, (value) => Number(value >= at)),
    scores: Matrix.from(p.map((value) => [1 - value, value])),
    scoring: "probability",
  };
}

const costs: Objective = {
  metric: "cost",
  costs: [
    [0, 1],
    [5, 0],
  ],
  positive: 1,
};

describe("what other thresholds would give", () => {
  it("is what is found, the false alarms, the error and the cost, by counting", () => {
    const rule: DecisionRule = { kind: "threshold", class: 1, at: 1 / 6 };
    const results = thresholdResults({ rule, objective: costs }, predictedBy(rule));
    const at = (threshold: number) => results.find((result) => result.at === threshold);
    // From 0.3 on: all five "yes" but none missed, and rows 4 and 5 are false alarms.
    expect(at(0.3)).toEqual({ at: 0.3, used: false, found: 1, falseAlarms: 0.4, error: 0.2, metric: 0.2 });
    // From 0.6 on: the one at 0.35 is missed, at a cost of 5.
    expect(at(0.6)).toMatchObject({ found: 0.8, falseAlarms: 0, error: 0.1, metric: 0.5 });
    expect(results.filter(({ used }) => used)).toEqual([
      { at: 1 / 6, used: true, found: 1, falseAlarms: 0.6, error: 0.3, metric: 0.3 },
    ]);
    const thresholds = results.map((result) => result.at ?? 0);
    expect(thresholds).toEqual([...thresholds].sort((a, b) => a - b));
  });

  it("has no two thresholds that give the same predictions, and the model's own answers first", () => {
    const results = thresholdResults({ rule: own, objective: undefined }, predictedBy(own));
    expect(results[0]).toEqual({ used: true, found: 0.8, falseAlarms: 0.2, error: 0.2 });
    // 0.01, 0.02 and 0.05 all predict "yes" for every row.
    expect(results.filter(({ falseAlarms }) => falseAlarms === 1)).toHaveLength(1);
    const flipped = thresholdResults(
      { rule: own, objective: { metric: "error", positive: 0 } },
      predictedBy(own),
    );
    expect(flipped[0]).toMatchObject({ found: 0.8, falseAlarms: 0.2 });
    expect(flipped[1]).toMatchObject({ at: 0.01, found: 1, falseAlarms: 1 });
  });

  it("is not there for decision values and more than two classes", () => {
    const by = { rule: own, objective: undefined };
    expect(thresholdResults(by, { ...predictedBy(own), scoring: "decision" })).toEqual([]);
    expect(thresholdResults(by, { ...predictedBy(own), classes: ["a", "b", "c"] })).toEqual([]);
    expect(decisionSection(by, { ...predictedBy(own), scoring: "decision" }, undefined)).toBeUndefined();
  });
});

describe("the rule in words", () => {
  it("says when the positive class is predicted, what for, and marks the row in use", () => {
    const rule: DecisionRule = { kind: "threshold", class: 1, at: 1 / 6 };
    const section = decisionSection({ rule, objective: costs }, predictedBy(rule), "5 for “no”");
    const page = parsed(section?.text ?? "");
    expect(page.querySelector("p")?.textContent).toBe(
      'It predicts "yes" if its probability is at least 0.167, otherwise "no". That rule was chosen on out-of-fold training rows, for the smallest mean cost. Costs: 5 for “no”.',
    );
    expect(page.querySelector("tr.used th")?.textContent).toBe("0.167 used");
    expect(page.querySelector("thead")?.textContent).toContain("Mean cost");
    expect(page.body.textContent).toContain("These are estimates from 10 rows");
  });

  it("is of several classes, too, without a table", () => {
    const rule: DecisionRule = { kind: "weights", weights: [1, 2, 3] };
    const predicted = { ...predictedBy(own), classes: ["a", "b", "c"] };
    const text = decisionSection(
      { rule, objective: { metric: "balanced-error" } },
      predicted,
      undefined,
    )?.text;
    expect(text).toContain("It predicts the class with the largest weighted probability.");
    expect(text).toContain("for the smallest balanced error");
    expect(text).not.toContain("<table");
    expect(positiveClass({ rule, objective: undefined }, predicted.classes)).toBeUndefined();
  });
});
