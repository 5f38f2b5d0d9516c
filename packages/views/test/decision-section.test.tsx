import { describe, expect, it } from "vitest";
import type { DecisionRule } from "vouch";
import { DecisionSection } from "#views/panels/evaluation/decision-section.js";
import { textOf } from "./rendered.js";

describe("the rule in words", () => {
  it("says when the positive class is predicted, and what for", () => {
    const rule: DecisionRule = { kind: "threshold", class: 1, at: 1 / 6 };
    const by = { rule, objective: { metric: "cost" } as const };
    expect(textOf(<DecisionSection by={by} classes={["no", "yes"]} costs="5 for “no”" />)).toBe(
      'It predicts "yes" if its probability is at least 0.167, otherwise "no". Chosen on out-of-fold training rows for the smallest mean cost. Costs: 5 for “no”.',
    );
  });

  it("is of several classes, too", () => {
    const rule: DecisionRule = { kind: "weights", weights: [1, 2, 3] };
    const by = { rule, objective: { metric: "balanced-error" } as const };
    const text = textOf(<DecisionSection by={by} classes={["a", "b", "c"]} />);
    expect(text).toContain("It predicts the class with the largest weighted probability.");
    expect(text).toContain("for the smallest balanced error");
  });
});
