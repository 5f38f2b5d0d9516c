import type { z } from "zod";
import type { LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import type { Matrix } from "../numeric/matrix.js";
import {
  ascending,
  type CascadeLearner,
  cascadeLearner,
  checkDepths,
  kernelScale,
} from "./cascade-learner.js";
import { type GenericSettings, genericFamily, type LeafKind } from "./generic-family.js";
import { CascadeModel } from "./model.js";
import { deepCascadeOptions } from "./options.js";

type Options = z.output<typeof deepCascadeOptions>;

/** Cascades whose leaves and questions come from families of one's choice (Algorithm 1 of the paper). */
export function deepCascade(options?: z.input<typeof deepCascadeOptions>): CascadeLearner {
  const parsed = parseOptions("deep-cascade", deepCascadeOptions, options);
  const { cGrid, cFolds, tolerance, maxIterations, cacheMegabytes, complexity } = parsed;
  checkDepths("deep-cascade", parsed.minDepth, parsed.maxDepth);
  const leaves = [...new Set(parsed.leaves)].map(leafKind).sort((a, b) => orderOf(a) - orderOf(b));
  const questions = ascending(parsed.questions.map(degreeOf));
  const solver = { tolerance, maxIterations };
  const machine = { kind: "svm", grid: ascending(cGrid), folds: cFolds, solver } as const;
  return cascadeLearner("deep-cascade", parsed, (features, labels, run) => {
    const scale = kernelScale(parsed.scale, features.columns);
    const settings: GenericSettings = {
      space: spaceOf(parsed, leaves.length, questions.length),
      leaves,
      questions,
      complexity,
      kernels: { degrees: [], scale, cacheMegabytes, machine },
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

function leafKind(name: Options["leaves"][number]): LeafKind {
  if (name === "constant") return { kind: "constant" };
  return { kind: name.startsWith("kernel") ? "kernel" : "threshold", degree: degreeOf(name) };
}

function degreeOf(name: string): number {
  return Number(name.slice(name.indexOf("-") + 1));
}

/** Constants, then thresholds, then kernels, each by degree: ties go to what comes first. */
function orderOf(leaf: LeafKind): number {
  if (leaf.kind === "constant") return 0;
  return (leaf.kind === "threshold" ? 0 : 100) + leaf.degree;
}
