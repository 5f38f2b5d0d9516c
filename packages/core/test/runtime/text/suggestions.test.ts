import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnHint, didYouMean, nearestName } from "#core/runtime/text/suggestions.js";

/** Optimal string alignment distance by the recurrence of textbooks. */
function plainDistance(a: string, b: string): number {
  const at = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    return Math.min(
      at(i - 1, j) + 1,
      at(i, j - 1) + 1,
      at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
      swap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
    );
  };
  return at(a.length, b.length);
}

describe("nearestName", () => {
  it("has the smallest edit distance, up to one edit in three characters, and is the first of several", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 5 }), (name, candidates) => {
        const near = candidates
          .map((candidate) => ({ candidate, distance: plainDistance(name, candidate) }))
          .filter(({ distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
          .sort((a, b) => a.distance - b.distance);
        expect(nearestName(name, candidates)).toBe(near[0]?.candidate);
      }),
    );
  });

  it("finds typing errors in any case", () => {
    expect(nearestName("lable", ["id", "label", "table"])).toBe("label");
    expect(nearestName("ADABOOST", ["stump", "adaboost"])).toBe("adaboost");
    expect(nearestName("petal_lenght", ["petal_width", "petal_length"])).toBe("petal_length");
  });

  it("suggests nothing if no name is near", () => {
    expect(nearestName("zzz", ["label", "target"])).toBeUndefined();
    expect(nearestName("x", [])).toBeUndefined();
    expect(didYouMean("zzz", ["label"])).toBeUndefined();
  });

  it("phrases the suggestion", () => {
    expect(didYouMean("colour", ["color"])).toBe('Did you mean "color"?');
  });

  it("lists the columns if none is near, but not a thousand of them", () => {
    expect(columnHint("colour", ["length", "color"])).toBe('Did you mean "color"?');
    expect(columnHint("zzz", ["length", "width"])).toBe("The columns are length, width.");
    const many = Array.from({ length: 1020 }, (_, i) => `c${i}`);
    expect(columnHint("nothing", many)).toMatch(/^The columns are c0, c1, .*, c19 and 1,000 more\.$/);
  });

  it("compares names of absurd length only up to case", () => {
    const long = "x".repeat(200_000);
    expect(nearestName(long.toUpperCase(), [`${long}y`, `${long.slice(1)}y`, long])).toBe(long);
  });

  it("is quick among 100,000 long names", () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `measurement_${i}`);
    expect(nearestName("measurement_77777x", names)).toBe("measurement_77777");
  });
});
