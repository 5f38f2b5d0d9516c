import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "#vouch/runtime/random.js";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import { logCascadeGrowth } from "#vouch/theory/cascades/cascade-certificates.js";
import {
  kernelMachineCertificates,
  sampleCompression,
} from "#vouch/theory/compression/sample-compression.js";
import { binomialAtMost } from "#vouch/theory/distributions.js";
import { heldOutBinomial } from "#vouch/theory/held-out/held-out.js";
import { growthFunction, growthFunctionExact } from "#vouch/theory/vc/growth-function.js";
import {
  logCommitteeGrowth,
  logHalfSpaceGrowth,
  logStumpGrowth,
} from "#vouch/theory/vc/growth-of-families.js";

/** All ways in which some functions label n points, as strings. */
function labellings(
  points: readonly (readonly number[])[],
  labellers: ((x: readonly number[]) => boolean)[],
): number {
  return new Set(labellers.map((labels) => points.map((x) => Number(labels(x))).join(""))).size;
}

describe("growth functions", () => {
  const random = new Random(5);
  const points = Array.from({ length: 6 }, () => [random.normal(), random.normal()]);

  it("of stumps is reached by points with different values, and not passed", () => {
    const cuts = points.flatMap((x) => x.map((value, feature) => ({ feature, value })));
    const stumps = cuts.flatMap(({ feature, value }) => [
      (x: readonly number[]) => x[feature] <= value,
      (x: readonly number[]) => x[feature] > value,
    ]);
    expect(Math.log(labellings(points, stumps))).toBeCloseTo(logStumpGrowth(6, 2), 12);
    // Three classes: 6 ordered pairs and 3 constants.
    expect(logStumpGrowth(6, 2, 3)).toBeCloseTo(Math.log(5 * 2 * 6 + 3), 12);
  });

  it("of half-spaces is reached by points in general position (Cover), and not passed", () => {
    const halfSpaces = Array.from({ length: 40_000 }, () => {
      const [a, b, c] = [random.normal(), random.normal(), random.normal()];
      return (x: readonly number[]) => a * x[0] + b * x[1] + c > 0;
    });
    // 2 (1 + 5 + 10) = 32 for lines in the plane.
    expect(logHalfSpaceGrowth(6, 3)).toBeCloseTo(Math.log(32), 12);
    expect(labellings(points, halfSpaces)).toBe(32);
    expect(logHalfSpaceGrowth(6, 40)).toBeCloseTo(6 * Math.LN2, 12);
  });

  it("of votes of two stumps is not passed by all such votes", () => {
    const line = Array.from({ length: 5 }, (_, i) => [i]);
    const votes: ((x: readonly number[]) => boolean)[] = [];
    for (let a = 0; a < 4; a++) {
      for (let b = a + 1; b < 4; b++) {
        for (let draw = 0; draw < 300; draw++) {
          const [u, v, w] = [random.normal(), random.normal(), random.normal()];
          votes.push(([x]) => u * (x <= a ? 1 : -1) + v * (x <= b ? 1 : -1) + w >= 0);
        }
      }
    }
    const count = labellings(line, votes);
    expect(count).toBeGreaterThan(Math.exp(logStumpGrowth(5, 1)));
    expect(count).toBeLessThanOrEqual(Math.exp(logCommitteeGrowth(5, 1, 2)) + 1e-9);
  });
});

