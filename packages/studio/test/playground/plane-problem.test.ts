import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  generatePoints,
  halfSide,
  type PlanePoints,
  problemNames,
} from "#studio/playground/plane-problem.js";
import { initialState } from "#studio/playground/playground-state.js";

const generated = problemNames.filter((name) => name !== "drawn");

function radii({ x, y }: PlanePoints): number[] {
  return Array.from(x, (value, i) => Math.hypot(value, y[i]));
}

describe("problems in the plane", () => {
  it("are the same for the same settings and differ by seed", () => {
    const settings = fc.record({
      problem: fc.constantFrom(...generated),
      rows: fc.integer({ min: 20, max: 200 }),
      noise: fc.double({ min: 0.01, max: 1, noNaN: true }),
      classes: fc.integer({ min: 2, max: 6 }),
      seed: fc.integer({ min: 0, max: 1000 }),
    });
    fc.assert(
      fc.property(settings, (given) => {
        const state = { ...initialState, ...given };
        expect(generatePoints(state)).toEqual(generatePoints(state));
        expect(generatePoints({ ...state, seed: given.seed + 1 })).not.toEqual(generatePoints(state));
      }),
    );
  });

  it("have all classes, equally often, and lie in the square that is shown", () => {
    for (const problem of generated) {
      const state = { ...initialState, problem, rows: 120, classes: 4 };
      const points = generatePoints(state);
      const counts = new Map<number, number>();
      for (const k of points.classOf) counts.set(k, (counts.get(k) ?? 0) + 1);
      if (problem !== "xor") expect(new Set(counts.values()).size).toBe(1);
      expect(counts.size).toBe(problem === "moons" || problem === "xor" ? 2 : 4);
      expect(Math.max(...points.x, ...points.y)).toBeLessThan(halfSide(points));
    }
  });

  it("are what their names say, without noise", () => {
    const exact = { ...initialState, noise: 0, classes: 3 };
    const circles = generatePoints({ ...exact, problem: "circles" });
    radii(circles).forEach((radius, i) => {
      expect(radius).toBeCloseTo((0.95 * (circles.classOf[i] + 1)) / 3, 10);
    });
    const xor = generatePoints({ ...exact, problem: "xor" });
    xor.classOf.forEach((k, i) => {
      expect(k).toBe(xor.x[i] * xor.y[i] > 0 ? 0 : 1);
    });
    const blobs = generatePoints({ ...exact, problem: "blobs" });
    expect(new Set(Array.from(blobs.x, (x, i) => `${x},${blobs.y[i]}`)).size).toBe(3);
  });
});
