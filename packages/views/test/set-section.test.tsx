import type { SetRule } from "@vouch/core/internal/theory/conformal/set-rule";
import { describe, expect, it } from "vitest";
import type { Predictions } from "vouch";
import { Matrix } from "vouch/extend";
import { setFacts } from "#views/facts/evaluation/set-facts.js";
import { SetSection } from "#views/panels/evaluation/set-section.js";
import { certificate } from "./example-card.js";
import { cells, rendered, texts } from "./rendered.js";

const predicted: Predictions = {
  classes: ["a", "b", "c"],
  labels: Int32Array.of(0, 0, 1, 2, -1),
  predictions: Int32Array.of(0, 1, 1, 0, 0),
  scores: Matrix.from([
    [0.8, 0.1, 0.1],
    [0.2, 0.5, 0.3],
    [0.25, 0.5, 0.25],
    [0.6, 0.3, 0.1],
    [0.4, 0.3, 0.3],
  ]),
  scoring: "probability",
};

const rule: SetRule = {
  asked: 0.9,
  level: 0.9,
  confidence: 0.95,
  perClass: false,
  limits: [{ probability: 0.25, rows: 100, misses: 4 }],
  meanSize: 2,
};

function sectionOf(
  sets: SetRule,
  rows: Predictions,
  certificates: Parameters<typeof SetSection>[0]["certificates"] = [],
): Document {
  const facts = setFacts(sets, rows);
  if (!facts) throw new Error("There are no rows.");
  return rendered(<SetSection facts={facts} certificates={certificates} />);
}

describe("prediction sets", () => {
  it("are counted by size, and by class those that have it", () => {
    // {a}, {b, c}, {a, b, c}, {a, b}, {a, b, c}; the last row is of an unknown class.
    expect(setFacts(rule, predicted)).toEqual({
      rule,
      sizes: [0, 1, 2, 2],
      classes: [
        { name: "a", rows: 2, covered: 1, members: 3 },
        { name: "b", rows: 1, covered: 1, members: 3 },
        { name: "c", rows: 1, covered: 0, members: 2 },
      ],
    });
  });

  it("are drawn by size and listed by class", () => {
    const page = sectionOf(rule, predicted);
    expect(texts(page, ".bars li")).toEqual([
      "1 class 1 · 20.0%",
      "2 classes 2 · 40.0%",
      "3 classes 2 · 40.0%",
    ]);
    expect(cells(page)).toEqual([
      ["a", "2", "50.0%", "1.5"],
      ["b", "1", "100%", "3"],
      ["c", "1", "0%", "2"],
    ]);
    expect(page.body.textContent).toContain("sets by class cover each of them");
  });

  it("have a certified coverage of each class if they have limits by class", () => {
    const [limit] = rule.limits;
    const byClass = { ...rule, perClass: true, limits: [limit, limit, limit] };
    const ofA = certificate({ measure: "coverage", bound: "lower", class: "a", value: 0.91 });
    const page = sectionOf(byClass, predicted, [ofA]);
    expect(cells(page).map(([, , , bound]) => bound)).toEqual(["≥ 91.0%", "–", "–"]);
  });

  it("share a bar if they are large, and only the least covered of many classes are listed", () => {
    const classes = Array.from({ length: 30 }, (_, k) => `class ${k}`);
    const many: Predictions = {
      classes,
      labels: Int32Array.from(classes.keys()),
      predictions: new Int32Array(30),
      // Row i has i + 1 classes above the limit.
      scores: Matrix.from(classes.map((_, i) => classes.map((_, k) => (k <= i ? 0.3 : 0.01)))),
      scoring: "probability",
    };
    const page = sectionOf(rule, many);
    expect(texts(page, ".bars span").slice(-3)).toEqual(["6–10 classes", "11–20 classes", "21–30 classes"]);
    const counts = texts(page, ".bars b").map((text) => Number.parseInt(text, 10));
    expect(counts).toEqual([1, 1, 1, 1, 1, 5, 10, 10]);
    expect(cells(page)).toHaveLength(12);
  });
});
