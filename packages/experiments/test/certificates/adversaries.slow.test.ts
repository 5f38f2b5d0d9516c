import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { majority, Table, threadExecutor, trainClassifier } from "vouch";
import { completeRun, Random } from "vouch/extend";
import { CertifiedLaws, freshCases } from "#experiments/certificates/adversaries/certified-law.js";
import {
  describeFailures,
  type SimulationSize,
  type SourceCell,
  simulateSources,
  violations,
} from "#experiments/certificates/adversaries/simulate.js";
import { sourceNames, sources } from "#experiments/certificates/adversaries/sources.js";
import { DELTAS } from "#experiments/certificates/simulated-runs.js";

const executor = threadExecutor({ threads: 2 });
afterAll(() => executor.close());

const { VOUCH_NIGHTLY, VOUCH_FUZZ_SEED = "1" } = process.env;
const seed = VOUCH_NIGHTLY ? Number(VOUCH_FUZZ_SEED) : 1;
const size: SimulationSize = VOUCH_NIGHTLY
  ? { runs: 250, fresh: 10_000, deltas: DELTAS }
  : { runs: 8, fresh: 2000, deltas: [0.05] };
const HOURS = 3_600_000;

describe("the cases that a certificate is about", () => {
  const training = [
    { x: 1, label: "a" },
    { x: 2, label: "b" },
  ];
  const fresh = [
    { x: 1, label: "a" },
    { x: 3, label: "a" },
    { x: 3, label: "a" },
    { x: 3, label: "b" },
    { x: 3, label: "c" },
  ];

  async function lawFor(statement: string, group?: string) {
    const table = Table.fromRecords("training", training);
    const { classifier, tables } = await trainClassifier(table, majority(), { target: "label" });
    const population = freshCases(fresh, classifier, group);
    const evidence = { drawn: "random", rows: 3 } as const;
    const labels = training.map(({ label }) => label);
    const laws = new CertifiedLaws({ fresh: population, training: tables.training, evidence, labels });
    const law = laws.of({ statement, measure: "error", terms: {} }) ?? new Float64Array();
    // The probability of each case, whose class is one of a, b and (unknown).
    return Array.from({ length: fresh.length }, (_, row) =>
      law.subarray(3 * row, 3 * row + 3).reduce((sum, p) => sum + p, 0),
    );
  }

  it("are all, those that equal no training row, or one of each kind in a file of the same length", async () => {
    expect(await lawFor("at most 5% of new cases like these, from 7 different rows.")).toEqual(
      new Array(5).fill(1 / 5),
    );
    expect(await lawFor("at most 5% of new cases that equal no training row, from 7 new rows.")).toEqual([
      0,
      ...new Array(4).fill(1 / 4),
    ]);
    // Files of three rows: the first, the second, the fourth.
    expect(await lawFor("at most 5% of different rows, each counted once, from 7 rows.")).toEqual([
      1 / 3,
      1 / 3,
      0,
      1 / 3,
      0,
    ]);
  });

  it("are of each group with the same weight", async () => {
    expect(await lawFor("at most 5% of the cases of a new group", "x")).toEqual([
      1 / 2,
      ...new Array(4).fill(1 / 8),
    ]);
  });
});

describe("violations", () => {
  const cell = { source: "noise", statement: "quoted", delta: 0.05, ticked: 10, falseInAll: 0 } as const;

  it("are cells that fail more often than chance explains among so many", () => {
    // P(Binomial(10, 0.05) ≥ 5) = 6.4e-5 and P(Binomial(10, 0.05) ≥ 4) = 1.0e-3
    const [five, four] = [5, 4].map((failures) => ({ ...cell, runs: 10, failures }));
    expect(violations([four, ...new Array<SourceCell>(99).fill({ ...four, failures: 0 })])).toEqual([]);
    expect(violations([five, ...new Array<SourceCell>(99).fill({ ...four, failures: 0 })])).toEqual([five]);
  });
});

describe("adversarial sources", () => {
  it("are at least 40, and draw the same files again", () => {
    expect(sourceNames.length).toBeGreaterThanOrEqual(40);
    for (const name of sourceNames) {
      const [first, second] = [0, 1].map(() => sources[name].draw(new Random(3)).training);
      expect(first).toEqual(second);
    }
  });

  describe("have no statement that is false with a tick more often than δ", () => {
    let cells: readonly SourceCell[];
    let failing: readonly SourceCell[];
    beforeAll(async () => {
      cells = await simulateSources(sourceNames, size, completeRun({ seed, executor }));
      failing = violations(cells);
      if (VOUCH_NIGHTLY) for (const name of sourceNames) console.log(describeFailures(sometimesFalse(name)));
    }, 3 * HOURS);

    function sometimesFalse(name: string): SourceCell[] {
      return cells.filter(({ source, falseInAll }) => source === name && falseInAll > 0);
    }

    it.each(sourceNames)("%s", (name) => {
      expect(cells.some(({ source, runs }) => source === name && runs > 0)).toBe(true);
      const own = failing.filter(({ source }) => source === name);
      expect(own.length === 0 ? "" : describeFailures(own), sources[name].truth).toBe("");
    });
  });
});
