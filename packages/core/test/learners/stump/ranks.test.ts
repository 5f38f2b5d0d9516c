import fc from "fast-check";
import { expect, test } from "vitest";
import { fewDistinctValues, ranksOf } from "#core/learners/stump/prepare-column.js";

function check(values: readonly number[]): void {
  const column = Float64Array.from(values);
  const expected = [...new Set(values.map((value) => value + 0))].sort((a, b) => a - b);
  expect(fewDistinctValues(column, expected.length - 1)).toBeUndefined();
  const distinct = fewDistinctValues(column, expected.length) ?? expect.fail("there are no more values");
  expect([...distinct].map((value) => value + 0)).toEqual(expected);
  expect([...ranksOf(column, distinct)]).toEqual(values.map((value) => expected.indexOf(value + 0)));
}

test("ranks count the distinct values below, whatever the values", () => {
  const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });
  const oneOfFew = fc.integer({ min: -3, max: 3 });
  const values = fc.oneof(
    doubles,
    oneOfFew,
    fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, -0),
  );
  fc.assert(fc.property(fc.array(values, { minLength: 1, maxLength: 60 }), check), { numRuns: 500 });
});

test("ranks of many values: evenly spread, skewed, or nearly equal", () => {
  const indices = Array.from({ length: 1000 }, (_, i) => (i * 389) % 1000);
  check(indices);
  check(indices.map((i) => Math.exp(i / 2)));
  check(indices.map((i) => 1 + i * Number.EPSILON));
  check(indices.map((i) => i * Number.MIN_VALUE));
});
