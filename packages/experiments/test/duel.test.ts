import { describe, expect, it } from "vitest";
import { duelOf, signTest } from "#experiments/duel.js";

describe("a duel", () => {
  it("counts the rows that only one side gets right", () => {
    const labels = Int32Array.of(0, 0, 1, 1, 2);
    const own = Int32Array.of(0, 1, 1, 1, 0);
    const others = Int32Array.of(0, 0, 0, 0, 1);
    // Row 2 is theirs, rows 3 and 4 ours; row 5 is wrong for both, row 1 right for both.
    expect(duelOf(own, others, labels)).toEqual({ won: 2, lost: 1 });
  });
});

describe("the sign test", () => {
  it("is the tail of a fair coin", () => {
    expect(signTest({ won: 0, lost: 0 })).toBe(1);
    expect(signTest({ won: 0, lost: 7 })).toBeCloseTo(1, 12);
    expect(signTest({ won: 5, lost: 0 })).toBeCloseTo(1 / 32, 12);
    // (C(10,8) + C(10,9) + C(10,10)) / 2¹⁰
    expect(signTest({ won: 8, lost: 2 })).toBeCloseTo(56 / 1024, 12);
  });

  it("does not overflow", () => {
    expect(signTest({ won: 1000, lost: 1000 })).toBeCloseTo(0.5, 1);
    expect(signTest({ won: 2000, lost: 0 })).toBe(0);
  });
});
