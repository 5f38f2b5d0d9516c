import { describe, expect, it } from "vitest";
import { type AutoencoderPlan, pretrainAutoencoders } from "#core/learners/net/autoencoders.js";
import { freeEnergies, pretrainRbms, type RbmPlan } from "#core/learners/net/rbms.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { mean } from "#core/runtime/maths/statistics.js";
import { completeRun } from "#core/runtime/parallel/run.js";

/** Makes noisy copies of four patterns of 12 bits. */
function patterns(rows: number, seed = 1): Matrix {
  const random = new Random(seed);
  const prototypes = Array.from({ length: 4 }, () => Array.from({ length: 12 }, () => random.integer(2)));
  return new Matrix(
    rows,
    12,
    Float32Array.from({ length: rows * 12 }, (_, k) => {
      const bit = prototypes[Math.floor(k / 12) % 4][k % 12];
      return random.uniform() < 0.05 ? 1 - bit : bit;
    }),
  );
}

const bits = patterns(300);
const autoencoders: AutoencoderPlan = {
  layers: [6, 3],
  epochs: 15,
  batch: 20,
  code: "sigmoid",
  decoder: "sigmoid",
  noise: 0,
  sparsity: 0,
  rate: 0.01,
};
const machines: RbmPlan = {
  layers: [6, 3],
  epochs: 15,
  batch: 20,
  visible: "binary",
  steps: 1,
  rate: 0.1,
  momentum: 0.5,
  decay: 0,
};

describe.each([
  [
    "autoencoders",
    (plan: Partial<AutoencoderPlan & RbmPlan>, rows: Matrix, seed: number) =>
      pretrainAutoencoders(rows, { ...autoencoders, ...plan }, completeRun({ seed })),
  ] as const,
  [
    "Boltzmann machines",
    (plan: Partial<AutoencoderPlan & RbmPlan>, rows: Matrix, seed: number) =>
      pretrainRbms(rows, { ...machines, ...plan }, completeRun({ seed })),
  ] as const,
])("pre-training of %s", (_, pretrain) => {
  it("gives layers of the requested sizes with a falling reconstruction error", async () => {
    const { layers, facts } = await pretrain({ epochs: 40 }, bits, 0);
    expect(layers.map(({ weights }) => [weights.rows, weights.columns])).toEqual([
      [6, 12],
      [3, 6],
    ]);
    for (const { epochs, error } of facts) {
      expect(epochs).toHaveLength(40);
      expect(epochs[39]).toBeLessThan(0.8 * epochs[0]);
      expect(error).toBeLessThan(epochs[0]);
    }
  });

  it("depends on the seed, and lower layers do not depend on higher ones", async () => {
    const once = await pretrain({}, bits, 4);
    expect(await pretrain({}, bits, 4)).toEqual(once);
    expect((await pretrain({}, bits, 5)).layers[0]).not.toEqual(once.layers[0]);
    expect((await pretrain({ layers: [6] }, bits, 4)).layers[0]).toEqual(once.layers[0]);
  });

  it("takes all rows as a batch if there are fewer than the batch size", async () => {
    const few = patterns(9);
    const large = await pretrain({ batch: 1000 }, few, 0);
    expect(await pretrain({ batch: 9 }, few, 0)).toEqual(large);
  });

  it("keeps the initial weights without epochs", async () => {
    const { facts, layers } = await pretrain({ epochs: 0 }, bits, 0);
    expect(facts[0].epochs).toEqual([]);
    expect(facts[0].error).toBeGreaterThan(0);
    expect(new Set(layers[0].weights.values).size).toBeGreaterThan(60);
  });

  it("undoes an epoch that diverges, and ends the layer there", async () => {
    const wild = new Matrix(
      40,
      2,
      Float32Array.from({ length: 80 }, (_, k) => Math.sin(k * k)),
    );
    const rate = { rate: 1e25, visible: "gaussian", decoder: "linear", layers: [4] } as const;
    const { facts, layers } = await pretrain(rate, wild, 0);
    expect(facts[0].divergedIn).toBe(1);
    expect(layers[0].weights.values.every(Number.isFinite)).toBe(true);
  });

  it.each([
    [{ layers: [4, 0] }, "0 hidden units"],
    [{ layers: [] }, "no layers"],
    [{ layers: [2.5] }, "2.5 hidden units"],
    [{ batch: 0 }, "batches of 0 rows"],
    [{ epochs: -1 }, "-1 epochs"],
  ])("refuses %j", async (plan, message) => {
    await expect(pretrain(plan, bits, 0)).rejects.toMatchObject({
      code: "option/invalid",
      message: expect.stringContaining(message),
    });
  });

  it("refuses rows that are all equal, and no rows", async () => {
    const constant = new Matrix(5, 3, new Float32Array(15).fill(1));
    await expect(pretrain({}, constant, 0)).rejects.toMatchObject({ code: "data/no-features" });
    await expect(pretrain({}, new Matrix(0, 3), 0)).rejects.toMatchObject({ code: "data/no-rows" });
  });

  it("gives finite weights if some features are constant", async () => {
    const half = new Matrix(
      300,
      12,
      bits.values.map((value: number, k: number) => (k % 2 ? value : 1)),
    );
    const { layers } = await pretrain({}, half, 0);
    for (const { weights } of layers) expect(weights.values.every(Number.isFinite)).toBe(true);
  });
});

