import fc from "fast-check";
import { expect, test } from "vitest";
import { type GateEdge, nearGates } from "#core/learners/cascade/near-gates.js";
import { correctOf } from "#core/learners/cascade/node-machine.js";
import { pointsOfFraction } from "#core/learners/cascade/search-space.js";
import { kernelMatrix } from "#core/learners/kernel/kernel-matrix.js";
import { solveSvm } from "#core/learners/svm/solver.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun } from "#core/runtime/parallel/run.js";

const labels = [1, -1, 1, 1, -1];
const rows = Int32Array.of(0, 1, 2, 3, 4);

/** Gates of the five points, whose values have no noise. */
const gatesOf = (values: readonly number[], fractions: readonly number[], edge: GateEdge) =>
  nearGates(signed(values), rows, { fractions, edge, tolerance: 0 });

/** The margins of the five points. */
const signed = (values: readonly number[]) => values.map((value, i) => value * labels[i]);

test("a gate passes on the points up to the ⌈μn⌉-th smallest distance and counts the others", () => {
  //               right  wrong wrong right right
  const values = [0.5, 3, -1, 0.1, -2];
  const [first, second] = gatesOf(values, [0.2, 0.5], "closed");
  // ⌈0.2·5⌉ = 1: distance ≤ 0.1, row 3. ⌈0.5·5⌉ = 3: distance ≤ 1, rows 0, 2, 3.
  expect(first).toEqual({ fraction: 0, rows: Int32Array.of(3), correct: 2, wrong: 2 });
  expect(second).toEqual({ fraction: 1, rows: Int32Array.of(0, 2, 3), correct: 1, wrong: 1 });
  const [strict] = gatesOf(values, [0.5], "strict");
  expect(strict).toEqual({ fraction: 0, rows: Int32Array.of(0, 3), correct: 1, wrong: 2 });
});

test("ties go on together; a value of zero is wrong", () => {
  const values = [1, -1, 0, 2, 2];
  const gates = gatesOf(values, [0.4], "closed");
  expect(gates).toEqual([{ fraction: 0, rows: Int32Array.of(0, 1, 2), correct: 1, wrong: 1 }]);
  expect(correctOf(signed(values))).toBe(3);
});

test("gates that pass on all points or none are left out", () => {
  const values = [1, 1, 1, 2, 2];
  const closed = gatesOf(values, [0.2, 0.4, 0.6, 0.8, 1], "closed");
  expect(closed.map(({ fraction }) => fraction)).toEqual([0, 1, 2]);
  // Strictly below 1 there is nothing; strictly below 2 there are three.
  expect(gatesOf(values, [0.2, 0.8, 1], "strict").map(({ fraction }) => fraction)).toEqual([1, 2]);
  expect(gatesOf([1, 1, 1, 1, 1], [0.1, 1], "closed")).toEqual([]);
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
        const values = points.map(({ value, label }) => value * label);
        const gates = nearGates(values, own, {
          fractions: [0.1, 0.3, 0.5, 0.9, 1],
          edge: kind,
          tolerance: 0,
        });
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

/** The rows that go on with each of these fractions. */
function passed(values: readonly number[], fractions: readonly number[], edge: GateEdge, tolerance: number) {
  const own = Int32Array.from(values, (_, i) => i);
  const gates = nearGates(values, own, { fractions, edge, tolerance });
  return gates.map(({ fraction, rows: on }) => [fraction, ...on]);
}

const NINE = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

test("noise within the solver's tolerance does not change which rows pass", () => {
  const tolerance = 0.01;
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 30 }),
      // Places of other rows, more than two tolerances from each other and from 1.
      fc.uniqueArray(
        fc.integer({ min: 0, max: 60 }).filter((place) => place !== 20),
        { maxLength: 30 },
      ),
      fc.integer(),
      fc.constantFrom("closed" as const, "strict" as const),
      (tied, places, seed, edge) => {
        const random = new Random(seed);
        const distances = [...new Array<number>(tied).fill(1), ...places.map((place) => place / 20)];
        const noisy = distances.map((distance) => distance + tolerance * (2 * random.uniform() - 1));
        const signed = noisy.map((distance) => (random.uniform() < 0.5 ? -distance : distance));
        expect(passed(signed, NINE, edge, tolerance)).toEqual(passed(distances, NINE, edge, 0));
      },
    ),
  );
});

test("equal points pass together although their values differ by rounding", () => {
  const values = [0.3, -0.3 * (1 + 1e-15), 0.3 * (1 - 1e-15), 0.5, 0.7];
  for (const edge of ["closed", "strict"] as const) {
    expect(passed(values, NINE, edge, 0)).toEqual(passed([0.3, 0.3, 0.3, 0.5, 0.7], NINE, edge, 0));
  }
});

test("no gate divides the free support vectors of a machine", async () => {
  const random = new Random(3);
  const points = Array.from({ length: 200 }, () => Array.from({ length: 8 }, () => random.normal()));
  const signs = Int8Array.from(points, ([x, y]) => (x + y * y - 1 + random.normal() > 0 ? 1 : -1));
  const own = Int32Array.from(points.keys());
  const kernel = await kernelMatrix(
    Matrix.from(points),
    { kind: "polynomial", degree: 3, scale: 1 / 8 },
    completeRun({}),
  );
  try {
    for (const tolerance of [1e-1, 1e-3, 1e-6]) {
      const upperBounds = new Float64Array(own.length).fill(1);
      const problem = { kernel, rows: own, labels: signs, upperBounds };
      const { coefficients, decisionValues } = await solveSvm(problem, { tolerance, maxIterations: 1e6 });
      const margins = decisionValues.map((value, i) => value * signs[i]);
      const free = own.filter((i) => Math.abs(coefficients[i]) > 0 && Math.abs(coefficients[i]) < 1);
      expect(free.length).toBeGreaterThan(40);
      let between = 0;
      for (const edge of ["closed", "strict"] as const) {
        for (const { rows: on } of nearGates(margins, own, {
          fractions: NINE,
          edge,
          tolerance,
        })) {
          const going = new Set(on);
          expect([0, free.length]).toContain(free.filter((row) => going.has(row)).length);
        }
        const loose = nearGates(margins, own, { fractions: NINE, edge, tolerance: 0 });
        for (const { rows: on } of loose) {
          const count = free.filter((row) => on.includes(row)).length;
          if (count > 0 && count < free.length) between++;
        }
      }
      // Without the tolerance some gates do divide them.
      expect(between).toBeGreaterThan(0);
    }
  } finally {
    kernel.release();
  }
});
