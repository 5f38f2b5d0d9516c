import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { deepCascadeDirect } from "#core/theory/cascades/direct-bound.js";
import { sampleCompression } from "#core/theory/compression/sample-compression.js";
import { binomialAtMost } from "#core/theory/distributions.js";
import { heldOutBinomial } from "#core/theory/held-out/held-out.js";
import { growthFunctionExact } from "#core/theory/vc/growth-function.js";

/**
 * Bounds on families of classifiers whose errors on the rows are independent coins. For such families a union bound is nearly
 * tight, so that a bound without one of its terms fails more often than δ = 0.5.
 */
const DELTA = 0.5;
const confidence = 1 - DELTA;
const DRAWS = process.env.VOUCH_NIGHTLY ? 4000 : 400;

/** With a failure rate of δ, more failures than this have a probability below 10⁻⁵: 4.3 standard deviations. */
const MOST = DRAWS * DELTA + 4.3 * Math.sqrt(DRAWS * DELTA * (1 - DELTA));

/**
 * Counts the draws in which each bound is below the error, if the best of some classifiers is chosen. All classifiers have the same
 * error p, so that P(fewest errors > k) = P(Binomial(rows, p) > k)^classifiers.
 */
function failuresOf(
  error: number,
  { classifiers, rows }: { readonly classifiers: number; readonly rows: number },
  boundsOf: (errors: number) => Readonly<Record<string, number>>,
): Map<string, number> {
  const random = new Random(5);
  const failures = new Map<string, number>();
  for (let draw = 0; draw < DRAWS; draw++) {
    const u = random.uniform();
    let errors = 0;
    while ((1 - binomialAtMost(errors, rows, error)) ** classifiers > u) errors++;
    for (const [name, bound] of Object.entries(boundsOf(errors)))
      failures.set(name, (failures.get(name) ?? 0) + Number(bound < error));
  }
  return failures;
}

describe.each([0.5, 0.2])("with an error of %d,", (error) => {
  it("sample compression needs the price of the subsets", () => {
    const rows = 40;
    // Every four rows determine a classifier of their own.
    const subsets = 91_390;
    const failures = failuresOf(error, { classifiers: subsets, rows: rows - 4 }, (errors) => {
      return {
        compression: sampleCompression({ rows, kept: 4, errors, confidence, premises: [] }).value,
        withoutSubsets: heldOutBinomial({ rows: rows - 4, errors, confidence: 1 - DELTA / rows }).value,
      };
    });
    expect(failures.get("compression")).toBeLessThan(MOST);
    expect(failures.get("withoutSubsets")).toBeGreaterThan(MOST);
  });

  it("sample compression needs the price of the messages", () => {
    const rows = 40;
    const messages = 2000;
    const failures = failuresOf(error, { classifiers: messages, rows }, (errors) => {
      const evidence = { rows, kept: 0, errors, confidence, premises: [] };
      return {
        compression: sampleCompression({ ...evidence, logMessages: Math.log(messages) }).value,
        withoutMessages: sampleCompression(evidence).value,
      };
    });
    expect(failures.get("compression")).toBeLessThan(MOST);
    expect(failures.get("withoutMessages")).toBeGreaterThan(MOST);
  });

  it("the growth function needs the number of labellings", () => {
    const rows = 20;
    const classifiers = 500;
    const failures = failuresOf(error, { classifiers, rows }, (errors) => {
      const bound = (logGrowth: number, logChoices: number) =>
        growthFunctionExact({ rows, errors, confidence, logGrowth: () => logGrowth, logChoices }).value;
      const log = Math.log(classifiers);
      return { growth: bound(log, 0), choices: bound(0, log), withoutGrowth: bound(0, 0) };
    });
    expect(failures.get("growth")).toBeLessThan(MOST);
    expect(failures.get("choices")).toBe(failures.get("growth"));
    expect(failures.get("withoutGrowth")).toBeGreaterThan(MOST);
  });

  it("the direct bound for cascades needs the number of families", () => {
    const rows = 40;
    // Families of one function each, whose Rademacher complexity is 0; a cascade of one leaf is one of them.
    const families = 20_000;
    const failures = failuresOf(error, { classifiers: families, rows }, (wrong) => {
      const leaves = [{ correct: rows - wrong, wrong, complexity: 0 }];
      const evidence = { rows, confidence, leaves, gatesChosen: true, mostLeaves: 1 };
      return {
        direct: deepCascadeDirect({ ...evidence, families }).value,
        withoutFamilies: deepCascadeDirect({ ...evidence, families: 1 }).value,
      };
    });
    expect(failures.get("direct")).toBeLessThan(MOST);
    expect(failures.get("withoutFamilies")).toBeGreaterThan(MOST);
  });
});
