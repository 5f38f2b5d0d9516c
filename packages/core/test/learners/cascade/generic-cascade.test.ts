import { describe, expect, test } from "vitest";
import type { Sample } from "#core/encode/sample.js";
import { cascadeBound, cascadeLeaves } from "#core/learners/cascade/cascade-model.js";
import { deepCascade } from "#core/learners/cascade/deep-cascade.js";
import { evaluateCascade } from "#core/learners/cascade/evaluate-cascade.js";
import {
  bestGates,
  bestThreshold,
  CascadeRows,
  columnsUpTo,
  monomialTable,
} from "#core/learners/cascade/thresholds.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { sampleOf } from "../small-samples.js";

/** Few distinct values, so that there are ties. */
function randomPoints(random: Random, rows: number, features: number, classes = 2) {
  const matrix = Matrix.from(
    Array.from({ length: rows }, () => Array.from({ length: features }, () => random.integer(5) - 2)),
  );
  const labels = Int32Array.from({ length: rows }, () => random.integer(classes));
  const taken = Int32Array.from({ length: rows }, (_, i) => i).filter(() => random.uniform() < 0.7);
  return { matrix, labels, taken: taken.length > 0 ? taken : Int32Array.of(0) };
}

/** The number of rows that a constant gets wrong at least. */
function impurityOf(rows: Int32Array, labels: Int32Array, classes: number): number {
  const counts = Array.from({ length: classes }, (_, c) => rows.filter((row) => labels[row] === c).length);
  return rows.length - Math.max(...counts);
}

