import { describe, expect, it } from "vitest";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { boundCoverage, fitSets, type ProbableRows } from "#core/theory/conformal/prediction-sets.js";
import { computeSets, keepsLevel, type SetRule, setRuleSchema } from "#core/theory/conformal/set-rule.js";
import { binomialAtMost, largestProbability } from "#core/theory/distributions.js";
import { logBinomialCoefficient } from "#core/theory/log-tails.js";

/** Probabilities of three classes, the third one rare; `sharpness` other than 1 makes them over- or under-confident. */
function draw(
  rows: number,
  random: Random,
  { sharpness = 1, digits = 12 }: { readonly sharpness?: number; readonly digits?: number } = {},
): ProbableRows {
  const labels = new Int32Array(rows);
  const stated = Array.from({ length: rows }, (_, row) => {
    const weights = [random.normal() + 1, random.normal(), random.normal() - 2].map(Math.exp);
    const total = weights[0] + weights[1] + weights[2];
    const u = random.uniform() * total;
    labels[row] = u < weights[0] ? 0 : u < weights[0] + weights[1] ? 1 : 2;
    const sharp = weights.map((weight) => weight ** sharpness);
    const sum = sharp[0] + sharp[1] + sharp[2];
    return sharp.map((weight) => Number((weight / sum).toFixed(digits)));
  });
  return { probabilities: Matrix.from(stated), labels };
}

function fitted(rows: ProbableRows, task: Parameters<typeof fitSets>[1]): SetRule {
  const rule = fitSets(rows, task);
  if (!rule) throw new Error("no sets");
  return rule;
}

/** The share of rows, of one class or all, whose class is in their set. */
function coverage(rule: SetRule, { probabilities, labels }: ProbableRows, ofClass?: number): number {
  const sets = computeSets(rule, probabilities);
  let rows = 0;
  let covered = 0;
  labels.forEach((label, row) => {
    if (ofClass !== undefined && label !== ofClass) return;
    rows++;
    covered += sets[row * probabilities.columns + label];
  });
  return covered / rows;
}

/** Rows of which the first `unknown` are of an unknown class; a second class, in every set, fills those that would be empty. */
function rowsWithUnknown(own: readonly number[], unknown: number): ProbableRows {
  return {
    probabilities: Matrix.from(own.map((p) => [p, 1])),
    labels: Int32Array.from(own, (_, row) => (row < unknown ? -1 : 0)),
  };
}

/**
 * Computes exactly how often the certified coverage fails, if cases are of unknown classes with probability π and the own probability of
 * the others is uniform: the sum over the number of unknown rows.
 */
function failureOf(rules: readonly SetRule[], certified: readonly number[], pi: number): number {
  const n = rules.length;
  return rules.reduce((sum, { limits: [{ rows, misses }] }, u) => {
    const log = logBinomialCoefficient(n, u) + (pi > 0 ? u * Math.log(pi) : 0) + (n - u) * Math.log1p(-pi);
    if (pi === 0 && u > 0) return sum;
    // The coverage (1 − π)(1 − limit) fails if at most this many known rows are below the limit that just keeps it.
    const below = rows === n ? misses - u : misses;
    const fails = certified[u] > 1 - pi ? 1 : binomialAtMost(below, n - u, 1 - certified[u] / (1 - pi));
    return sum + Math.exp(log) * fails;
  }, 0);
}

/** δ of the draws, and two standard errors more. */
function mostFailures(draws: number, delta: number): number {
  return draws * delta + 2 * Math.sqrt(draws * delta * (1 - delta));
}

