import { describe, expect, it } from "vitest";
import { binomialInterval } from "#core/theory/held-out/binomial-interval.js";

/** P(Binomial(n, p) = k), multiplied out. */
function probability(k: number, n: number, p: number): number {
  let value = (1 - p) ** (n - k) * p ** k;
  for (let i = 0; i < k; i++) value *= (n - i) / (i + 1);
  return value;
}

function atMost(k: number, n: number, p: number): number {
  return Array.from({ length: k + 1 }, (_, i) => probability(i, n, p)).reduce((a, b) => a + b, 0);
}

describe("the interval of a share", () => {
  it.each([
    [1, 10],
    [3, 20],
    [19, 20],
  ])("ends where so few and so many as %i of %i have a chance of 2.5%%", (hits, rows) => {
    const [lower, upper] = binomialInterval(hits, rows);
    expect(atMost(hits, rows, upper)).toBeCloseTo(0.025, 9);
    expect(1 - atMost(hits - 1, rows, lower)).toBeCloseTo(0.025, 9);
  });

  it("begins at 0 where nothing happened, ends at 1 where it always did, and is everything without rows", () => {
    expect(binomialInterval(0, 10)).toEqual([0, expect.closeTo(1 - 0.025 ** (1 / 10), 9)]);
    expect(binomialInterval(10, 10)).toEqual([expect.closeTo(0.025 ** (1 / 10), 9), 1]);
    expect(binomialInterval(0, 0)).toEqual([0, 1]);
  });
});
