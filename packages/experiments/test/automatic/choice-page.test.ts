import { expect, it } from "vitest";
import { choicePage } from "#experiments/automatic/choice-page.js";
import { mergeExpertLines } from "#experiments/automatic/expert-results.js";

/** The first `count` rows. */
const firstRows = (count: number) => Array.from({ length: count }, (_, row) => row);

function model(name: string, wrong: number) {
  return { name, error: wrong / 100, wrongRows: firstRows(wrong), secondsPerRow: 2e-6 * wrong, bytes: 1000 };
}

function trial(name: string, wrong: number, single?: number) {
  return {
    ...{ testRows: 100, trainingRows: 400, ...model(name, wrong) },
    ...{ tried: 3, candidates: 4, budget: 60, seconds: 30 + wrong },
    ...(single !== undefined && { single: model("svm", single) }),
  };
}

function expert(dataset: string, division: number, wrong: number, forest?: number) {
  return {
    ...{ dataset, division, testRows: 100, chosen: "svc C=1 gamma=1/features", error: wrong / 100 },
    ...{ seconds: 9, fitSeconds: 1, predictSecondsPerRow: 1e-5, wrongRows: firstRows(wrong) },
    candidates: [
      { name: "svc C=1 gamma=1/features", cvError: 0.1, error: wrong / 100 },
      forest === undefined
        ? { name: "random forest 500", tooSlow: 70 }
        : { name: "random forest 500", cvError: 0.2, error: forest / 100 },
    ],
    ...{ scikitLearn: "1", xgboost: "1" },
  };
}

const page = choicePage({
  sets: [
    { dataset: "official", trials: [trial("ensemble of 3", 10, 20)] },
    { dataset: "divided", trials: [trial("svm C=10", 20), trial("forest", 30)] },
    {
      dataset: "alone",
      trials: [trial("svm", 12)],
      singles: [[{ learner: "stump", error: 0.3 }, { learner: "mlp", error: 0.04 }, { learner: "mddf" }]],
    },
  ],
  absent: [],
  expert: [
    expert("official", 0, 15, 8),
    expert("divided", 0, 20, 1),
    expert("divided", 1, 29),
    expert("alone", 1, 3),
  ],
});

const cells = (dataset: string) =>
  page
    .split("\n")
    .find((line) => line.startsWith(`| ${dataset}`))
    ?.split("|")
    .map((cell) => cell.trim())
    .slice(2, -1);

it("a set with official test rows is compared row by row", () => {
  // The choice alone is right on 5 rows, the expert alone on none: p = 2/32; against the single model 10 rows: p = 2/1024.
  expect(cells("official")).toEqual([
    "100",
    "ensemble of 3",
    "10.00",
    "svc C=1 gamma=1/features",
    "15.00",
    "-5.00 ± 2.18",
    "random forest 500",
    "8.00",
    "+10.00 ± 3.00 *",
    "20 µs (40 µs)",
    "1.0 kB (1.0 kB)",
  ]);
});

it("a set with random splits is compared by the errors of the splits", () => {
  // Differences 0 and 0.01: variance 0.00005 times 1/2 + 1/4. A candidate without an error on each split cannot be the best.
  const error = (100 * Math.sqrt(0.75 * 0.00005)).toFixed(2);
  expect(cells("divided")?.slice(1, 9)).toEqual([
    "svm, forest",
    "25.00 ± 5.00",
    "2 × svc",
    "24.50 ± 4.50",
    `+0.50 ± ${error}`,
    "svc C=1 gamma=1/features",
    "24.50 ± 4.50",
    "–",
  ]);
});

it("a set without the expert's results on its divisions is compared with single learners only", () => {
  expect(cells("alone")?.slice(3, 9)).toEqual(["–", "–", "–", "mlp", "4.00", "–"]);
});

it("the summary counts sets, adds up errors and names the largest deficit and overrun", () => {
  expect(page).toContain("lower than the expert's on 1 of 2 sets and equal on 0.");
  expect(page).toContain(
    "The largest deficit is 0.50 points, on divided; it is at most half a point behind on 2.",
  );
  expect(page).toContain(
    "Sum of the errors over the sets: 47.00; of the best single models in sight of the test rows: 36.50.",
  );
  // The forest is better on one of two sets, but was not measured on the other.
  expect(page).toContain(
    "is svc C=1 gamma=1/features. Its errors on the 2 sets that it was measured on add up to 39.50, the errors of the choice on these sets to 35.00.",
  );
  expect(page).toContain("significant on 1 of 3 sets");
  expect(page).toContain("at most 100% of the budget");
});

it("the latest line of a division counts, in the order of sets and divisions", () => {
  const lines = [expert("b", 1, 3), expert("b", 0, 2), expert("a", 0, 5), expert("b", 1, 4)].map((one) =>
    JSON.stringify(one),
  );
  const merged = mergeExpertLines(lines).map(({ dataset, division, error }) => [dataset, division, error]);
  expect(merged).toEqual([
    ["a", 0, 0.05],
    ["b", 0, 0.02],
    ["b", 1, 0.04],
  ]);
});
