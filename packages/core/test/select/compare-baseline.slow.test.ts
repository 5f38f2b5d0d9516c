import { describe, expect, it } from "vitest";
import { majority } from "#core/learners/majority/majority.js";
import { stump } from "#core/learners/stump/stump.js";
import { errorAgainst } from "#core/metrics/baseline.js";
import { Random } from "#core/runtime/maths/random.js";
import { type Comparison, compare } from "#core/select/compare.js";
import { comparisonBaseline } from "#core/select/compare-baseline.js";
import { describeComparison, judgeComparison } from "#core/select/comparison-verdict.js";
import { correctedTTest } from "#core/select/corrected-t-test.js";
import { kFold } from "#core/table/splits.js";
import { Table } from "#core/table/table.js";
import { type Labelled, labelled, selectRows } from "#core/table/target.js";
import { holm } from "#core/theory/multiple-testing.js";
import { blobs } from "../train/blobs.js";

/** Columns that say nothing about the class, which is "Yes" for a share of the rows. */
function noise(rows: number, share: number, seed: number): Labelled {
  const random = new Random(seed);
  const column = () => Float64Array.from({ length: rows }, () => random.normal());
  const label = Array.from({ length: rows }, () => (random.uniform() < share ? "Yes" : "No"));
  return labelled(Table.fromColumns("noise", { a: column(), b: column(), label }), "label");
}

describe("the baseline of a comparison", () => {
  it("answers the most common class of the training rows, the first of several", () => {
    const data = { classes: ["a", "b", "c"], labels: Int32Array.of(0, 1, 1, 2, 2, 1, 0, 2) };
    const folds = [
      // The others are b, b, c, b, a: b is wrong on a, c, c.
      { train: Int32Array.of(1, 2, 3, 5, 6), test: Int32Array.of(0, 4, 7) },
      // a, c and c, and c is right on one of five.
      { train: Int32Array.of(0, 4, 7), test: Int32Array.of(1, 2, 3, 5, 6) },
    ];
    const heldOut = { labels: Int32Array.of(1, 0, -1, 2) };
    const baseline = comparisonBaseline(data, folds, { metric: "error" });
    // Over all rows b and c are equally common, and b is wrong on three of the held-out rows, one of an unknown class.
    expect(baseline).toMatchObject({ class: "b", errors: [1, 4 / 5], mean: 0.9 });
    expect(baseline.sd).toBeCloseTo(Math.sqrt(0.02), 12);
    const mistakes = Uint8Array.of(1, 0, 1, 0);
    // Two rows are won and one is lost: P(Binomial(3, ½) ≥ 2) = ½.
    const onHeldOut = errorAgainst(baseline, { ...heldOut, mistakes });
    expect(onHeldOut).toEqual({ model: 0.5, baseline: 0.75, gain: 0.25, p: expect.closeTo(0.5, 12) });
  });

  it("is the learner majority, on every fold and on held-out rows", async () => {
    for (const seed of [1, 2, 3]) {
      const all = noise(101, 0.4, seed);
      const { folds } = kFold(all.labels, 3, seed);
      const rows = { ...all, ...selectRows(all, folds[0].train) };
      const heldOut = { rows: selectRows(all, folds[0].test), drawn: "stratified" as const };
      const { compared, baseline } = await compare([majority()], rows, { folds: 4, heldOut, run: { seed } });
      const [one] = compared;
      expect(one.errors).toEqual(baseline.errors);
      expect(one).toMatchObject({ gain: 0, pBaseline: 1, heldOutGain: { gain: 0, p: 1 } });
    }
  });

  it("is tested as the best learner is, with Holm's correction over all learners", async () => {
    const { compared, baseline } = await compare([majority(), stump()], labelled(blobs(150, 3), "label"));
    expect(compared.map(({ pBaseline }) => pBaseline)).toEqual(
      holm(compared.map(({ errors }) => correctedTTest(errors, baseline.errors, 5 / 150))),
    );
    for (const { gain, mean } of compared) expect(gain).toBe(baseline.mean - mean);
  });
});

