import fc from "fast-check";
import { expect, test } from "vitest";
import { nearGates } from "#vouch/learners/cascade/kernel-family.js";
import { correctOf } from "#vouch/learners/cascade/node-machine.js";
import { pointsOfFraction } from "#vouch/learners/cascade/search-space.js";

const labels = Int8Array.of(1, -1, 1, 1, -1, 9, 9);
const rows = Int32Array.of(0, 1, 2, 3, 4);

test("a gate passes on the points up to the ⌈μn⌉-th smallest distance and counts the others", () => {
  //               right  wrong wrong right right
  const values = [0.5, 3, -1, 0.1, -2];
  const [first, second] = nearGates(values, rows, labels, [0.2, 0.5], "closed");
  // ⌈0.2·5⌉ = 1: distance ≤ 0.1, row 3. ⌈0.5·5⌉ = 3: distance ≤ 1, rows 0, 2, 3.
  expect(first).toEqual({ fraction: 0, rows: Int32Array.of(3), correct: 2, wrong: 2 });
  expect(second).toEqual({ fraction: 1, rows: Int32Array.of(0, 2, 3), correct: 1, wrong: 1 });
  const [strict] = nearGates(values, rows, labels, [0.5], "strict");
  expect(strict).toEqual({ fraction: 0, rows: Int32Array.of(0, 3), correct: 1, wrong: 2 });
});

test("ties go on together; a value of zero is wrong", () => {
  const values = [1, -1, 0, 2, 2];
  const gates = nearGates(values, rows, labels, [0.4], "closed");
  expect(gates).toEqual([{ fraction: 0, rows: Int32Array.of(0, 1, 2), correct: 1, wrong: 1 }]);
  expect(correctOf(values, rows, labels)).toBe(3);
});

test("gates that pass on all points or none are left out", () => {
  const values = [1, 1, 1, 2, 2];
  const closed = nearGates(values, rows, labels, [0.2, 0.4, 0.6, 0.8, 1], "closed");
  expect(closed.map(({ fraction }) => fraction)).toEqual([0, 1, 2]);
  // Strictly below 1 there is nothing; strictly below 2 there are three.
  expect(nearGates(values, rows, labels, [0.2, 0.8, 1], "strict").map(({ fraction }) => fraction)).toEqual([
    1, 2,
  ]);
  expect(nearGates([1, 1, 1, 1, 1], rows, labels, [0.1, 1], "closed")).toEqual([]);
});

test("fractions that are whole numbers of points up to rounding are not rounded up", () => {
  expect(0.55 * 100).toBeGreaterThan(55);
  expect(pointsOfFraction(0.55, 100)).toBe(55);
  expect(pointsOfFraction(0.501, 100)).toBe(51);
  expect(pointsOfFraction(1e-6, 100)).toBe(1);
});

test("every gate divides the rows, and a larger fraction never passes on fewer", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ value: fc.integer({ min: -3, max: 3 }), label: fc.constantFrom(-1, 1) }), {
        minLength: 1,
      }),
      fc.constantFrom("closed" as const, "strict" as const),
      (points, kind) => {
        const own = Int32Array.from(points, (_, i) => i);
        const signs = Int8Array.from(points, ({ label }) => label);
        const values = points.map(({ value }) => value);
        const gates = nearGates(values, own, signs, [0.1, 0.3, 0.5, 0.9, 1], kind);
        let last = 0;
        for (const { rows: on, correct, wrong } of gates) {
          expect(on.length + correct + wrong).toBe(points.length);
          expect(on.length).toBeGreaterThanOrEqual(Math.max(1, last));
          last = on.length;
          const farthest = Math.max(...on.map((row) => Math.abs(values[row])));
          const stay = own.filter((row) => !on.includes(row));
          expect(stay.every((row) => Math.abs(values[row]) > farthest)).toBe(true);
        }
        expect(last).toBeLessThan(points.length);
      },
    ),
  );
});
