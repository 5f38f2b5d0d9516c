import { exportOnnx } from "@vouch/onnx";
import { describe, expect, it } from "vitest";
import { createLearner, learnerNamed, learnerNames, mddf, Table, trainClassifier } from "vouch";
import { Random } from "vouch/extend";
import { exporters } from "#onnx/exporters.js";
import { compareWith } from "./engines/compare.mjs";
import { INSTALLATION, installedEngines } from "./engines/engines.mjs";

const engines = installedEngines();
if (engines.length === 0)
  console.warn(`The ONNX runtimes are not installed, their tests are skipped: ${INSTALLATION}`);

/** Options that keep fits short. */
const QUICK: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  forest: { trees: 20 },
  "random-trees": { trees: 20 },
  "boosted-trees": { rounds: 10 },
  mlp: { epochs: 3 },
  sae: { epochs: 3, pretrainEpochs: 1 },
  dbn: { epochs: 3, pretrainEpochs: 1 },
  "deep-cascade": { maxDepth: 2, gammas: [0.01], fractions: [0.5], cGrid: [1] },
  "deep-cascade-svm": { maxDepth: 2, gammas: [0.01], fractions: [0.5], cGrid: [1] },
  "deep-cascade-perceptron": { maxDepth: 2, gammas: [0.01], fractions: [0.5] },
  "cascade-forest": { trees: 10, layers: 2 },
  gcforest: { trees: 10, layers: 2, shape: [3], scanTrees: 5 },
  mddf: { trees: 10, layers: 2 },
  ensemble: {
    members: ["logistic", { learner: "forest", options: { trees: 5 } }, "linear-svm", "tree"],
    folds: 2,
  },
};

const NETWORKS = ["mlp", "sae", "dbn"];

/** Rows of three numbers; some cells of fresh rows are missing, although no training cell was. */
function numbers(rows: number, classes: number, seed: number, fresh: boolean): Table {
  const random = new Random(seed);
  const records = Array.from({ length: rows }, () => {
    const k = random.integer(classes);
    const cell = (x: number) => (fresh && random.uniform() < 0.1 ? null : x);
    return {
      x: cell(random.normal() + 2 * Math.cos(k)),
      y: cell(random.normal() + 2 * Math.sin(k)),
      noise: cell(random.normal()),
      label: `class ${random.uniform() < 0.1 ? random.integer(classes) : k}`,
    };
  });
  return Table.fromRecords("numbers", records);
}

/** Rows of numbers and categories with missing cells; fresh rows have levels that no training row has. */
function mixed(rows: number, seed: number, fresh: boolean): Table {
  const random = new Random(seed);
  const records = Array.from({ length: rows }, () => {
    const k = random.integer(2);
    const level = (levels: readonly string[]) => {
      if (random.uniform() < 0.15) return null;
      if (fresh && random.uniform() < 0.2) return "unseen";
      return levels[random.uniform() < 0.5 ? k : random.integer(levels.length)];
    };
    return {
      x: random.uniform() < 0.2 ? null : random.normal() + 2 * k,
      zeros: random.uniform() < 0.6 ? 0 : random.uniform() + k,
      colour: level(["red", "green", "blue", "yellow"]),
      side: level(["left", "right"]),
      label: `class ${random.uniform() < 0.1 ? 1 - k : k}`,
    };
  });
  return Table.fromRecords("mixed", records);
}

it("every learner of the library has an exporter, and no other name has", () => {
  expect(Object.keys(exporters).sort()).toEqual(learnerNames().sort());
});

describe.skipIf(engines.length === 0)("runtimes answer as the library does", () => {
  for (const name of learnerNames()) {
    it(name, async () => {
      const { multiclass } = await learnerNamed(name);
      const tables: [train: Table, fresh: Table][] = [
        [numbers(90, multiclass ? 3 : 2, 5, false), numbers(60, multiclass ? 3 : 2, 6, true)],
      ];
      // Scans are for numbers.
      if (name !== "gcforest") tables.push([mixed(90, 7, false), mixed(60, 8, true)]);
      for (const [train, fresh] of tables) {
        const learner = await createLearner(name, QUICK[name]);
        const { classifier } = await trainClassifier(train, learner, { target: "label", run: { seed: 3 } });
        const { bytes } = exportOnnx(classifier);
        expect(Buffer.compare(exportOnnx(classifier).bytes, bytes)).toBe(0);
        for (const engine of engines) {
          const found = await compareWith(engine, classifier, fresh, { bytes });
          const where = `${train.name} in ${engine.name}`;
          expect(found.different, where).toBe(0);
          expect(found.scores, where).toBeLessThan(NETWORKS.includes(name) ? 1e-5 : 1e-9);
          expect(found.probabilities, where).toBeLessThan(NETWORKS.includes(name) ? 1e-4 : 1e-8);
        }
      }
    });
  }

  it("mddf among many features, whose members pass on a sum each", async () => {
    const random = new Random(9);
    const wide = (rows: number) =>
      Table.fromRecords(
        "wide",
        Array.from({ length: rows }, () => {
          const cells = Array.from({ length: 50 }, () => random.normal());
          const label = `class ${Number(cells[0] + cells[1] + random.normal() > 0)}`;
          return { ...Object.fromEntries(cells.map((cell, j) => [`x${j}`, cell])), label };
        }),
      );
    const learner = await createLearner("mddf", { trees: 5, layers: 3, patience: 3, minLeafRows: 1 });
    const { classifier } = await trainClassifier(wide(120), learner, { target: "label", run: { seed: 3 } });
    const { model } = classifier;
    expect(mddf.made(model) && [model.cascade.passesOn, model.layers.length > 1]).toEqual(["sums", true]);
    const { bytes } = exportOnnx(classifier);
    for (const engine of engines) {
      const found = await compareWith(engine, classifier, wide(60), { bytes });
      expect(found.different, engine.name).toBe(0);
      expect(found.scores, engine.name).toBeLessThan(1e-9);
    }
  });
});
