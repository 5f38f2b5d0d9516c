import { describe, expect, it } from "vitest";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import { majority } from "#core/learners/majority/majority.js";
import { describeAgreement } from "#core/select/agreement.js";
import { findCriterion } from "#core/select/criteria.js";
import type { Ranking, Selection } from "#core/select/select.js";

const learners = [majority(), adaboost({ rounds: 5 }), adaboost({ rounds: 50 })];
const names = ["majority", "adaboost rounds=5", "adaboost rounds=50"];

/** A ranking with these values of candidates 0, 1 and 2; a text is the reason why one cannot be judged. */
function ranking(name: string, values: readonly (number | string)[]): Ranking {
  const scores = values.flatMap((value, candidate) =>
    typeof value === "number"
      ? [
          {
            candidate,
            value,
            terms: {},
            rank: 1 + values.filter((other) => typeof other === "number" && other < value).length,
          },
        ]
      : [],
  );
  return {
    criterion: findCriterion(name),
    scores: scores.sort((a, b) => a.rank - b.rank || a.candidate - b.candidate),
    refused: values.flatMap((value, candidate) =>
      typeof value === "string" ? [{ candidate, reason: value }] : [],
    ),
    facts: {},
  };
}

const words = (...rankings: Ranking[]) => {
  const candidates = learners.map((learner, c) => ({ name: names[c], learner }));
  const selection: Selection = { objective: { metric: "error" }, candidates, rankings, notices: [] };
  return describeAgreement(selection);
};

describe("agreement in words", () => {
  it("of criteria that agree, and of one alone", () => {
    expect(words(ranking("cv", [0.4, 0.2, 0.1]), ranking("holdout", [0.4, 0.3, 0.1]))).toEqual([
      "All criteria agree: cv and holdout choose adaboost rounds=50.",
    ]);
    expect(words(ranking("cv", [0.4, 0.2, 0.1]))).toEqual(["cv chooses adaboost rounds=50."]);
  });

  it("of criteria that disagree, with the errors of the other choices", () => {
    expect(
      words(
        ranking("srm", [0.9, 2, 3]),
        ranking("cv", [0.4, 0.25, 0.125]),
        ranking("holdout", [0.5, 0.1, 0.2]),
      ),
    ).toEqual([
      "The criteria disagree: srm chooses majority; cv chooses adaboost rounds=50; holdout chooses adaboost rounds=5.",
      "By cv, adaboost rounds=5 misclassifies 25.0% of the rows, adaboost rounds=50 12.5%.",
      "By cv, majority misclassifies 40.0% of the rows, adaboost rounds=50 12.5%.",
    ]);
  });

  it("of vacuous bounds, ties and criteria that are not informative", () => {
    expect(words(ranking("srm", [2, 2, 3.5])).slice(1)).toEqual([
      "The bounds of srm are above 1 (2 to 3.5): they guarantee nothing, only their order counts.",
      "srm rates 2 candidates equal and keeps the first one.",
    ]);
    expect(words(ranking("margin", [Infinity, Infinity, Infinity])).slice(1)).toEqual([
      "margin is not informative for any candidate and keeps the first one.",
    ]);
  });

  it("of candidates that a criterion cannot judge", () => {
    expect(words(ranking("margin", ["none votes", 0.5, 0.6])).at(-1)).toBe(
      "margin cannot judge majority: none votes.",
    );
    expect(words(ranking("aic", [100, "no likelihood", "no likelihood"])).at(-1)).toBe(
      "aic cannot judge adaboost: no likelihood.",
    );
    expect(words(ranking("srm", [0.9, 0.8, "too deep"])).at(-1)).toBe(
      "srm cannot judge adaboost rounds=50: too deep.",
    );
  });
});
