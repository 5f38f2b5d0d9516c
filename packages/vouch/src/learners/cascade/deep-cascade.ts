import type { z } from "zod";
import type { Matrix } from "../../runtime/matrix.js";
import type { Kernel } from "../kernel/kernel.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import { parseOptions } from "../options.js";
import {
  ascending,
  type CascadeLearner,
  COMFORTABLE_ROWS,
  cascadeLearner,
  checkDepths,
} from "./cascade-learner.js";
import { CascadeModel } from "./cascade-model.js";
import { deepCascadeOptions } from "./cascade-options.js";
import { complexityFor } from "./complexity.js";
import { type GenericSettings, genericFamily } from "./generic-family.js";
import type { CascadeLeafKind } from "./generic-nodes.js";
import { polynomialKernels, radialKernels } from "./node-kernels.js";

type Options = z.output<typeof deepCascadeOptions>;

/** Deep cascades whose gates and leaves come from families of one's choice (DeSalvo, Mohri and Syed 2015, Algorithm 1). */
export function deepCascade(options?: z.input<typeof deepCascadeOptions>): CascadeLearner {
  const parsed = parseOptions("deep-cascade", deepCascadeOptions, options);
  const { cGrid, cFolds, tolerance, maxIterations, cacheMegabytes, complexity } = parsed;
  checkDepths("deep-cascade", parsed.minDepth, parsed.maxDepth);
  complexityFor("deep-cascade", parsed.leaves.includes("rbf") ? "rbf" : "polynomial", complexity);
  const questions = ascending(parsed.questions.map(degreeOf));
  const solver = { tolerance, maxIterations };
  const machine = { kind: "svm", grid: ascending(cGrid), folds: cFolds, solver } as const;
  return cascadeLearner("deep-cascade", parsed, (features, labels, run) => {
    const kernels = kernelsOf(parsed, features);
    const leaves = [
      ...rulesOf(parsed),
      ...kernels.map((_, kernel): CascadeLeafKind => ({ kind: "kernel", kernel })),
    ];
    const settings: GenericSettings = {
      space: spaceOf(parsed, leaves.length, questions.length),
      leaves,
      questions,
      complexity,
      kernels: { kernels, cacheMegabytes, machine },
    };
    return genericFamily(features, labels, settings, run);
  });
}

/** What the rest of the system knows of `deep-cascade`. */
export const deepCascadeDefinition: LearnerDefinition<typeof deepCascadeOptions, CascadeModel, Matrix> = {
  name: "deep-cascade",
  summary:
    "A chain of gates with a classifier at each leaf, from families of your choice, chosen by a bound.",
  options: deepCascadeOptions,
  multiclass: false,
  comfortableRows: COMFORTABLE_ROWS,
  create: deepCascade,
  restore: CascadeModel.restorer("deep-cascade"),
};

/** All gates of a cascade send on the same fraction, as in Algorithm 1; a last node differs by its leaf only. */
function spaceOf({ minDepth, maxDepth, fractions }: Options, leaves: number, questions: number) {
  return {
    choices: leaves * questions,
    lastChoices: Array.from({ length: leaves }, (_, leaf) => leaf * questions),
    fractions: ascending(fractions),
    minDepth,
    maxDepth,
    nonDecreasing: false,
    sameFraction: true,
  };
}

/** Constants, then thresholds by degree, before all kernels: ties go to what comes first. */
function rulesOf({ leaves }: Options): CascadeLeafKind[] {
  const degrees = ascending(leaves.filter((name) => name.startsWith("threshold-")).map(degreeOf));
  return [
    ...(leaves.includes("constant") ? [{ kind: "constant" } as const] : []),
    ...degrees.map((degree): CascadeLeafKind => ({ kind: "threshold", degree })),
  ];
}

/** Polynomial kernels by degree, then Gaussian ones by γ. */
function kernelsOf({ leaves, scale, kernelGammas }: Options, features: Matrix): Kernel[] {
  const degrees = leaves.filter((name) => name.startsWith("kernel-")).map(degreeOf);
  return [
    ...polynomialKernels(degrees, scale, features),
    ...(leaves.includes("rbf") ? radialKernels("rbf", kernelGammas, features) : []),
  ];
}

function degreeOf(name: string): number {
  return Number(name.slice(name.indexOf("-") + 1));
}

/** TRANSITION */
export const deepCascadeKind = legacyKind(deepCascadeDefinition);