describe("prediction sets", () => {
  it.each([
    [1, 12, 200],
    [3, 12, 200],
    [0.4, 12, 80],
    [1, 1, 150],
  ])(
    "cover with sharpness %d and %i digits, from %i rows: too little in at most δ of draws",
    (sharpness, digits, rows) => {
      const law = { sharpness, digits };
      const truth = draw(8000, new Random(99), law);
      const draws = 100;
      const [level, delta] = [0.9, 0.1];
      let overall = 0;
      let perClass = 0;
      for (let i = 0; i < draws; i++) {
        const held = draw(rows, new Random(i), law);
        // The truth is from a sample, whose standard error is 0.3%; that of the rare class 1.4%.
        const rule = fitted(held, { level, confidence: 1 - delta });
        if (coverage(rule, truth) < level - 0.006) overall++;
        const classes = fitted(held, { level, confidence: 1 - delta, perClass: true });
        if ([0, 1, 2].some((c) => coverage(classes, truth, c) < level - (c === 2 ? 0.028 : 0.01))) perClass++;
      }
      expect(overall).toBeLessThanOrEqual(mostFailures(draws, delta));
      expect(perClass).toBeLessThanOrEqual(mostFailures(draws, delta));
    },
  );

  it("have the limit of the binomial tail, by enumeration", () => {
    for (const [n, level, delta] of [
      [30, 0.9, 0.1],
      [100, 0.9, 0.05],
      [60, 0.95, 0.05],
      [7, 0.6, 0.2],
    ]) {
      const own = Float64Array.from({ length: n }, (_, i) => (i + 1) / (n + 1));
      const probabilities = Matrix.from(Array.from(own, (p) => [p, 1 - p]));
      const rule = fitted({ probabilities, labels: new Int32Array(n) }, { level, confidence: 1 - delta });
      const [{ misses, probability }] = rule.limits;
      expect(binomialAtMost(misses, n, 1 - level)).toBeLessThanOrEqual(0.95 * delta);
      expect(binomialAtMost(misses + 1, n, 1 - level)).toBeGreaterThan(0.95 * delta);
      expect(probability).toBe(own[misses]);
      expect(keepsLevel(rule)).toBe(true);
    }
  });

  it("cover a uniform score with exactly the probability of the binomial tail", () => {
    // The coverage of the limit P₍ⱼ₊₁₎ of uniform probabilities is 1 − P₍ⱼ₊₁₎: too little if at most j of n are below 1 − level.
    const [n, level, delta, draws] = [40, 0.9, 0.1, 4000];
    const random = new Random(8);
    let failures = 0;
    for (let i = 0; i < draws; i++) {
      const probabilities = Matrix.from(Array.from({ length: n }, () => [random.uniform(), 0]));
      const [limit] = fitted(
        { probabilities, labels: new Int32Array(n) },
        { level, confidence: 1 - delta },
      ).limits;
      if (1 - limit.probability < level) failures++;
    }
    const exact = binomialAtMost(1, n, 1 - level);
    expect(exact).toBeLessThanOrEqual(delta);
    expect(Math.abs(failures / draws - exact)).toBeLessThan(3 * Math.sqrt((exact * (1 - exact)) / draws));
  });

  it("say which level is the largest if there are too few rows", () => {
    const rule = fitted(draw(40, new Random(1)), { level: 0.95, confidence: 0.95 });
    expect(keepsLevel(rule)).toBe(false);
    expect(rule.level).toBeCloseTo((0.95 * 0.05) ** (1 / 40), 12);
    expect(rule.limits[0].misses).toBe(0);
    expect(coverage(rule, draw(40, new Random(1)))).toBe(1);
  });

  it("have every class with too few rows, and never none", () => {
    const held = draw(300, new Random(2));
    const rule = fitted(held, { level: 0.9, confidence: 0.95, perClass: true });
    expect(rule.limits[2]).toMatchObject({ probability: 0, misses: 0 });
    expect(rule.limits[0].probability).toBeGreaterThan(0);
    const sets = computeSets(
      { perClass: false, limits: [{ probability: 0.9, rows: 9, misses: 0 }] },
      held.probabilities,
    );
    for (let row = 0; row < held.labels.length; row++) {
      const own = [...sets.subarray(3 * row, 3 * row + 3)];
      const best = held.probabilities.row(row).indexOf(Math.max(...held.probabilities.row(row)));
      expect(own).toEqual([0, 1, 2].map((c) => (c === best ? 1 : 0)));
    }
  });

  it("grow with level and confidence, and are smallest for sharp, true probabilities", () => {
    const held = draw(2000, new Random(6));
    const size = (level: number, confidence: number) => fitted(held, { level, confidence }).meanSize;
    expect(size(0.95, 0.95)).toBeGreaterThan(size(0.9, 0.95));
    expect(size(0.9, 0.99)).toBeGreaterThanOrEqual(size(0.9, 0.9));
    expect(fitted(held, { level: 0.9, confidence: 0.9, perClass: true }).meanSize).toBeGreaterThan(
      size(0.9, 0.9),
    );
  });

  it("count rows of unknown classes as not covered", () => {
    const { probabilities, labels } = draw(200, new Random(3));
    const few = labels.map((label, row) => (row < 5 ? -1 : label));
    const task = { level: 0.9, confidence: 0.9 };
    const known = fitted({ probabilities, labels }, task);
    const rule = fitted({ probabilities, labels: few }, task);
    expect(rule.limits[0].misses).toBe(known.limits[0].misses);
    expect(rule.limits[0].probability).toBeLessThan(known.limits[0].probability);
    expect(rule).toMatchObject({ level: 0.9, unknown: { rows: 5, of: 200 }, limits: [{ rows: 200 }] });
    const many = fitted({ probabilities, labels: labels.map((label, row) => (row < 50 ? -1 : label)) }, task);
    // The limit of the 150 known rows at level 90%, with a share of δ for their coverage and one for the other rows.
    const [{ rows, misses }] = many.limits;
    expect(many.unknown).toEqual({ rows: 50, of: 200 });
    expect(rows).toBe(150);
    expect(binomialAtMost(misses, 150, 0.1)).toBeLessThanOrEqual(0.005);
    expect(binomialAtMost(misses + 1, 150, 0.1)).toBeGreaterThan(0.005);
    expect(keepsLevel(many)).toBe(false);
    expect(many.level).toBeCloseTo(
      (1 - largestProbability(50, 200, 0.095)) * (1 - largestProbability(misses, 150, 0.005)),
      12,
    );
    expect(fitSets({ probabilities, labels: labels.map(() => -1) }, task)).toBeUndefined();
  });

  it.each([20, 60, 200])("fail in at most δ of samples of %i rows, however many classes are unknown", (n) => {
    const own = Array.from({ length: n }, (_, i) => (i + 1) / (n + 1));
    for (const [level, delta] of [
      [0.9, 0.05],
      [0.9, 0.2],
      [0.7, 0.05],
    ]) {
      const rules = own.map((_, u) => fitted(rowsWithUnknown(own, u), { level, confidence: 1 - delta }));
      // Counting unknown rows as misses and nothing else failed in up to 8.9% of samples at δ = 5%, and in 29% at δ = 20%.
      const claims: [risk: number, certified: number[]][] = [
        [delta, rules.map((rule) => rule.level)],
        ...[0.01, 0.2, 0.5].map((risk): [number, number[]] => [
          risk,
          rules.map((rule) => boundCoverage(rule, risk)),
        ]),
      ];
      for (const [risk, certified] of claims) {
        for (let pi = 0; pi < 0.5; pi += 0.01) {
          expect(failureOf(rules, certified, pi), `π = ${pi}, δ = ${risk}`).toBeLessThanOrEqual(risk);
        }
      }
    }
  });

  it("fail in at most δ of samples with unknown classes and few values of probabilities", () => {
    const [n, level, delta, draws] = [60, 0.9, 0.2, 600];
    for (const pi of [0.05, 0.095, 0.12, 0.2]) {
      const random = new Random(5);
      let failures = 0;
      for (let i = 0; i < draws; i++) {
        const unknown = Array.from({ length: n }, () => random.uniform() < pi).filter(Boolean).length;
        const own = Array.from(
          { length: n },
          () => [0.2, 0.5, 0.6, 0.9][random.integer(16) ? random.integer(3) + 1 : 0],
        );
        const rule = fitted(rowsWithUnknown(own, unknown), { level, confidence: 1 - delta });
        const limit = rule.limits[0].probability;
        const known = [1 / 16, 5 / 16, 5 / 16, 5 / 16].filter((_, k) => [0.2, 0.5, 0.6, 0.9][k] >= limit);
        if ((1 - pi) * known.reduce((sum, p) => sum + p, 0) < rule.level) failures++;
      }
      expect(failures, `π = ${pi}`).toBeLessThanOrEqual(mostFailures(draws, delta));
    }
  });

  it("take one row of each group", () => {
    const { probabilities, labels } = draw(300, new Random(3));
    const groups = Int32Array.from({ length: 300 }, (_, row) => row % 60);
    const rule = fitted({ probabilities, labels, groups }, { level: 0.9, confidence: 0.9 });
    expect(rule.limits[0].rows).toBe(60);
    const classes = fitted(
      { probabilities, labels, groups },
      { level: 0.9, confidence: 0.9, perClass: true },
    );
    const unknown = labels.map((label, row) => (row % 60 < 30 ? -1 : label));
    const some = fitted({ probabilities, labels: unknown, groups }, { level: 0.9, confidence: 0.9 });
    expect(some).toMatchObject({ unknown: { rows: 30, of: 60 }, limits: [{ rows: 30 }] });
    const withFirst = new Set(groups.filter((_, row) => labels[row] === 0)).size;
    expect(classes.limits[0].rows).toBe(withFirst);
  });

  it("cover a random row of a new group", () => {
    const draws = 100;
    let failures = 0;
    for (let i = 0; i < draws; i++) {
      const random = new Random(i);
      // All rows of a group have the same probability; a group of small probability has many rows.
      const values: number[] = [];
      const ids: number[] = [];
      for (let group = 0; group < 50; group++) {
        const p = random.uniform();
        for (let k = 0; k < (p < 0.5 ? 5 : 1); k++) {
          values.push(p);
          ids.push(group);
        }
      }
      const probabilities = Matrix.from(values.map((p) => [p]));
      const rows = { probabilities, labels: new Int32Array(values.length), groups: Int32Array.from(ids) };
      const [limit] = fitted(rows, { level: 0.8, confidence: 0.9 }).limits;
      if (limit.probability > 0.2) failures++;
    }
    expect(failures).toBeLessThanOrEqual(mostFailures(draws, 0.1));
    expect(failures).toBeGreaterThan(0);
  });

  it("refuse impossible input", () => {
    const rows = { probabilities: Matrix.from([[0.5, 0.5]]), labels: Int32Array.of(0) };
    const task = { level: 0.9, confidence: 0.9 };
    const bad: [ProbableRows, typeof task][] = [
      [rows, { ...task, level: 1 }],
      [rows, { ...task, level: 0 }],
      [rows, { ...task, level: Number.NaN }],
      [rows, { ...task, confidence: 1 }],
      [{ ...rows, labels: Int32Array.of(2) }, task],
      [{ ...rows, labels: Int32Array.of(-2) }, task],
      [{ ...rows, labels: Int32Array.of(0, 0) }, task],
      [{ ...rows, groups: Int32Array.of(0, 0) }, task],
      [{ ...rows, probabilities: Matrix.from([[Number.NaN, 1]]) }, task],
      [{ ...rows, probabilities: Matrix.from([[1.5, -0.5]]) }, task],
    ];
    for (const [given, wanted] of bad) expect(() => fitSets(given, wanted)).toThrowError(VouchError);
    expect(fitSets({ probabilities: new Matrix(0, 2), labels: new Int32Array(0) }, task)).toBeUndefined();
    const rule = fitted(rows, { ...task, perClass: true });
    expect(() => computeSets(rule, Matrix.from([[1]]))).toThrowError(VouchError);
  });

  it("are read back from a model file, and damaged ones are refused", () => {
    const rule = fitted(draw(300, new Random(2)), { level: 0.9, confidence: 0.95, perClass: true });
    expect(setRuleSchema.parse(JSON.parse(JSON.stringify(rule)))).toEqual(rule);
    for (const damage of [
      { level: 0.95 },
      { confidence: 1 },
      { perClass: false },
      { limits: [{ probability: 1.1, rows: 1, misses: 0 }] },
      { limits: [{ probability: 0.1, rows: 1, misses: 2 }] },
      { meanSize: -1 },
      { unknown: { rows: 9, of: 9 } },
      { more: 1 },
    ]) {
      expect(setRuleSchema.safeParse({ ...rule, ...damage }).success, JSON.stringify(damage)).toBe(false);
    }
    const overall = { ...rule, perClass: false, limits: [{ probability: 0.1, rows: 90, misses: 2 }] };
    for (const unknown of [undefined, { rows: 3, of: 90 }, { rows: 3, of: 93 }]) {
      expect(setRuleSchema.parse({ ...overall, unknown })).toEqual({ ...overall, unknown });
    }
    expect(setRuleSchema.safeParse({ ...overall, unknown: { rows: 3, of: 91 } }).success).toBe(false);
  });
});