describe("thresholds on monomials", () => {
  test("there are C(n + k, k) − 1 monomials, each with its values and its order", async () => {
    const { matrix } = randomPoints(new Random(1), 9, 3);
    const whole = await monomialTable(matrix, 3, completeRun());
    expect(columnsUpTo(whole, 2)).toEqual(columnsUpTo(whole, 3).slice(0, 9));
    const table = columnsUpTo(whole, 3);
    expect(table).toHaveLength(19);
    expect(new Set(table.map(({ monomial }) => monomial.join())).size).toBe(19);
    for (const { monomial, values, order } of table) {
      values.forEach((value, i) => {
        const row = matrix.row(i);
        expect(value).toBe(monomial.reduce((product, feature) => product * row[feature], 1));
      });
      for (let k = 1; k < 9; k++) expect(values[order[k - 1]]).toBeLessThanOrEqual(values[order[k]]);
    }
  });

  test.each([2, 3, 4])(
    "the best one makes as few errors as any threshold, with %i classes",
    async (classes) => {
      const random = new Random(classes);
      const all = Array.from({ length: classes }, (_, c) => c);
      for (let trial = 0; trial < 60; trial++) {
        const { matrix, labels, taken } = randomPoints(random, 12, 2, classes);
        const table = columnsUpTo(await monomialTable(matrix, 2, completeRun()), 2);
        const errorsOf = (predict: (row: number) => number) =>
          taken.reduce((sum, row) => sum + (predict(row) === labels[row] ? 0 : 1), 0);
        let least = Math.min(...all.map((own) => errorsOf(() => own)));
        for (const { values } of table) {
          for (let cut = -6.5; cut < 6; cut++) {
            for (const above of all) {
              for (const below of all) {
                const errors = errorsOf((row) => (values[row] > cut ? above : below));
                least = Math.min(least, errors);
              }
            }
          }
        }
        const { classifier, errors } = bestThreshold(new CascadeRows(taken, { labels, classes }), table);
        expect(errors).toBe(least);
        const { scores } = evaluateCascade({ levels: [{ classifier }], classes }, matrix);
        expect(errorsOf((row) => scores.row(row).indexOf(1))).toBe(least);
      }
    },
  );

  test.each([2, 3])(
    "the best gate comes closest to the fraction, then leaves the purest points behind, with %i classes",
    async (classes) => {
      const random = new Random(3);
      for (let trial = 0; trial < 100; trial++) {
        const { matrix, labels, taken } = randomPoints(random, 14, 2, classes);
        const table = columnsUpTo(await monomialTable(matrix, 1, completeRun()), 1);
        const fraction = [0.2, 0.5, 0.8][trial % 3];
        const wanted = Math.ceil(fraction * taken.length - 1e-9);
        const all: { miss: number; impurity: number }[] = [];
        for (const { values } of table) {
          for (let cut = -2.5; cut < 3; cut++) {
            for (const above of [true, false]) {
              const stay = taken.filter((row) => values[row] > cut !== above);
              if (stay.length === 0 || stay.length === taken.length) continue;
              const miss = Math.abs(taken.length - stay.length - wanted);
              all.push({ miss, impurity: impurityOf(stay, labels, classes) });
            }
          }
        }
        const [expected] = all.sort((a, b) => a.miss - b.miss || a.impurity - b.impurity);
        const [found] = bestGates(new CascadeRows(taken, { labels, classes }), table, [fraction]);
        if (!expected) {
          expect(found).toBeUndefined();
          continue;
        }
        if (!found) throw new Error("no gate");
        const classifier = { kind: "constant", class: 0 } as const;
        const levels = [{ classifier, gate: found.gate }, { classifier }];
        const { leaves } = evaluateCascade({ levels, classes }, matrix);
        expect(taken.filter((row) => leaves[row] === 1)).toEqual(found.on);
        const stay = taken.filter((row) => !found.on.includes(row));
        expect({
          miss: Math.abs(found.on.length - wanted),
          impurity: impurityOf(stay, labels, classes),
        }).toEqual(expected);
      }
    },
  );

  test("candidates are the best gates of different monomials, in order", async () => {
    const random = new Random(6);
    for (let trial = 0; trial < 40; trial++) {
      const { matrix, labels, taken } = randomPoints(random, 14, 3, 3);
      const table = columnsUpTo(await monomialTable(matrix, 1, completeRun()), 1);
      const points = new CascadeRows(taken, { labels, classes: 3 });
      const fractions = [0.3, 0.6];
      const found = bestGates(points, table, fractions, 3);
      expect(found).toHaveLength(6);
      const [first, second] = bestGates(points, table, fractions);
      expect([found[0], found[3]]).toEqual([first, second]);
      fractions.forEach((fraction, f) => {
        const wanted = Math.ceil(fraction * taken.length - 1e-9);
        const gates = found.slice(3 * f, 3 * f + 3).flatMap((gate) => gate ?? []);
        const ranks = gates.map(({ on }) => {
          const stay = taken.filter((row) => !on.includes(row));
          return 100 * Math.abs(on.length - wanted) + impurityOf(stay, labels, 3);
        });
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        expect(
          new Set(gates.map(({ gate }) => (gate.kind === "threshold" ? gate.monomial[0] : -1))).size,
        ).toBe(gates.length);
        // Alone, each monomial has the same gate.
        for (const { gate, on } of gates) {
          if (gate.kind !== "threshold") throw new Error("not a threshold");
          const [alone] = bestGates(points, [table[gate.monomial[0]]], [fraction]);
          expect(alone).toEqual({ gate, on });
        }
      });
    }
  });
});

