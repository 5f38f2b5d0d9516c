import { exportOnnx } from "@vouch/onnx";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "vouch";
import { compareWith } from "./engines/compare.mjs";
import { installedEngines } from "./engines/engines.mjs";
import { type ModelSpec, modelSpecs, randomClassifier } from "./engines/random-models.mjs";

const engines = installedEngines();
const MODELS = 100;

/** Trains a model; undefined if its rows cannot be learned, such as several classes by a learner for two. */
async function trained(spec: ModelSpec) {
  try {
    return await randomClassifier(spec);
  } catch (error) {
    if (error instanceof VouchError) return undefined;
    throw error;
  }
}

describe.skipIf(engines.length === 0)("random models", () => {
  it("have the same labels, sets, scores and probabilities in each runtime", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(modelSpecs, async (spec) => {
        const made = await trained(spec);
        if (!made) return;
        const { bytes } = exportOnnx(made.classifier);
        for (const engine of engines) {
          const found = await compareWith(engine, made.classifier, made.rows, { bytes });
          expect({ different: found.different, sets: found.sets }).toEqual({ different: 0, sets: 0 });
          expect(found.scores).toBeLessThan(made.tolerance);
          compared += found.rows;
        }
      }),
      { numRuns: MODELS, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(MODELS * 60);
  }, 240_000);
});
