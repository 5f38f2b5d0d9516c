import { describe, expect, it } from "vitest";
import { majority } from "#core/learners/majority/majority.js";
import { sae } from "#core/learners/net/sae.js";
import { Random } from "#core/runtime/maths/random.js";
import { findChoice } from "#core/select/agreement.js";
import { findCriterion } from "#core/select/criteria.js";
import type { Evidence } from "#core/select/criterion.js";
import { select } from "#core/select/select.js";
import { Table } from "#core/table/table.js";
import { labelled } from "#core/table/target.js";

const settings = { folds: 2, holdout: 0.2, confidence: 0.95, objective: { metric: "error" } as const };

/** Two folds of 10 rows; each layer as units and its reconstruction error in both folds. */
function candidate(errors: number, ...layers: (readonly [number, number, number])[]): Evidence {
  const fold = (f: 1 | 2) => ({
    rows: 10,
    errors,
    reconstruction: layers.map((layer) => ({ units: layer[0], error: layer[f] })),
  });
  return { training: [], holdout: [], leaveOneOut: [], folds: [fold(1), fold(2)] };
}

const judge = (...candidates: Evidence[]) =>
  findCriterion("reconstruction")
    .score(candidates, settings)
    .scores.map(({ value }) => value);

describe("the reconstruction criterion", () => {
  it("takes the layer with the smallest error, averaged over the folds", () => {
    // Means 5, 4.5 and 6: the second one is the choice, the others are 1 plus their excess.
    const values = judge(candidate(1, [80, 5, 5]), candidate(3, [100, 3, 6]), candidate(0, [120, 6, 6]));
    expect(values[1]).toBeCloseTo(0.3, 12);
    expect(values[0]).toBeCloseTo(1 + 5 / 4.5 - 1, 12);
    expect(values[2]).toBeCloseTo(1 + 6 / 4.5 - 1, 12);
  });

  it("goes layer by layer: a second layer counts only above the best first one", () => {
    const values = judge(
      candidate(1, [80, 5, 5], [8, 0.1, 0.1]),
      candidate(2, [100, 4, 4], [8, 3, 3]),
      candidate(3, [100, 4, 4], [10, 2, 2]),
    );
    expect(values[0]).toBeCloseTo(1.25, 12);
    expect(values[1]).toBeCloseTo(1.5, 12);
    expect(values[2]).toBeCloseTo(0.3, 12);
  });

  it("lets cross-validation choose between the best of each depth", () => {
    const values = judge(
      candidate(2, [80, 5, 5]),
      candidate(4, [100, 4, 4]),
      candidate(9, [80, 5, 5], [8, 1, 1]),
      candidate(1, [100, 4, 4], [8, 3, 3]),
    );
    expect(values.indexOf(Math.min(...values))).toBe(3);
    expect(values[1]).toBeCloseTo(0.4, 12);
    expect(values[0]).toBeGreaterThan(1);
    expect(values[2]).toBeGreaterThan(1);
  });

  it("stays finite if a layer reconstructs perfectly", () => {
    expect(judge(candidate(1, [80, 0, 0]), candidate(1, [100, 2, 2]))).toEqual([0.1, 3]);
  });
});

describe("select by reconstruction", () => {
  const random = new Random(4);
  const rows = 120;
  const column = (j: number) => ({
    kind: "numeric" as const,
    name: `x${j}`,
    values: Float64Array.from({ length: rows }, (_, i) => ((i >> (j % 3)) & 1) + 0.1 * random.normal()),
  });
  const label = {
    kind: "numeric" as const,
    name: "label",
    values: Float64Array.from({ length: rows }, (_, i) => i & 1),
  };
  const table = new Table("bits", rows, [...Array.from({ length: 6 }, (_, j) => column(j)), label]);
  const data = labelled(table, "label");
  const network = (...layers: number[]) =>
    sae({
      layers,
      epochs: 5,
      batchSize: 10,
      noise: 0,
      pretrainEpochs: 120,
      pretrainBatch: 10,
      pretrainRate: 0.01,
    });

  it("finds that one unit is not enough where three are", async () => {
    const by = [findCriterion("reconstruction")];
    const { rankings } = await select([network(1), network(3), majority()], data, by, { folds: 3 });
    expect(findChoice(rankings[0])).toBe(1);
    const [best, worse] = rankings[0].scores;
    expect(best.terms["layer 1"]).toBeLessThan(0.7 * worse.terms["layer 1"]);
    expect(rankings[0].refused).toEqual([{ candidate: 2, reason: "majority does not pre-train" }]);
  });

  it("is rejected if no candidate pre-trains, before any fit", async () => {
    const work = select([majority()], data, [findCriterion("reconstruction")]);
    await expect(work).rejects.toMatchObject({
      code: "learner/unsupported",
      message: "reconstruction cannot judge majority: majority does not pre-train.",
    });
  });
});
