import { expect, it } from "vitest";
import { adaboost, type CandidateResult, type Choice, forest, type Learner, majority, svm } from "vouch";
import { choiceLines } from "../src/format/choice.js";

function candidate(
  name: string,
  learner: Learner,
  error: number,
  tests: number,
  rest: Partial<CandidateResult>,
): CandidateResult {
  const errors = Array.from({ length: tests }, () => error);
  const metric = { name: "error", values: errors, mean: error, sd: 0.01 } as const;
  const validation = { errors, mean: error, sd: 0.01, metric, notices: [] };
  return { name, learner, validation, rows: 400, fate: "finished", ...rest };
}

const choice: Choice = {
  candidates: [
    candidate("svm C=1", svm({ C: 1 }), 0.05, 30, {}),
    candidate("svm C=10", svm({ C: 10 }), 0.06, 30, {}),
    candidate("forest trees=200", forest({ trees: 200 }), 0.04, 30, {}),
    candidate("adaboost", adaboost(), 0.01, 1, { fate: "slow", rows: 100 }),
    candidate("majority", majority(), 0.5, 30, { fate: "behind" }),
  ],
  untried: [{ name: "mlp", fate: "not tried", reason: "the time was up" }],
  objective: { metric: "error" },
  ended: "decided",
  among: 6,
  certifiable: 6,
};

it("sorts kinds of learners by what is shown, those that were tested on less apart", () => {
  const lines = choiceLines(choice, 80).split("\n");
  expect(lines.slice(0, 6).map((line) => line.trimEnd())).toEqual([
    "  learner                      tried  error          tests",
    "  Random forest, 200 trees         1   4.0%  ± 1.0%     30",
    "  Support vector machine, C 1      2   5.0%  ± 1.0%     30  ← chosen",
    "  Most frequent class              1  50.0%  ± 1.0%     30  behind",
    "  tested on less:",
    "  AdaBoost                         1   1.0%              1  on 100 rows",
  ]);
  expect(lines.slice(6).join(" ")).toContain("and 2 more candidates: 1 not tried, 1 close");
  expect(lines.slice(6).join(" ").replaceAll(/ +/g, " ")).toContain(
    "the one with the smallest log loss is chosen",
  );
});

it("keeps candidates with more tests than the chosen one apart, too", () => {
  const [, ...others] = choice.candidates;
  const ensembled = candidate("adaboost", adaboost(), 0.05, 1, {});
  const candidates = [ensembled, ...others.filter(({ name }) => name !== "adaboost")];
  const lines = choiceLines({ ...choice, candidates }, 80).split("\n");
  expect(lines.slice(1, 6).map((line) => line.trim().replaceAll(/ +/g, " "))).toEqual([
    "AdaBoost 1 5.0% 1 ← chosen",
    "tested on more:",
    "Random forest, 200 trees 1 4.0% ± 1.0% 30",
    "Support vector machine, C 10 1 6.0% ± 1.0% 30",
    "Most frequent class 1 50.0% ± 1.0% 30 behind",
  ]);
  expect(lines.join(" ")).not.toContain("standard error");
});

it("lists at most eight learners, with the chosen one among them, and all options if asked", () => {
  const names = [
    "svm",
    "forest",
    "adaboost",
    "majority",
    "tree",
    "stump",
    "logistic",
    "mlp",
    "perceptron",
    "sae",
  ];
  const [first] = choice.candidates;
  const many = names.map((name, i) => ({
    ...first,
    name: `${name} C=2 rounds=1 learningRate=0.1`,
    learner: { ...first.learner, name },
    validation: candidate(name, first.learner, (20 - i) / 100, 30, {}).validation,
  }));
  const table = (verbose: boolean) => choiceLines({ ...choice, candidates: many, untried: [] }, 120, verbose);
  const rows = table(false)
    .split("\n")
    .filter((line) => line.includes(" ± "));
  expect(rows).toHaveLength(8);
  expect(rows[7]).toMatch(/^ {2}Support vector machine, C 2 .*← chosen$/);
  expect(table(true)).toContain("Support vector machine, C 2, 1 round, learning rate 0.1 ");
});