describe("deep-cascade", () => {
  /** Left of 0 the class is fixed; right of it, it depends on the product of two features. */
  function twoRegimes(rows: number, seed: number): Sample {
    const random = new Random(seed);
    const points = Array.from({ length: rows }, () => [random.normal(), random.normal(), random.normal()]);
    return sampleOf(
      points,
      points.map(([x, y, z]) => (x < 0 ? 0 : y * z > 0 ? 1 : 0)),
    );
  }

  test("finds a gate and a leaf for each regime", async () => {
    const sample = twoRegimes(300, 1);
    const learner = deepCascade({
      leaves: ["constant", "threshold-2"],
      gates: ["threshold-1"],
      fractions: [0.3, 0.5, 0.7],
      maxDepth: 2,
      gammas: [0.01],
    });
    const model = await learner.fit(sample);
    const fresh = twoRegimes(500, 2);
    const wrong = model.predict(fresh.features).filter((k, i) => k !== fresh.labels[i]).length;
    expect(wrong / 500).toBeLessThan(0.06);
    // Left of 0 a constant, right of it a threshold on the product of the second and the third feature.
    expect(model.levels).toMatchObject([
      { classifier: { kind: "constant" }, gate: { kind: "threshold", monomial: [0], above: true } },
      { classifier: { kind: "threshold", monomial: [1, 2] } },
    ]);
  });

  test("with candidates, finds a gate that does not leave pure points behind", async () => {
    // On either side of 0 another threshold holds; every gate leaves both classes behind.
    const random = new Random(8);
    const points = Array.from({ length: 200 }, () => [random.normal(), random.normal(), random.normal()]);
    const sample = sampleOf(
      points,
      points.map(([x, y, z]) => Number((x > 0 ? y : z) > 0)),
    );
    const options = { leaves: ["threshold-1" as const], fractions: [0.5], maxDepth: 2, gammas: [1e-3] };
    const wrongOf = async (gateCandidates: number) => {
      const model = await deepCascade({ ...options, gateCandidates }).fit(sample);
      return model.levels.reduce((sum, { wrong }) => sum + wrong, 0);
    };
    expect(await wrongOf(3)).toBeLessThan(10);
    expect(await wrongOf(1)).toBeGreaterThan(20);
  });

  test("all gates pass on the same fraction, and bound (9) is the sum over the leaves", async () => {
    const sample = twoRegimes(80, 4);
    for (const complexity of ["vc", "vc-local", "rademacher"] as const) {
      const model = await deepCascade({
        leaves: ["constant", "threshold-1", "kernel-2"],
        gates: ["threshold-1", "threshold-2"],
        fractions: [0.4, 0.6],
        minDepth: 3,
        maxDepth: 3,
        complexity,
        gammas: [0.001, 0.01],
      }).fit(sample);
      const fractions = model.levels.flatMap(({ fraction }) => fraction ?? []);
      expect(fractions).toHaveLength(2);
      expect(fractions[0]).toBe(fractions[1]);
      // 3·2 pairs of families at two levels, 3 leaves at the last one, two fractions.
      expect(model.origin.distinct).toBe(2 * 6 * 6 * 3);
      const { gamma, rows } = model.origin;
      const bound = cascadeLeaves(model.levels).reduce((sum, leaf) => {
        const gates = leaf.gateComplexities.reduce((total, c) => total + c, 0);
        return sum + leaf.wrong / rows + Math.min(4 * gamma * (gates + leaf.complexity), leaf.correct / rows);
      }, 0);
      expect(cascadeBound(model)).toBeCloseTo(bound, 12);
      const predicted = model.predict(sample.features).filter((k, i) => k !== sample.labels[i]).length;
      expect(predicted).toBe(model.levels.reduce((sum, { wrong }) => sum + wrong, 0));
    }
  });

  test("notices report solver runs that did not converge", async () => {
    const options = { leaves: ["kernel-2" as const], fractions: [0.5], maxDepth: 2, gammas: [0.01] };
    const model = await deepCascade({ ...options, maxIterations: 1 }).fit(twoRegimes(60, 5));
    expect(model.notices?.join()).toMatch(/in the choice of C did not converge.*of the search did not/);
  });

  test("too many monomials are refused", async () => {
    const wide = sampleOf(
      Array.from({ length: 10 }, (_, i) => Array.from({ length: 900 }, (_, j) => (i * j) % 7)),
      [0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
    );
    await expect(deepCascade({ leaves: ["threshold-3"] }).fit(wide)).rejects.toMatchObject({
      code: "data/too-large",
    });
    expect(() => deepCascade({ leaves: [] })).toThrow(expect.objectContaining({ code: "option/invalid" }));
  });
});
