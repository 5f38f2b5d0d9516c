import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { binomialAtMost } from "#core/theory/distributions.js";
import { testedHalves } from "#core/theory/forests/tested-halves.js";
import { fault } from "../fault.js";

const evidence = { rows: 200, confidence: 0.95 };

describe("the bound for a committee of two tested halves", () => {
  it("is the sum of two exact binomial bounds at half of δ", () => {
    const { value, terms, holds } = testedHalves({
      ...evidence,
      first: { rows: 100, errors: 0 },
      second: { rows: 100, errors: 7 },
    });
    const second = terms["error of the second half, at most"];
    expect(holds).toBe(true);
    expect(binomialAtMost(7, 100, second)).toBeCloseTo(0.025, 12);
    expect(value).toBeCloseTo(1 - 0.025 ** (1 / 100) + second, 12);
  });

  it("grows with errors, falls with rows and confidence, and is vacuous without rows", () => {
    const at = (rows: number, errors: number, confidence = 0.95) =>
      testedHalves({
        rows: 2 * rows,
        confidence,
        first: { rows, errors },
        second: { rows, errors },
      }).value;
    expect(at(100, 6)).toBeGreaterThan(at(100, 5));
    expect(at(200, 10)).toBeLessThan(at(100, 5));
    expect(at(100, 5, 0.99)).toBeGreaterThan(at(100, 5));
    const none = testedHalves({
      ...evidence,
      first: { rows: 0, errors: 0 },
      second: { rows: 9, errors: 0 },
    });
    expect(none.value).toBeGreaterThan(1);
    expect(none.reason).toContain("vacuous");
  });

  it("rejects more errors than rows", () => {
    const call = () =>
      testedHalves({
        ...evidence,
        first: { rows: 3, errors: 4 },
        second: { rows: 9, errors: 0 },
      });
    expect(fault(call).message).toContain("4 errors of a half on 3 rows");
  });
});

/**
 * A finite distribution: cell x of 6 has the class 1 with probability P[x]. Each half learns the share of ones in each cell from its
 * own rows, and the committee averages the two shares. Its error is a sum over the cells.
 */
describe("coverage of the bound, on an enumerated distribution", () => {
  const P = [0.02, 0.1, 0.3, 0.7, 0.95, 0.99];

  function committee(rows: number, random: Random) {
    const draw = () =>
      Array.from({ length: rows / 2 }, () => {
        const x = random.integer(P.length);
        return { x, y: Number(random.uniform() < P[x]) };
      });
    const parts = [draw(), draw()];
    const shares = parts.map((part) =>
      P.map((_, x) => {
        const own = part.filter((row) => row.x === x);
        return (own.reduce((sum, { y }) => sum + y, 0) + 0.5) / (own.length + 1);
      }),
    );
    const halves = shares.map((share, half) => {
      const test = parts[1 - half];
      // A tie is an error of a half, whatever the class.
      const errors = test.filter(({ x, y }) => share[x] === 0.5 || Number(share[x] > 0.5) !== y).length;
      return { rows: test.length, errors };
    });
    const error = P.reduce((sum, p, x) => {
      const says = shares[0][x] + shares[1][x] > 1;
      return sum + (says ? 1 - p : p) / P.length;
    }, 0);
    const [first, second] = halves;
    return { first, second, error };
  }

  it("fails in no more than δ of the samples, and is informative", () => {
    const random = new Random(5);
    const failures = { bound: 0, one: 0 };
    let useful = 0;
    for (let sample = 0; sample < 2000; sample++) {
      const { first, second, error } = committee(60, random);
      const { value } = testedHalves({ rows: 60, confidence: 0.75, first, second });
      failures.bound += Number(value < error);
      // The measured error of one half, taken for that of the committee, is often too small: the test can fail.
      failures.one += Number(first.errors / first.rows < error);
      useful += Number(value < 1);
    }
    expect(failures.bound).toBeLessThan(0.25 * 2000);
    expect(failures.one).toBeGreaterThan(400);
    expect(useful).toBeGreaterThan(1800);
  });

  it("is exact for one half: the bound fails for the sum of independent halves about as often as it may", () => {
    // Two fixed classifiers of error 0.2 each, tested on 30 rows: the share of samples with p₁ < 0.2 or p₂ < 0.2 is at most δ.
    const random = new Random(9);
    let misses = 0;
    for (let sample = 0; sample < 4000; sample++) {
      const errors = () =>
        Array.from({ length: 30 }, () => Number(random.uniform() < 0.2)).reduce((a, b) => a + b);
      const { terms } = testedHalves({
        rows: 60,
        confidence: 0.8,
        first: { rows: 30, errors: errors() },
        second: { rows: 30, errors: errors() },
      });
      const low = ["first", "second"].some((half) => terms[`error of the ${half} half, at most`] < 0.2);
      misses += Number(low);
    }
    expect(misses / 4000).toBeLessThan(0.2);
    expect(misses / 4000).toBeGreaterThan(0.05);
  });
});