describe("growth of cascades", () => {
  it("of one level is that of half-spaces", () => {
    expect(logCascadeGrowth(50, [4])).toBe(logHalfSpaceGrowth(50, 4));
    expect(logCascadeGrowth(5, [40, 40])).toBeCloseTo(5 * Math.LN2, 12);
  });

  it("is not passed by all cascades of two straight levels on a line", () => {
    const random = new Random(9);
    const line = Array.from({ length: 14 }, (_, i) => [i]);
    const cascades = Array.from({ length: 60_000 }, () => {
      const [a, b, c, d] = [random.normal(), 14 * random.normal(), random.normal(), 14 * random.normal()];
      const threshold = 10 * Math.abs(random.normal());
      return ([x]: readonly number[]) => {
        const first = a * x + b;
        return Math.abs(first) <= threshold ? c * x + d >= 0 : first >= 0;
      };
    });
    const count = labellings(line, cascades);
    // More than two half-lines can do: 2(n − 1) + 2.
    expect(count).toBeGreaterThan(28);
    expect(Math.log(count)).toBeLessThanOrEqual(logCascadeGrowth(14, [2, 2]));
    expect(logCascadeGrowth(200, [2, 2])).toBeLessThan(200 * Math.LN2);
  });
});

describe("the exact double sample", () => {
  /** P(at most k of r marked are among m of m + u), by counting. */
  function hypergeometric(k: number, m: number, u: number, r: number): number {
    const ways = (n: number, i: number) => {
      let product = 1;
      for (let t = 0; t < i; t++) product *= (n - t) / (t + 1);
      return i > n ? 0 : product;
    };
    let sum = 0;
    for (let i = 0; i <= k; i++) sum += ways(m, i) * ways(u, r - i);
    return sum / ways(m + u, r);
  }

  it("is the definition by counting", () => {
    const growth = 50;
    const { value, terms } = growthFunctionExact({
      rows: 20,
      errors: 1,
      confidence: 0.95,
      logGrowth: () => Math.log(growth),
    });
    let j = 4;
    while (hypergeometric(1, 20, 80, 1 + j) > (0.2 * 0.05) / growth) j++;
    expect(terms).toMatchObject({ j, u: 80 });
    expect(1 - binomialAtMost(j - 1, 80, value)).toBeCloseTo(0.2, 9);
  });

  it("is never above the constants 8 and 32, falls with rows, and rises with errors, growth and confidence", () => {
    const evidence = fc.record({
      rows: fc.integer({ min: 1, max: 1500 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      confidence: fc.double({ min: 0.5, max: 0.999, noNaN: true }),
      log: fc.double({ min: 0, max: 300, noNaN: true }),
    });
    fc.assert(
      fc.property(evidence, ({ rows, share, confidence, log }) => {
        const errors = Math.floor(share * (rows - 1));
        const at = (change: object, growth = log) =>
          growthFunctionExact({ rows, errors, confidence, logGrowth: () => growth, ...change }).value;
        const value = at({});
        expect(value).toBeGreaterThanOrEqual(errors / rows);
        expect(value).toBeLessThanOrEqual(1);
        expect(value).toBeLessThanOrEqual(growthFunction({ rows, errors, confidence, logGrowth: log }).value);
        expect(at({ errors: errors + 1 })).toBeGreaterThanOrEqual(value);
        expect(at({ confidence: confidence + (1 - confidence) / 2 })).toBeGreaterThanOrEqual(value);
        expect(at({}, log + 1)).toBeGreaterThanOrEqual(value);
        expect(at({ logChoices: 1 })).toBe(at({}, log + 1));
      }),
      { numRuns: 150, seed: 3 },
    );
  });

  it("says something at m = 600 where eq. 2.25 does not", () => {
    const logGrowth = (points: number) => logHalfSpaceGrowth(points, 10);
    const evidence = { rows: 600, errors: 18, confidence: 0.95, logGrowth };
    expect(growthFunctionExact(evidence).value).toBeLessThan(0.19);
    expect(growthFunction({ ...evidence, logGrowth: logGrowth(600) }).value).toBeGreaterThan(1.5);
  });

  it("says nothing, and why, where the family can label everything", () => {
    const certificate = growthFunctionExact({
      rows: 30,
      errors: 0,
      confidence: 0.95,
      logGrowth: (points) => points * Math.LN2,
    });
    expect(certificate.value).toBe(1);
    expect(certificate.reason).toContain("not below 1");
    expect(() =>
      growthFunctionExact({ rows: 9, errors: 0, confidence: 0.9, logGrowth: () => -1 }),
    ).toThrowError(VouchError);
  });
});

describe("sample compression", () => {
  const premises = [{ statement: "They determine it.", holds: true }];

  it("is the binomial tail at δ/(m C(m, d) M), by hand", () => {
    const { value, terms } = sampleCompression({
      rows: 100,
      kept: 2,
      errors: 3,
      logMessages: Math.log(8),
      confidence: 0.95,
      premises,
    });
    expect(binomialAtMost(3, 98, value)).toBeCloseTo(0.05 / (100 * 4950 * 8), 15);
    expect(terms).toMatchObject({ "other rows": 98, "rows that determine it": 2, delta: 0.05 });
    const none = sampleCompression({ rows: 600, kept: 75, errors: 0, confidence: 0.95, premises });
    expect(none.value).toBeCloseTo(1 - Math.exp(-(Math.log(600 / 0.05) + terms75()) / 525), 12);
    expect(none.value).toBeLessThan(0.4);
  });

  it("is the held-out bound for one classifier that was fixed before, but for the choice of d", () => {
    const { value } = sampleCompression({ rows: 200, kept: 0, errors: 9, confidence: 0.95, premises });
    expect(value).toBeCloseTo(
      heldOutBinomial({ rows: 200, errors: 9, confidence: 1 - 0.05 / 200 }).value,
      10,
    );
  });

  it("says nothing where all rows are kept, does not hold where they do not determine it, refuses the impossible", () => {
    const all = sampleCompression({ rows: 10, kept: 10, errors: 0, confidence: 0.95, premises });
    expect(all.value).toBe(1);
    expect(all.reason).toContain("not below 1");
    const failing = [{ statement: "They determine it.", holds: false }];
    const fault = "They do not.";
    const not = sampleCompression({
      rows: 10,
      kept: 1,
      errors: 0,
      confidence: 0.95,
      premises: failing,
      fault,
    });
    expect(not).toMatchObject({ holds: false, reason: fault, statement: `No guarantee: ${fault}` });
    for (const [kept, errors] of [
      [11, 0],
      [8, 3],
      [0.5, 0],
    ]) {
      expect(() => sampleCompression({ rows: 10, kept, errors, confidence: 0.95, premises })).toThrowError(
        VouchError,
      );
    }
  });

  it("goes on for tails that no number holds", () => {
    const { value } = sampleCompression({
      rows: 32_561,
      kept: 11_700,
      errors: 5,
      confidence: 0.95,
      premises,
    });
    expect(value).toBeGreaterThan(0.5);
    expect(value).toBeLessThan(0.8);
  });

  /** ln C(600, 75) as a sum. */
  function terms75(): number {
    let log = 0;
    for (let i = 1; i <= 75; i++) log += Math.log((525 + i) / i);
    return log;
  }
});

describe("kernel machines", () => {
  const facts = {
    rows: 500,
    errors: 10,
    confidence: 0.95,
    supportVectors: 60,
    otherErrors: 0,
    messages: 1,
    determined: { statement: "They determine it.", holds: true },
  };

  it("have bounds by support vectors, and by dimension where that is finite", () => {
    const linear = kernelMachineCertificates({ ...facts, dimension: 10 });
    expect(linear.map(({ name }) => name)).toEqual(["compression", "growth-function-exact", "vc"]);
    const rbf = kernelMachineCertificates({ ...facts, dimension: Number.POSITIVE_INFINITY });
    expect(rbf.map(({ name }) => name)).toEqual(["compression"]);
    expect(rbf[0]).toEqual(linear[0]);
    expect(kernelMachineCertificates({ ...facts, dimension: 10, messages: 501 })[0].value).toBeGreaterThan(
      linear[0].value,
    );
  });
});
