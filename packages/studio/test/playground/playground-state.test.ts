import { parseSettings } from "@vouch/core/internal/learners/settings";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLearner, learnerNamed, learnerNames } from "vouch";
import { MOST_POINTS, snapped } from "#studio/playground/drawn-points.js";
import { problemNames } from "#studio/playground/plane-problem.js";
import { exampleHash, playgroundExamples } from "#studio/playground/playground-examples.js";
import { initialState, stateFrom, writeHash } from "#studio/playground/playground-state.js";

const point = fc
  .tuple(
    fc.double({ min: -2, max: 2, noNaN: true }),
    fc.double({ min: -2, max: 2, noNaN: true }),
    fc.integer({ min: 0, max: 5 }),
  )
  .map(([x, y, k]) => snapped(x, y, k));

const state = fc.record({
  problem: fc.constantFrom(...problemNames),
  rows: fc.integer({ min: 20, max: 1000 }),
  noise: fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0),
  classes: fc.integer({ min: 2, max: 6 }),
  seed: fc.integer({ min: 0, max: 1_000_000 }),
  points: fc.array(point, { maxLength: 40 }),
  learner: fc.constantFrom("adaboost", "mlp", "deep-cascade-svm"),
  settings: fc.dictionary(fc.constantFrom("rounds", "base", "base.C", "kernelGammas"), fc.string()),
});

describe("the address of the playground", () => {
  it("holds every state", () => {
    fc.assert(
      fc.property(state, (given) => {
        const { state: read, faults } = stateFrom(writeHash(given));
        expect(faults).toEqual([]);
        expect(read).toEqual({ ...given, settings: { ...given.settings } });
      }),
    );
  });

  it("is short: defaults are left out, and a point takes four letters", () => {
    expect(writeHash(initialState)).toBe("#playground");
    expect(writeHash({ ...initialState, learner: "mddf", seed: 7 })).toBe("#playground?seed=7&learner=mddf");
    const points = Array.from({ length: MOST_POINTS }, (_, i) => snapped(i / 400, -i / 400, i % 6));
    expect(writeHash({ ...initialState, problem: "drawn", points }).length).toBeLessThan(1700);
  });

  it("names what is wrong in a link and takes the default instead", () => {
    const { state: read, faults } = stateFrom(
      "#playground?problem=moon&rows=3&noise=x&points=AAA&colour=red&learner=svm",
    );
    expect(read).toEqual({ ...initialState, learner: "svm" });
    expect(faults.join("\n")).toMatch(
      /"moon".*\n.*rows to "3".*20 to 1000.*\n.*noise.*\n.*points.*\n.*"colour"/,
    );
  });

  it("has an example of every learner, with options that it has", async () => {
    expect(playgroundExamples.map(({ learner }) => learner)).toEqual(learnerNames());
    for (const example of playgroundExamples) {
      expect(stateFrom(exampleHash(example))).toEqual({ state: example.state, faults: [] });
      const kind = await learnerNamed(example.learner);
      const settings = Object.entries(example.state.settings).map(([name, value]) => `${name}=${value}`);
      await expect(createLearner(example.learner, parseSettings(kind, settings))).resolves.toBeDefined();
    }
  });

  it("keeps drawn points where they were, to a thousandth of the picture", () => {
    const { x, y } = snapped(0.3, -0.7, 2);
    expect(Math.abs(x - 0.3)).toBeLessThan(0.00125);
    expect(Math.abs(y + 0.7)).toBeLessThan(0.00125);
  });
});
