import { describe, expect, it } from "vitest";
import type { Objective } from "#core/metrics/objective-metric.js";
import { Random } from "#core/runtime/maths/random.js";
import { mean } from "#core/runtime/maths/statistics.js";
import { foldLosses } from "#core/validation/fold-losses.js";
import type { ClassifiedFold } from "#core/validation/trial.js";

const OBJECTIVES: [string, Objective][] = [
  ["log-loss", { metric: "log-loss" }],
  ["brier", { metric: "brier" }],
  ["f1", { metric: "f1", positive: 1 }],
  ["balanced-error", { metric: "balanced-error", positive: 1 }],
  [
    "cost",
    {
      metric: "cost",
      costs: [
        [0, 1],
        [5, 0],
      ],
      positive: 1,
    },
  ],
];

/** Decision values of rows; those of class 1, a fifth, are larger by one. */
function someFold(seed: number, tested: Int32Array): ClassifiedFold {
  const labels = tested.map((row) => Number(row % 5 === 0));
  const random = new Random(seed);
  const scores = Float64Array.from({ length: 2 * tested.length });
  tested.forEach((_, i) => {
    const score = labels[i] + random.normal();
    scores.set([-score, score], 2 * i);
  });
  return {
    labels,
    predictions: labels.map((_, i) => Number(scores[2 * i + 1] > 0)),
    scores,
    scoring: "decision",
    tested,
  };
}

const range = (from: number, to: number) => Int32Array.from({ length: to - from }, (_, i) => from + i);

/** The fold with the other label, and the opposite scores, of one row. */
function turned(fold: ClassifiedFold, at: number): ClassifiedFold {
  return {
    ...fold,
    labels: fold.labels.with(at, 1 - fold.labels[at]),
    scores: fold.scores.map((score, i) => (i >> 1 === at ? -50 * score : score)),
  };
}

describe("losses in folds", () => {
  it.each(OBJECTIVES)("by %s: no row has a part in the rule that judges it", (_, objective) => {
    const folds = [someFold(1, range(0, 60)), someFold(2, range(60, 120)), someFold(3, range(120, 180))];
    const before = foldLosses(objective, folds, 2);
    // A changed row changes its own loss, and may change those of other folds, but not the rule of its own fold: for metrics that
    // are means over rows, no other loss of its fold.
    const after = foldLosses(objective, [turned(folds[0], 7), folds[1], folds[2]], 2);
    if (objective.metric === "f1" || objective.metric === "balanced-error") return;
    expect(after[0].with(7, 0)).toEqual(before[0].with(7, 0));
    expect(after[0][7]).not.toBe(before[0][7]);
  });

  it.each(OBJECTIVES)("by %s: repeated folds do not bring a row back", (_, objective) => {
    const folds = [range(0, 60), range(60, 120)].map((tested, f) => someFold(f, tested));
    // In the second repeat the rows are in other folds: rows 0, 2, … and 1, 3, …
    const repeats = [0, 1].map((f) =>
      someFold(
        9 + f,
        range(0, 60).map((i) => 2 * i + f),
      ),
    );
    const [first] = foldLosses(objective, [...folds, ...repeats], 2);
    const known = repeats.map((fold) => {
      const kept = Array.from(fold.tested?.keys() ?? []).filter((i) => (fold.tested?.[i] ?? 0) >= 60);
      return {
        ...fold,
        tested: Int32Array.from(kept, (i) => fold.tested?.[i] ?? 0),
        labels: Int32Array.from(kept, (i) => fold.labels[i]),
        predictions: Int32Array.from(kept, (i) => fold.predictions[i]),
        scores: Float64Array.from(kept.flatMap((i) => [...fold.scores.subarray(2 * i, 2 * i + 2)])),
      };
    });
    expect(foldLosses(objective, [folds[0], folds[1], ...known], 2)[0]).toEqual(first);
  });

  it.each(OBJECTIVES)("by %s: a single fold is judged by halves", (_, objective) => {
    const fold = someFold(4, range(0, 200));
    const [losses] = foldLosses(objective, [fold], 2);
    expect(losses).toHaveLength(200);
    if (objective.metric === "f1" || objective.metric === "balanced-error") return;
    // Row 31 judges by the even rows: the other odd rows are judged as before.
    const [after] = foldLosses(objective, [turned(fold, 31)], 2);
    for (let i = 1; i < 200; i += 2) if (i !== 31) expect(after[i]).toBe(losses[i]);
  });

  it("calibrate decision values and find thresholds, which the error does not need", () => {
    const folds = [0, 1, 2, 3, 4].map((f) => someFold(f, range(400 * f, 400 * f + 400)));
    const loss = (objective: Objective) => mean(foldLosses(objective, folds, 2).map((own) => mean(own)));
    // −H(0.2) is what the class shares give.
    expect(loss({ metric: "log-loss" })).toBeLessThan(0.48);
    expect(loss({ metric: "log-loss" })).toBeGreaterThan(0.4);
    // Never answering class 1 costs 1, always answering it 0.8.
    expect(
      loss({
        metric: "cost",
        costs: [
          [0, 1],
          [5, 0],
        ],
        positive: 1,
      }),
    ).toBeLessThan(0.7);
    const own = mean(
      folds.map(({ labels, predictions }) =>
        mean(labels.map((label, i) => Number(label !== predictions[i]))),
      ),
    );
    expect(loss({ metric: "error" })).toBeCloseTo(own, 12);
  });

  it("survive folds of one class and of a single row", () => {
    const one = someFold(1, Int32Array.of(5, 10, 15));
    const other = someFold(2, Int32Array.of(1));
    for (const [, objective] of OBJECTIVES) {
      for (const folds of [[one, other], [one], [other], [other, other]]) {
        for (const losses of foldLosses(objective, folds, 2))
          expect(losses.every(Number.isFinite)).toBe(true);
      }
    }
  });
});
