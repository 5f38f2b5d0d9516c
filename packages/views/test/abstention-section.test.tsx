import type { AbstentionRule } from "@vouch/core/internal/theory/conformal/abstention-rule";
import { describe, expect, it } from "vitest";
import type { Predictions } from "vouch";
import { Matrix, Random } from "vouch/extend";
import { abstentionFacts, riskCurve } from "#views/facts/evaluation/abstention-facts.js";
import { AbstentionSection } from "#views/panels/evaluation/abstention-section.js";
import { cells, numbers, rendered } from "./rendered.js";

/** Rows whose predicted class has these probabilities; those listed are wrong. */
function predictedOf(confidences: readonly number[], wrong: readonly number[]): Predictions {
  return {
    classes: ["no", "yes"],
    labels: Int32Array.from(confidences, (_, i) => (wrong.includes(i) ? 0 : 1)),
    predictions: new Int32Array(confidences.length).fill(1),
    scores: Matrix.from(confidences.map((p) => [1 - p, p])),
    scoring: "probability",
  };
}

describe("the error of the surest answers", () => {
  it("counts from the surest row on; rows with the same probability come together", () => {
    const curve = riskCurve(predictedOf([0.9, 0.6, 0.75, 0.75], [1, 2]));
    expect(curve).toEqual([
      { answered: 0.25, error: 0 },
      { answered: 0.75, error: expect.closeTo(1 / 3, 12) },
      { answered: 1, error: 0.5 },
    ]);
    expect(riskCurve({ ...predictedOf([], []), scores: new Matrix(0, 2) })).toEqual([]);
  });

  it("equals counting at every threshold", () => {
    const random = new Random(4);
    const confidences = Array.from({ length: 60 }, () => Math.round(20 * random.uniform()) / 20);
    const wrong = confidences.flatMap((p, i) => (random.uniform() > p ? [i] : []));
    const expected = [...new Set(confidences)]
      .sort((a, b) => b - a)
      .map((least) => {
        const answered = confidences.flatMap((p, i) => (p >= least ? [i] : []));
        const errors = answered.filter((i) => wrong.includes(i)).length;
        return { answered: answered.length / 60, error: errors / answered.length };
      });
    expect(riskCurve(predictedOf(confidences, wrong))).toEqual(expected);
  });
});

const rule: AbstentionRule = {
  threshold: 0.8,
  asked: 0.1,
  target: 0.1,
  confidence: 0.95,
  thresholds: 10,
  counts: { rows: 100, answered: 50, errors: 1 },
};

/** A hundred rows, of which the upper half is answered with one error, and every fourth of the rest is wrong. */
const rows = predictedOf(
  Array.from({ length: 100 }, (_, i) => 0.505 + 0.006 * i),
  [99, ...Array.from({ length: 12 }, (_, i) => 4 * i)],
);

function sectionOf(changes: Partial<AbstentionRule> = {}): Document {
  const facts = abstentionFacts({ ...rule, ...changes }, rows);
  if (!facts) throw new Error("There are no rows.");
  return rendered(<AbstentionSection facts={facts} />);
}

describe("the section about abstention", () => {
  it("has the certified point on the curve and below the target", () => {
    const page = sectionOf();
    const text = page.body.textContent?.replaceAll("\u00a0", " ") ?? "";
    expect(text).toContain("At most 10.0% of its answers are wrong");
    expect(text).toContain("at least 0.8, and otherwise leaves the prediction empty");
    expect(text).toContain("50 answers to 100 held-out rows, 1 wrong");
    const [cx] = numbers(page, ".wide circle", "cx");
    const [cy] = numbers(page, ".wide circle", "cy");
    const [left, right] = [58, 704 - 18];
    expect((cx - left) / (right - left)).toBeCloseTo(0.5, 6);
    const target = numbers(page, '.wide [aria-label="rule"] line', "y1").at(-1) ?? 0;
    const bottom = 330 - 44;
    expect((bottom - cy) / (bottom - target)).toBeCloseTo(0.02 / 0.1, 2);
  });

  it("says how much of each class is answered", () => {
    expect(cells(sectionOf())).toEqual([
      ["no", "13", "7.7%", "100%"],
      ["yes", "87", "56.3%", "0%"],
    ]);
  });

  it("says that a target is not met, and that every row is answered", () => {
    const missed = sectionOf({ asked: 0.01, threshold: null }).body.textContent;
    expect(missed).toContain("cannot show that at most 1");
    expect(missed).toContain("It answers every row.");
  });
});
