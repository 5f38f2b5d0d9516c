import fc from "fast-check";
import { expect, test } from "vitest";
import { countBelow } from "#core/runtime/maths/sort.js";

test("countBelow counts, in any part of an ascending array with repeated values", () => {
  const values = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 40 });
  fc.assert(
    fc.property(values, fc.nat(40), fc.nat(40), fc.integer({ min: -6, max: 6 }), (list, a, b, x) => {
      const ascending = Float64Array.from(list).sort();
      const from = Math.min(a, b, list.length);
      const to = Math.min(Math.max(a, b), list.length);
      const expected = ascending.subarray(from, to).filter((value) => value < x).length;
      expect(countBelow(ascending, from, to, x)).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});