describe("autoencoders", () => {
  it("have sparser codes with a sparsity, even with more units than inputs", async () => {
    const meanCode = async (sparsity: number) => {
      const plan = { ...autoencoders, layers: [24], noise: 0.2, sparsity };
      const { layers } = await pretrainAutoencoders(bits, plan, completeRun());
      const [{ weights, hiddenBiases }] = layers;
      let sum = 0;
      for (let i = 0; i < bits.rows; i++) {
        for (let j = 0; j < 24; j++) {
          let input = hiddenBiases[j];
          for (let k = 0; k < 12; k++) input += weights.values[j * 12 + k] * bits.values[i * 12 + k];
          sum += 1 / (1 + Math.exp(-input));
        }
      }
      return sum / (bits.rows * 24);
    };
    expect(await meanCode(0.1)).toBeLessThan(0.7 * (await meanCode(0)));
  });

  it("learn to reconstruct complete rows from rows with masked values", async () => {
    const holes = { ...autoencoders, layers: [6], epochs: 40, noise: 0.3 };
    const { facts } = await pretrainAutoencoders(bits, holes, completeRun());
    const untrained = await pretrainAutoencoders(bits, { ...holes, epochs: 1, rate: 1e-9 }, completeRun());
    expect(facts[0].epochs[39]).toBeLessThan(0.5 * untrained.facts[0].epochs[0]);
  });
});

describe("Boltzmann machines", () => {
  it("report the free energy in every epoch, and find other rows less likely", async () => {
    const { facts, layers } = await pretrainRbms(bits, { ...machines, epochs: 40 }, completeRun());
    expect(facts[0].freeEnergies).toHaveLength(40);
    const meanFreeEnergy = (rows: Matrix) => mean(freeEnergies("binary", layers[0], rows));
    const random = new Random(3);
    const others = new Matrix(
      300,
      12,
      Float32Array.from({ length: 3600 }, () => random.integer(2)),
    );
    expect(meanFreeEnergy(bits)).toBeLessThan(meanFreeEnergy(others) - 1);
    // The last epoch is close to the final weights.
    expect(facts[0].freeEnergies?.[39]).toBeCloseTo(meanFreeEnergy(bits), 0);
  });

  it("can be interrupted", async () => {
    const run = completeRun({ signal: AbortSignal.abort() });
    await expect(pretrainRbms(bits, machines, run)).rejects.toMatchObject({ code: "run/interrupted" });
  });

  it("learn from any numbers with Gaussian units", async () => {
    const random = new Random(9);
    const values = Float32Array.from(
      { length: 1200 },
      (_, k) => (k % 8 < 4 ? 1 : -1) + 0.3 * random.normal(),
    );
    const rows = new Matrix(300, 4, values);
    const plan = { ...machines, visible: "gaussian" as const, epochs: 30, rate: 0.1 };
    const { facts } = await pretrainRbms(rows, plan, completeRun());
    // The rows are 1 or −1 all over: without the hidden units the error is 4 · 1.09.
    expect(facts[0].error).toBeLessThan(2);
  });

  it("refuse numbers outside [0, 1] with binary units, and say what to do", async () => {
    const rows = new Matrix(2, 2, Float32Array.of(0, 1, 0.5, 2));
    await expect(pretrainRbms(rows, machines, completeRun())).rejects.toMatchObject({
      code: "data/wrong-kind",
      message: "Row 2 has 2 in feature 2, but binary units take values from 0 to 1.",
      hint: expect.stringContaining("Gaussian"),
    });
  });
});