describe("the verdict of a comparison", () => {
  const [best, second]: Comparison["compared"] = ["stump", "forest"].map((name) => ({
    name,
    learner: stump(),
    errors: [0.2, 0.2],
    mean: 0.2,
    sd: 0,
    metric: { name: "error", values: [0.2, 0.2], mean: 0.2, sd: 0 },
    gain: 0.05,
    pBaseline: 0.41,
    seconds: { fit: 1, row: 1 },
    bytes: 1,
    ...(name === "forest" && { p: 0.6 }),
  }));
  const comparison: Comparison = {
    objective: { metric: "error" },
    compared: [best, second],
    baseline: {
      class: "No",
      index: 0,
      shares: [0.75, 0.25],
      errors: [0.25, 0.25],
      mean: 0.25,
      sd: 0,
      metric: { name: "error", values: [0.25, 0.25], mean: 0.25, sd: 0 },
    },
    outOfTime: [],
    failed: [],
    folds: 2,
    notices: [],
  };
  const sentence = (compared: Comparison["compared"]) => describeComparison({ ...comparison, compared })[0];

  it("claims nothing that the test does not show", () => {
    expect(judgeComparison(comparison)).toEqual({ better: "unclear", gain: 0.05, p: 0.41, warnings: [] });
    expect(sentence([best, second])).toBe(
      'No learner is shown to be better than always answering "No" (25.0%): the best, stump, has 20.0% (p = 0.41).',
    );
    expect(sentence([best, { ...second, pBaseline: 0.01 }])).toBe(
      'stump has the smallest error, 20.0% (always answering "No": 25.0%). Its lead differs so much from fold to fold that it may be chance (p = 0.41). forest, with 20.0%, is significantly better (p = 0.010).',
    );
    const worse = { ...best, gain: -0.1, pBaseline: 0.001 };
    expect(judgeComparison({ ...comparison, compared: [worse] }).better).toBe("no");
    expect(sentence([worse])).toContain("stump is not shown to be better");
  });

  it("counts the others that are not significantly worse, if there are too many to name", () => {
    const others = Array.from({ length: 7 }, (_, i) => ({ ...second, name: `forest ${i}`, p: 0.6 }));
    const said = (compared: Comparison["compared"]) =>
      describeComparison({ ...comparison, compared }).join(" ");
    expect(said([best, ...others])).toContain(
      "None of the other 7 learners is significantly worse than stump.",
    );
    expect(said([best, ...others, { ...second, name: "tree", p: 0.01 }])).toContain(
      "7 of the 8 others are not significantly worse than stump.",
    );
  });

  it("warns if the held-out rows say otherwise", () => {
    const heldOut = { rows: 50, errors: 11 };
    const certain = {
      ...best,
      pBaseline: 0.001,
      heldOut,
      heldOutGain: { model: 0.22, baseline: 0.2, gain: -0.02, p: 0.8 },
    };
    const { better, warnings } = judgeComparison({ ...comparison, compared: [certain] });
    expect(better).toBe("yes");
    expect(warnings).toEqual([
      {
        code: "not-confirmed",
        message:
          'The 50 held-out rows do not confirm it: there the error is 22.0% for stump and 20.0% for always answering "No" (p = 0.80).',
      },
    ]);
    const confirmed = { ...certain, heldOutGain: { model: 0.1, baseline: 0.2, gain: 0.1, p: 0.001 } };
    expect(judgeComparison({ ...comparison, compared: [confirmed] }).warnings).toEqual([]);
  });

  it.each([2, 5])(
    "with %d folds, calls nothing better on noise in more than one of twenty draws",
    async (folds) => {
      const draws = 150;
      let wrong = 0;
      for (let seed = 0; seed < draws; seed++) {
        const data = noise(40, 0.5, seed);
        const compared = await compare([majority(), stump()], data, { folds, run: { seed } });
        if (judgeComparison(compared).better === "yes") wrong++;
      }
      expect(wrong / draws).toBeLessThanOrEqual(0.05);
    },
  );
});
