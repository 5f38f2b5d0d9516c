import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { answeredErrorBound, answerRateBounds, chooseAbstention } from "#core/theory/conformal/abstention.js";
import {
  type AbstentionRule,
  abstentionRuleSchema,
  answeredMask,
  keepsTarget,
} from "#core/theory/conformal/abstention-rule.js";
import { countAnswers, type SelectiveRows } from "#core/theory/conformal/selective-rows.js";
import { thresholdSequence } from "#core/theory/conformal/threshold-sequence.js";
import { binomialAtMost, largestProbability } from "#core/theory/distributions.js";

/** Draws a confidence, and gives the probability that its answer is wrong. */
type Law = (random: Random) => readonly [confidence: number, wrong: number];

const logistic = (z: number) => 1 / (1 + Math.exp(-z));

const LAWS: Readonly<Record<string, Law>> = {
  calibrated: (random) => {
    const p = logistic(Math.abs(3 * random.normal()));
    return [p, 1 - p];
  },
  "over-confident": (random) => {
    const p = logistic(Math.abs(3 * random.normal()));
    return [p, 0.5 * (1 - p) + 0.12];
  },
  "with ties": (random) => {
    const vote = Math.ceil(5 * Math.sqrt(random.uniform())) / 5;
    return [vote, 0.3 * (1 - vote) + 0.02];
  },
  "two values": (random) => (random.uniform() < 0.6 ? [0.9, 0.05] : [0.6, 0.3]),
  "without a ranking": (random) => [random.uniform(), 0.1],
  "wrong way round": (random) => {
    const p = random.uniform();
    return [p, 0.2 * p];
  },
};

function draw(law: Law, rows: number, random: Random): SelectiveRows {
  const confidences = new Float64Array(rows);
  const wrong = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) {
    const [confidence, error] = law(random);
    confidences[row] = confidence;
    wrong[row] = random.uniform() < error ? 1 : 0;
  }
  return { confidences, wrong };
}

/** Answer rate and error of answers of thresholds, from many draws with known error probabilities. */
class Truth {
  readonly #sorted: (readonly [number, number])[];
  readonly #errors: Float64Array;

