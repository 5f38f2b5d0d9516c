import { describe, expect, it } from "vitest";
import { threadExecutor } from "vouch";
import { completeRun } from "vouch/extend";
import { learnedHierarchies } from "#experiments/relaxed-hierarchy/hierarchies.js";
import { affordableSchemes, schemes } from "#experiments/relaxed-hierarchy/schemes.js";
import { hierarchyTradeoff, pointsOn } from "#experiments/relaxed-hierarchy/tradeoff.js";
import {
  aboveTheLine,
  nearOneVsOne,
  type SchemePoint,
} from "#experiments/relaxed-hierarchy/tradeoff-page.js";

const run = { ...completeRun({ seed: 5 }), scale: "quick" } as const;

function point(name: string, accuracy: number, kernel: number, rho?: number): SchemePoint {
  return { name, accuracy, kernel, nodes: 1, machines: 1, microseconds: 1, ...(rho && { rho }) };
}

const classical = [
  point("one-vs-one", 0.98, 1000),
  point("one-vs-rest", 0.97, 900),
  point("DAGSVM", 0.96, 500),
  point("balanced hierarchy", 0.9, 100),
];

describe("verdicts", () => {
  it("above the line: better than the mixture of balanced hierarchy and DAGSVM, and not beaten by a classical scheme", () => {
    const verdict = (accuracy: number, cost: number) =>
      aboveTheLine({ schemes: [...classical, point("relaxed", accuracy, cost, 0.1)] }, "evaluations")
        .length === 1;
    // On the line at cost 300 lies 0.93.
    expect(verdict(0.94, 300)).toBe(true);
    expect(verdict(0.92, 300)).toBe(false);
    expect(verdict(0.9299, 300)).toBe(false);
    // Beyond the ends: better than the nearer end is needed.
    expect(verdict(0.89, 50)).toBe(false);
    expect(verdict(0.91, 50)).toBe(true);
    expect(verdict(0.965, 600)).toBe(true);
    // DAGSVM is as accurate and cheaper.
    expect(verdict(0.96, 600)).toBe(false);
  });

  it("near one-vs-one: at most half a point below, at a fifth of its evaluations", () => {
    const verdict = (accuracy: number, cost: number) =>
      nearOneVsOne({ schemes: [...classical, point("relaxed", accuracy, cost, 0.1)] }, "evaluations")
        .length === 1;
    expect(verdict(0.976, 200)).toBe(true);
    expect(verdict(0.976, 201)).toBe(false);
    expect(verdict(0.974, 200)).toBe(false);
    expect(verdict(0.99, 100)).toBe(true);
  });

  it("classical schemes are never listed", () => {
    for (const measure of ["evaluations", "nodes"] as const) {
      expect(aboveTheLine({ schemes: classical }, measure)).toEqual([]);
      expect(nearOneVsOne({ schemes: classical }, measure)).toEqual([]);
    }
  });

  it("cost can be counted in machines, and is without a kernel", () => {
    const few = { ...point("relaxed", 0.98, 5000, 0.1), nodes: 0.2 };
    expect(nearOneVsOne({ schemes: [...classical, few] }, "evaluations")).toEqual([]);
    expect(nearOneVsOne({ schemes: [...classical, few] }, "nodes")).toEqual([few]);
    const linear = [...classical, few].map(({ kernel: _, ...rest }) => rest);
    expect(nearOneVsOne({ schemes: linear }, "evaluations")).toHaveLength(1);
  });
});

describe("schemes on a data set", () => {
  const set = { dataset: "iris", kernel: "rbf" } as const;
  const timeless = ({ schemes: points, ...facts }: Awaited<ReturnType<typeof pointsOn>>) => ({
    ...facts,
    points: points.map(({ microseconds: _, ...rest }) => rest),
  });

  it("are the same on two threads except for times, and have the cost of their kind", async () => {
    const alone = await pointsOn(set, run);
    const executor = threadExecutor({ threads: 2 });
    try {
      const together = await pointsOn(set, { ...run, executor });
      expect(timeless(together)).toEqual(timeless(alone));
    } finally {
      await executor.close();
    }
    const named = (name: string) => alone.schemes.find((point) => point.name === name);
    // Three classes: three pairs, of which a DAG evaluates two; three classes against the rest.
    expect(named("one-vs-one")).toMatchObject({ nodes: 3, machines: 3 });
    expect(named("one-vs-rest")).toMatchObject({ nodes: 3, machines: 3 });
    expect(named("DAGSVM")).toMatchObject({ nodes: 2, machines: 3 });
    expect(named("balanced hierarchy")?.machines).toBe(2);
    for (const { accuracy, name } of alone.schemes) expect(accuracy, name).toBeGreaterThan(0.85);
  });
});

it("only hierarchies that would take hours are left out", () => {
  expect(affordableSchemes(1000, 26)).toEqual(schemes);
  const few = affordableSchemes(10_000, 100);
  expect(schemes.filter((scheme) => !few.includes(scheme)).map(({ rho }) => rho)).toEqual([0.1, 0.05, 0.02]);
});

it("both experiments render their results, and the hierarchy has every class", async () => {
  const tradeoff = await hierarchyTradeoff.run(run);
  expect(hierarchyTradeoff.render(tradeoff)).toContain("| balanced hierarchy");
  const pictures = await learnedHierarchies.run(run);
  const page = learnedHierarchies.render(pictures);
  for (const name of ["setosa", "versicolor", "virginica"]) expect(page).toContain(name);
});
