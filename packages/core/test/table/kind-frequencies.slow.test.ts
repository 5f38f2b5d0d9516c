import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { areImpossible, frequenciesOf, largestShare } from "#core/table/kind-frequencies.js";

const range = (length: number) => Array.from({ length }, (_, i) => i);

describe("largestShare", () => {
  it("is the closed form for a count of two among one to three", () => {
    // λ/2 / (1 + λ/2 + λ²/6) is largest for λ = √6.
    const half = Math.sqrt(6) / 2;
    expect(largestShare(2, 2, 1, 3)).toBeCloseTo(half / (2 + half), 12);
  });

  it.each([
    [5, 5, 1, 10],
    [8, 11, 2, 18],
    [100, 100, 80, 120],
    [2, 3, 1, 7],
  ])("is the maximum over rates for %d to %d among %d to %d", (a, b, wideA, wideB) => {
    const logFactorial = (k: number) => range(k).reduce((sum, i) => sum + Math.log(i + 1), 0);
    const sum = (from: number, to: number, rate: number) =>
      range(to - from + 1).reduce(
        (s, i) => s + Math.exp((from + i) * Math.log(rate) - logFactorial(from + i)),
        0,
      );
    const best = Math.max(
      ...range(1000).map((i) => {
        const rate = ((i + 1) / 500) * wideB;
        return sum(a, b, rate) / sum(wideA, wideB, rate);
      }),
    );
    expect(largestShare(a, b, wideA, wideB)).toBeCloseTo(best, 4);
  });
});

/** Kinds of rows that are drawn independently. */
const independent: [string, (random: Random) => number][] = [
  ["uniform on 10 kinds", (random) => random.integer(10)],
  ["uniform on 100 kinds", (random) => random.integer(100)],
  ["uniform on 5000 kinds", (random) => random.integer(5000)],
  ["Zipf-distributed", (random) => Math.floor(1 / (1 - random.uniform()))],
  ["half from 12 templates", (random) => (random.uniform() < 0.5 ? random.integer(12) : random.bits())],
  ["half from 20 templates", (random) => (random.uniform() < 0.5 ? random.integer(20) : random.bits())],
];

/** Lists each of some kinds as often as it was copied. */
const copied = (kinds: number, times: (kind: number) => number) =>
  frequenciesOf(Float64Array.from(range(kinds).flatMap((kind) => range(times(kind)).map(() => kind))));

describe("areImpossible", () => {
  it.each(independent)("is false for independent rows, %s", (_, draw) => {
    let alarms = 0;
    for (let seed = 0; seed < 200; seed++) {
      const random = new Random(seed);
      const rows = seed % 2 === 0 ? 300 : 3000;
      const kinds = Float64Array.from({ length: rows }, () => draw(random)).sort();
      if (areImpossible(frequenciesOf(kinds))) alarms++;
    }
    expect(alarms).toBeLessThanOrEqual(1);
  });

  it.each([2, 3, 5, 8, 10, 20, 100])("is true for 20 rows, each %d times", (times) => {
    expect(areImpossible(copied(20, () => times))).toBe(true);
  });

  it("is true for copies of some rows, and for numbers of copies that vary", () => {
    expect(areImpossible(copied(50, (kind) => (kind % 4 === 0 ? 10 : 1)))).toBe(true);
    const random = new Random(1);
    expect(areImpossible(copied(50, () => 8 + random.integer(5)))).toBe(true);
  });
});