  constructor(law: Law) {
    const random = new Random(77);
    this.#sorted = Array.from({ length: 20_000 }, () => law(random)).sort(([a], [b]) => b - a);
    this.#errors = new Float64Array(this.#sorted.length + 1);
    this.#sorted.forEach(([, wrong], i) => {
      this.#errors[i + 1] = this.#errors[i] + wrong;
    });
  }

  at({ threshold }: Pick<AbstentionRule, "threshold">): { rate: number; error: number } {
    const below = this.#sorted.findIndex(
      ([confidence]) => confidence < (threshold ?? Number.NEGATIVE_INFINITY),
    );
    const answered = below < 0 ? this.#sorted.length : below;
    return { rate: answered / this.#sorted.length, error: this.#errors[answered] / Math.max(1, answered) };
  }

  /** The largest answer rate at which the error is at most the target. */
  best(target: number): number {
    for (let i = this.#sorted.length; i > 0; i--)
      if (this.#errors[i] <= target * i) return i / this.#sorted.length;
    return 0;
  }
}

describe("choosing a threshold", () => {
  const cases = [
    ["calibrated", 300, 0.05, 0.1],
    ["calibrated", 1500, 0.05, 0.05],
    ["over-confident", 400, 0.15, 0.1],
    ["with ties", 400, 0.08, 0.1],
    ["two values", 300, 0.1, 0.2],
    ["two values", 60, 0.05, 0.2],
    ["without a ranking", 200, 0.12, 0.2],
    ["wrong way round", 300, 0.1, 0.2],
    ["calibrated", 12, 0.2, 0.2],
  ] as const;

  it.each(cases)(
    "%s, %i rows, target %d: the promises fail in at most δ = %d of draws",
    (name, rows, target, delta) => {
      const law = LAWS[name];
      const truth = new Truth(law);
      const draws = 80;
      let errors = 0;
      let rates = 0;
      let upper = 0;
      for (let i = 0; i < draws; i++) {
        const random = new Random(1000 + i);
        const [outOfFold, heldOut] = [draw(law, 2 * rows, random), draw(law, rows, random)];
        const rule = chooseAbstention({ outOfFold, heldOut, target, confidence: 1 - delta });
        if (!rule) continue;
        const { rate, error } = truth.at(rule);
        const bounds = answerRateBounds(rule.counts, 1 - delta, rule);
        // The truth itself is from a sample, with standard errors of 0.3%.
        if (error > rule.target + 0.003) errors++;
        if (rate < bounds.lower - 0.007) rates++;
        if (rate > bounds.upper + 0.007) upper++;
      }
      const most = draws * delta + 2 * Math.sqrt(draws * delta * (1 - delta));
      expect(errors).toBeLessThanOrEqual(most);
      expect(rates).toBeLessThanOrEqual(most);
      expect(upper).toBeLessThanOrEqual(most);
    },
  );

  it("answers nearly as many rows as an oracle that knows the law", () => {
    const truth = new Truth(LAWS.calibrated);
    const most = truth.best(0.05);
    for (const [rows, share] of [
      [2000, 0.85],
      [20_000, 0.95],
    ] as const) {
      const random = new Random(5);
      const [outOfFold, heldOut] = [draw(LAWS.calibrated, rows, random), draw(LAWS.calibrated, rows, random)];
      const rule = chooseAbstention({ outOfFold, heldOut, target: 0.05, confidence: 0.95 });
      expect(rule && keepsTarget(rule) && truth.at(rule).rate).toBeGreaterThan(share * most);
    }
  });

  it("answers every row if all answers are right", () => {
    const rows = { confidences: Float64Array.from({ length: 200 }, (_, i) => i), wrong: new Uint8Array(200) };
    const rule = chooseAbstention({ outOfFold: rows, heldOut: rows, target: 0.05, confidence: 0.95 });
    expect(rule).toMatchObject({
      threshold: null,
      target: 0.05,
      counts: { rows: 200, answered: 200, errors: 0 },
    });
    expect([...answeredMask({ threshold: null }, Float64Array.of(-1e300, 0))]).toEqual([1, 1]);
    expect([...answeredMask({ threshold: 0.5 }, Float64Array.of(0.4, 0.5, 0.6, Number.NaN))]).toEqual([
      0, 1, 1, 0,
    ]);
  });

  it("stops at the first threshold that is not rejected", () => {
    const random = new Random(3);
    const [outOfFold, heldOut] = [draw(LAWS.calibrated, 800, random), draw(LAWS.calibrated, 800, random)];
    const rule = chooseAbstention({ outOfFold, heldOut, target: 0.05, confidence: 0.9 });
    // A tenth of δ is for answering every row.
    const sequence = thresholdSequence(outOfFold, 800, 0.05, 0.09);
    const rejected = sequence.map((threshold) => {
      const { answered, errors } = countAnswers(heldOut, threshold);
      return binomialAtMost(errors, answered, 0.05) <= 0.09;
    });
    const last = rejected.indexOf(false) - 1;
    expect(last).toBeGreaterThan(0);
    expect(rule?.threshold).toBe(sequence[last]);
    expect(rule?.thresholds).toBe(sequence.length + 1);
  });

  it("certifies the smallest error it can if the target is out of reach", () => {
    const random = new Random(3);
    const [outOfFold, heldOut] = [
      draw(LAWS["two values"], 400, random),
      draw(LAWS["two values"], 400, random),
    ];
    const rule = chooseAbstention({ outOfFold, heldOut, target: 0.01, confidence: 0.95 });
    const { answered, errors } = countAnswers(heldOut, 0.9);
    expect(rule).toMatchObject({ threshold: 0.9, asked: 0.01, counts: { answered, errors } });
    expect(rule?.target).toBe(largestProbability(errors, answered, 0.045));
    expect(rule && keepsTarget(rule)).toBe(false);
  });

  it("answers every row if new rows never reach the most promising threshold", () => {
    // Confidences of the folds' models may be larger than those of the model of all rows.
    const surer = { confidences: new Float64Array(100).fill(0.8), wrong: new Uint8Array(100) };
    const heldOut = {
      confidences: new Float64Array(60).fill(0.7),
      wrong: Uint8Array.from({ length: 60 }, (_, i) => Number(i < 6)),
    };
    const outOfFold = {
      confidences: Float64Array.of(...surer.confidences, ...surer.confidences.map(() => 0.6)),
      wrong: Uint8Array.of(...surer.wrong, ...surer.wrong.map(() => 1)),
    };
    const rule = chooseAbstention({ outOfFold, heldOut, target: 0.02, confidence: 0.95 });
    expect(rule).toMatchObject({ threshold: null, asked: 0.02, counts: { answered: 60, errors: 6 } });
    expect(rule?.target).toBe(largestProbability(6, 60, 0.005));
  });

  it("has nothing to say without rows, or if every answer is wrong", () => {
    const rows = { confidences: Float64Array.of(0.5, 0.6), wrong: Uint8Array.of(1, 1) };
    const none = { confidences: new Float64Array(0), wrong: new Uint8Array(0) };
    expect(
      chooseAbstention({ outOfFold: rows, heldOut: none, target: 0.1, confidence: 0.9 }),
    ).toBeUndefined();
    expect(
      chooseAbstention({ outOfFold: rows, heldOut: rows, target: 0.1, confidence: 0.9 }),
    ).toBeUndefined();
  });

  it("answers no fewer rows for a larger target", () => {
    const random = new Random(9);
    const [outOfFold, heldOut] = [draw(LAWS.calibrated, 3000, random), draw(LAWS.calibrated, 3000, random)];
    const rates = [0.02, 0.05, 0.08, 0.1].map((target) => {
      const rule = chooseAbstention({ outOfFold, heldOut, target, confidence: 0.95 });
      return rule?.counts.answered ?? 0;
    });
    expect(rates).toEqual([...rates].sort((a, b) => a - b));
    expect(rates[3]).toBeGreaterThan(1.2 * rates[0]);
  });

  it("refuses impossible input", () => {
    const rows = { confidences: Float64Array.of(0.5, 0.6), wrong: Uint8Array.of(0, 1) };
    const task = { outOfFold: rows, heldOut: rows, target: 0.1, confidence: 0.9 };
    const strange = { ...rows, confidences: Float64Array.of(0.5, Number.NaN) };
    const infinite = { ...rows, confidences: Float64Array.of(Number.POSITIVE_INFINITY, 0.5) };
    const none = { confidences: new Float64Array(0), wrong: new Uint8Array(0) };
    for (const wrong of [
      { target: 0 },
      { target: 1 },
      { target: Number.NaN },
      { target: 2 },
      { confidence: 1 },
      { outOfFold: none },
      { heldOut: strange },
      { outOfFold: infinite },
      { heldOut: { ...rows, wrong: Uint8Array.of(1) } },
      { heldOut: { ...rows, wrong: Uint8Array.of(1, 2) } },
      { heldOut: { ...rows, groups: Int32Array.of(1) } },
    ]) {
      expect(() => chooseAbstention({ ...task, ...wrong }), JSON.stringify(wrong)).toThrowError(VouchError);
    }
  });
});

describe("bounds for a threshold", () => {
  const counts = { rows: 100, answered: 60, errors: 1 };

  it("are the target at the rule's confidence, and simultaneous bounds at a larger one", () => {
    const choice = { thresholds: 10, target: 0.08, confidence: 0.95 };
    expect(answeredErrorBound(counts, 0.95, choice)).toBe(0.08);
    expect(answeredErrorBound(counts, 0.9, choice)).toBe(0.08);
    expect(answeredErrorBound(counts, 0.98, choice)).toBe(largestProbability(1, 60, 0.002));
    expect(answeredErrorBound(counts, 0.95)).toBe(largestProbability(1, 60, 0.05));
  });

  it("contain the measured answer rate, and widen with the number of thresholds", () => {
    const one = answerRateBounds(counts, 0.95);
    const many = answerRateBounds(counts, 0.95, { thresholds: 20 });
    expect(one.measured).toBe(0.6);
    expect(one.lower).toBeCloseTo(1 - largestProbability(40, 100, 0.05), 12);
    expect(many.lower).toBeLessThan(one.lower);
    expect(many.upper).toBeGreaterThan(one.upper);
    expect(answerRateBounds({ rows: 0, answered: 0, errors: 0 }, 0.95)).toEqual({
      measured: 0,
      lower: 0,
      upper: 1,
    });
  });
});

describe("rows of groups", () => {
  /** Groups of rows that are all right or all wrong together, in two kinds with different confidences. */
  function grouped(groups: number, random: Random): SelectiveRows {
    const size = 10;
    const confidences = new Float64Array(groups * size);
    const wrong = new Uint8Array(groups * size);
    const ids = new Int32Array(groups * size);
    for (let group = 0; group < groups; group++) {
      const sure = random.uniform() < 0.5;
      const isWrong = random.uniform() < (sure ? 0.1 : 0.4);
      for (let i = 0; i < size; i++) {
        const row = group * size + i;
        confidences[row] = sure ? 0.9 : 0.6;
        wrong[row] = isWrong ? 1 : 0;
        ids[row] = group;
      }
    }
    return { confidences, wrong, groups: ids };
  }

  it("count as groups: the target fails in at most δ of draws, and counting rows would fail more often", () => {
    const draws = 40;
    const failures = { byGroup: 0, byRow: 0 };
    for (let i = 0; i < draws; i++) {
      const random = new Random(i);
      const [outOfFold, heldOut] = [grouped(60, random), grouped(60, random)];
      const task = { outOfFold, heldOut, target: 0.09, confidence: 0.8 };
      const rule = chooseAbstention(task);
      // The smallest error of any threshold is 10%, so every rule with a smaller target fails.
      if (rule && rule.target < 0.1) failures.byGroup++;
      const { groups: _, ...rows } = heldOut;
      const careless = chooseAbstention({ ...task, heldOut: rows });
      if (careless && careless.target < 0.1) failures.byRow++;
    }
    const most = draws * 0.2 + 2 * Math.sqrt(draws * 0.2 * 0.8);
    expect(failures.byGroup).toBeLessThanOrEqual(most);
    expect(failures.byRow).toBeGreaterThan(most);
  });

  it("keep a target that can be kept", () => {
    const random = new Random(4);
    const [outOfFold, heldOut] = [grouped(400, random), grouped(400, random)];
    const rule = chooseAbstention({ outOfFold, heldOut, target: 0.2, confidence: 0.95 });
    expect(rule).toMatchObject({ threshold: 0.9, target: 0.2 });
    expect(rule?.counts.groups?.reduce((sum, { groups }) => sum + groups, 0)).toBe(400);
    if (!rule) return;
    const { lower, upper, measured } = answerRateBounds(rule.counts, 0.95, rule);
    expect(lower).toBeLessThan(measured);
    expect(upper).toBeGreaterThan(measured);
    expect(answeredErrorBound(rule.counts, 0.99, rule)).toBeGreaterThan(0.1);
    expect(answeredErrorBound(rule.counts, 0.99, rule)).toBeLessThan(0.4);
  });
});

describe("a rule in a model file", () => {
  const rule = {
    threshold: 0.8,
    asked: 0.02,
    target: 0.02,
    confidence: 0.95,
    thresholds: 12,
    counts: { rows: 100, answered: 60, errors: 1 },
  };

  it("is read back, and damaged ones are refused", () => {
    expect(abstentionRuleSchema.parse(JSON.parse(JSON.stringify(rule)))).toEqual(rule);
    for (const damage of [
      { threshold: Number.NaN },
      { threshold: "0.8" },
      { target: 0.01 },
      { target: 1 },
      { confidence: 0 },
      { thresholds: 0 },
      { counts: { rows: 100, answered: 60, errors: 61 } },
      { counts: { rows: 10, answered: 60, errors: 1 } },
      { counts: { ...rule.counts, groups: [{ rows: 0, answered: 0, errors: 0, groups: 1 }] } },
      { more: 1 },
    ]) {
      expect(abstentionRuleSchema.safeParse({ ...rule, ...damage }).success, JSON.stringify(damage)).toBe(
        false,
      );
    }
  });
});
