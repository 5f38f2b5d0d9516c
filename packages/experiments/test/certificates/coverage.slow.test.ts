import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Table, threadExecutor } from "vouch";
import { completeRun, Random } from "vouch/extend";
import { certificateCoverage, type SimulatedSetting } from "#experiments/certificates/coverage.js";
import { coverageCells, isOver, limitOf, pValueOf } from "#experiments/certificates/coverage-cells.js";
import { misreadHoldouts } from "#experiments/certificates/misread-stratification.js";
import { drawRows, populations } from "#experiments/certificates/populations.js";
import {
  heldOutBy,
  type Setting,
  simulationTask,
  trainedOn,
} from "#experiments/certificates/simulated-runs.js";

const executor = threadExecutor({ threads: 2 });
afterAll(() => executor.close());

const setting: Setting = {
  population: "rare class",
  learner: "svm",
  rows: 200,
  holdout: 0.5,
  stratify: false,
};

function labelsOf(table: Table): Int32Array {
  const column = table.column("label");
  if (column.kind !== "categorical") throw new Error("the label is not a category");
  return column.codes;
}

describe("a simulated training", () => {
  it.each([
    { ...setting },
    { ...setting, stratify: true },
    { ...setting, population: "clusters" } as const,
    { ...setting, population: "drift" } as const,
  ])(
    "holds out the rows that the truth is computed for: $population, stratified: $stratify",
    async (each) => {
      const drawn = drawRows(populations[each.population], each.rows, new Random(1));
      const training = await trainedOn(drawn, each, 7);
      const labels = labelsOf(drawn.table);
      const { test } = heldOutBy(drawn.table, labels, each, 7);
      const rows = drawn.table.select(test);
      const predicted = training?.classifier.predict(rows) ?? [];
      const { classes } = populations[each.population];
      const errors = predicted.filter((name, i) => name !== classes[labels[test[i]]]).length;
      expect(training?.evidence).toMatchObject({ rows: test.length, errors });
    },
  );

  it("gives the same tallies on any number of threads", async () => {
    const inputs = [0, 3].map((firstRun) => ({ ...setting, seed: 1, stream: 2, firstRun, runs: 3 }));
    const inline = await completeRun().executor.map(simulationTask, inputs, {});
    expect(await executor.map(simulationTask, inputs, {})).toEqual(inline);
    const names = inline.flatMap((tallies) => tallies.map(({ certificate }) => certificate));
    expect(names).toContain("held-out-binomial");
    expect(names).toContain("class-error of yes");
  });
});

describe("cells", () => {
  const tally = { certificate: "x", runs: [100, 100, 0], claims: [90, 90, 0], failures: [9, 17, 0] };
  const [first, second, ...others] = coverageCells([{ ...setting, tallies: [tally] }]);

  it("compare the failure rate with δ plus two standard errors", () => {
    expect(others).toEqual([]);
    expect(first.limit).toBeCloseTo(0.05 + 2 * Math.sqrt((0.05 * 0.95) / 100), 12);
    expect([isOver(first), isOver(second)]).toEqual([false, true]);
  });

  it("have the binomial tail as p-value", () => {
    // P(Binomial(100, 0.05) ≥ 9) and P(Binomial(100, 0.1) ≥ 17)
    expect(pValueOf(first)).toBeCloseTo(0.06309, 4);
    expect(pValueOf(second)).toBeCloseTo(0.0206, 4);
  });
});

describe("a stratified hold-out read as a bound under the true class proportions", () => {
  it("is caught, and a random hold-out is not", () => {
    const misread = misreadHoldouts(2000, 1);
    const at = (holdout: number, delta: number) => {
      const found = misread.find((each) => each.holdout === holdout && each.delta === delta);
      if (!found) throw new Error("not simulated");
      return found;
    };
    expect(at(0.9, 0.05).stratified / 2000).toBeGreaterThan(limitOf(0.05, 2000) + 0.01);
    expect(at(0.5, 0.25).stratified / 2000).toBeGreaterThan(limitOf(0.25, 2000) + 0.01);
    for (const { delta, random, runs } of misread) expect(random / runs).toBeLessThan(limitOf(delta, runs));
  });
});

/** Among many cells of 40 runs a few are over two standard errors by chance, but none far over. */
function expectCoverage(settings: readonly SimulatedSetting[], atLeast: number): void {
  const cells = coverageCells(settings);
  expect(cells.length).toBeGreaterThan(atLeast);
  expect(cells.filter(isOver).length).toBeLessThanOrEqual(Math.ceil(cells.length / 100));
  for (const cell of cells) {
    expect(pValueOf(cell), JSON.stringify(cell)).toBeGreaterThan(0.01 / cells.length);
  }
}

it("some settings have no certificate that fails more often than it claims", async () => {
  const some = [
    { ...setting, population: "three classes" },
    { ...setting, stratify: true },
    { ...setting, population: "clusters" },
  ] as const;
  const inputs = some.map((each, stream) => ({ ...each, seed: 1, stream, firstRun: 0, runs: 40 }));
  const tallies = await executor.map(simulationTask, inputs, {});
  expectCoverage(
    some.map((each, i) => ({ ...each, tallies: [...tallies[i]] })),
    60,
  );
});

/** All settings: `npm run nightly` simulates them. */
describe.runIf(process.env.VOUCH_NIGHTLY)("the experiment at scale quick", () => {
  let settings: SimulatedSetting[];
  let page: string;
  beforeAll(async () => {
    const result = await certificateCoverage.run({ ...completeRun({ seed: 1, executor }), scale: "quick" });
    page = certificateCoverage.render(result);
    settings = JSON.parse(JSON.stringify(result.data)).settings;
  });

  it("has no certificate that fails more often than it claims", () => {
    expectCoverage(settings, 900);
  });

  it("renders a summary, the worst cells and the misreading", () => {
    expect(page).toMatch(/There are \S+ cells/);
    expect(page).toMatch(/^\| held-out-binomial .* of 40 ≤ /m);
    expect(page).toContain("### Stratified hold-outs and the true class proportions");
  });
});
