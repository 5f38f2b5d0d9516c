import * as z from "zod";
import { list, optional, type PartsOf } from "../../runtime/codec/parts.js";
import {
  nonNegativeInteger,
  nonNegativeNumber,
  positiveInteger,
  proportion,
} from "../../runtime/codec/schema-numbers.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import type { CascadeLeaf } from "../../theory/cascades/leaf-complexity.js";
import { cascadeObjective } from "../../theory/cascades/objectives.js";
import { deepCascadeCertificates } from "../../theory/cascades/theorem-1.js";
import type { Certificate } from "../../theory/certificate.js";
import { growthFunctionExact } from "../../theory/vc/growth-function.js";
import { logCascadeGrowth } from "../../theory/vc/growth-of-families.js";
import { binnedCuts } from "../binned-cuts.js";
import { checkAmounts, type Kernel, kernelVcDimension } from "../kernel/kernel.js";
import type { KernelExpansion } from "../kernel/kernel-expansion.js";
import type { Fitted, FittedModel } from "../learner-definition.js";
import type { Complexity } from "../model.js";
import { checkFeatures } from "../training-sample.js";
import { type CascadeLevel, cascadeLevel, type LeafClassifier } from "./cascade-level.js";
import { complexityTerms, leafLimit, MOST_LEAVES } from "./cascade-options.js";
import { type CascadeOutputs, evaluateCascade } from "./evaluate-cascade.js";

/** How a cascade was found. */
const origin = z.strictObject({
  /** Scale of the complexity term in bound (9). */
  gamma: nonNegativeNumber.positive(),
  complexity: z.enum(complexityTerms),
  /** m, the training points. */
  rows: positiveInteger,
  /** Absent for a chain. */
  topology: z.enum(["tree", "search"]).optional(),
  /** Families to choose from at each level, and the largest number of leaves. */
  families: positiveInteger,
  mostLeaves: leafLimit,
  /** Number of distinct cascades, all of them covered; of a tree, the number of trees that its growth compared. */
  distinct: nonNegativeNumber,
  /** Number of chains that the printed algorithm lists. */
  listed: nonNegativeNumber.optional(),
  /** Number of nodes that were trained to find it. */
  trained: nonNegativeInteger,
  /** Error of the cascade of each γ on validation rows; empty if there was only one γ. */
  validation: z
    .array(
      z.strictObject({
        gamma: nonNegativeNumber,
        error: proportion,
        depth: z.number().min(1).max(MOST_LEAVES),
      }),
    )
    .readonly(),
  notices: z.array(z.string()).readonly(),
});

/**
 * The parts of a deep cascade: gates with a classifier at each leaf. Levels are listed depth first: those that points go on to
 * follow their gate, then those that points which stay go to. In a chain (Figure 1 of the paper) each level follows the one
 * before.
 */
export const cascadeParts = {
  levels: list(cascadeLevel, { min: 1, max: 2 * MOST_LEAVES - 1 }),
  origin,
  /** Bins of the features, for leaves of learners that take them. */
  bins: optional(binnedCuts("features", (count) => Array.from({ length: count }, (_, j) => `x${j + 1}`))),
};

export type CascadeParts = PartsOf<typeof cascadeParts>;

/** A deep cascade: a tree of gates with a classifier at each leaf. */
export type CascadeModel = FittedModel<typeof cascadeParts, Matrix>;

/** A cascade as the functions of its definition see it. */
export type FittedCascade = Fitted<typeof cascadeParts>;

/** Describes what does not fit together in a cascade from a file. */
export function cascadeFault({ levels, origin, bins }: FittedCascade): string | undefined {
  for (const [k, level] of levels.entries()) {
    const fault = levelFault(level);
    if (fault !== undefined) return `level ${k + 1} of ${levels.length} ${fault}`;
    const { classifier } = level;
    if (classifier?.kind === "model" && classifier.binned && !bins)
      return `level ${k + 1} needs bins of the features`;
  }
  if (subtreeEnd(levels, 0) !== levels.length) return "its levels are not a tree";
  const leaves = levels.filter(isLeaf);
  if (leaves.length > origin.mostLeaves) return `it has ${leaves.length} leaves of ${origin.mostLeaves}`;
  if (origin.topology === undefined && leaves.length < levels.length) return "it is not a chain";
  const points = levels.reduce((sum, { correct, wrong }) => sum + correct + wrong, 0);
  return points === origin.rows ? undefined : `its leaves have ${points} of ${origin.rows} training points`;
}

function levelFault(level: CascadeLevel): string | undefined {
  const { classifier, gate, fraction, stay, correct, wrong } = level;
  if ((gate === undefined) !== (fraction === undefined))
    return "has a gate without a fraction or the reverse";
  if (!gate && stay !== undefined) return "has no gate but two branches";
  if (!classifier && (stay === undefined || gate?.kind === "near")) return "has no classifier";
  if (gate?.kind === "near" && classifier?.kind !== "kernel" && classifier?.kind !== "one-vs-rest")
    return "has a gate that takes the distance from a classifier without a kernel";
  if (!isLeaf(level) && correct + wrong > 0) return "has points but no leaf";
  return undefined;
}

/** Finds the end of the levels of a subtree, which are listed depth first; NaN if they are not. */
function subtreeEnd(levels: readonly CascadeLevel[], k: number): number {
  if (!(k < levels.length)) return Number.NaN;
  const { gate, stay } = levels[k];
  if (!gate) return k + 1;
  const end = subtreeEnd(levels, k + 1);
  if (stay === undefined) return end;
  return stay === end ? subtreeEnd(levels, stay) : Number.NaN;
}

/** Returns whether the classifier of a level classifies points. */
export function isLeaf({ stay }: Pick<CascadeLevel, "stay">): boolean {
  return stay === undefined;
}

/** Evaluates a cascade on rows. */
export function cascadeOutputs(model: FittedCascade, features: Matrix): CascadeOutputs {
  const { levels, featureNames, classes, bins } = model;
  for (const machine of levels.flatMap(machinesOf)) checkAmounts(machine.kernel.kind, features, featureNames);
  return evaluateCascade({ levels, classes: classes.length, bins }, features);
}

/** Returns the kernel machines of a level. */
function machinesOf({ classifier }: CascadeLevel): readonly KernelExpansion[] {
  if (classifier?.kind === "kernel") return [classifier.machine];
  return classifier?.kind === "one-vs-rest" ? classifier.machines : [];
}

/** Returns the index of the level that classifies each row. */
export function leafOf(model: CascadeModel, features: Matrix): Int32Array {
  checkFeatures(features, model.featureNames);
  return cascadeOutputs(model, features).leaves;
}

/**
 * Lists the leaves as the theory sees them, in the order of their levels. In a chain, the last leaf has passed as many gates
 * as the one before it, since it has no gate of its own.
 */
export function cascadeLeaves(
  levels: readonly CascadeLevel[],
  measured: "complexity" | "guaranteed" = "complexity",
): CascadeLeaf[] {
  const passed = gatesPassed(levels);
  return levels.flatMap((level, k) => {
    if (!isLeaf(level)) return [];
    const { classifier, gate, correct, wrong, smallestMargin } = level;
    const gates = gate ? [...passed[k], k] : passed[k];
    return {
      level: k + 1,
      depth: gates.length,
      degree: degreeOf(classifier),
      correct,
      wrong,
      points: correct + wrong,
      complexity: level[measured].leaf,
      gateComplexities: gates.map((before) => levels[before][measured].gate),
      smallestMargin,
    };
  });
}

/** Lists the levels whose gates points pass on the way to each level. */
function gatesPassed(levels: readonly CascadeLevel[]): (readonly number[])[] {
  const passed: (readonly number[])[] = [[]];
  for (const [k, { gate, stay }] of levels.entries()) {
    if (gate) passed[k + 1] = [...passed[k], k];
    if (stay !== undefined) passed[stay] = [...passed[k], k];
  }
  return passed;
}

/** Returns the degree of a polynomial classifier; 0 for others. */
function degreeOf(classifier: LeafClassifier | undefined): number {
  if (classifier?.kind === "threshold") return classifier.monomial.length;
  const kernel = kernelOf(classifier);
  return kernel?.kind === "polynomial" ? kernel.degree : 0;
}

/** Returns the kernel of a leaf's machines. */
function kernelOf(classifier: LeafClassifier | undefined): Kernel | undefined {
  if (classifier?.kind === "kernel") return classifier.machine.kernel;
  return classifier?.kind === "one-vs-rest" ? classifier.machines[0].kernel : undefined;
}

/** Computes bound (9) of DeSalvo, Mohri and Syed (2015), which the search minimised. */
export function cascadeBound({ levels, origin }: CascadeParts): number {
  return cascadeObjective(cascadeLeaves(levels), origin.rows, origin.gamma);
}

export function cascadeComplexity({ levels, featureNames }: FittedCascade): Complexity {
  const supportVectors = levels.flatMap(machinesOf).reduce((sum, { support }) => sum + support.rows, 0);
  return {
    counts: { leaves: levels.filter(isLeaf).length, supportVectors, features: featureNames.length },
  };
}

/** Returns whether every solver behind the cascade reached its tolerance; undefined if there are none. */
export function cascadeConverged({ levels }: FittedCascade): boolean | undefined {
  const known = levels.flatMap(({ classifier }) => convergence(classifier) ?? []);
  return known.length > 0 ? known.every((reached) => reached) : undefined;
}

function convergence(classifier: LeafClassifier | undefined): boolean | undefined {
  if (classifier?.kind === "model") return classifier.model.converged;
  if (classifier?.kind !== "kernel" && classifier?.kind !== "one-vs-rest") return undefined;
  return classifier.cost === undefined ? undefined : classifier.openGap === undefined;
}

export function cascadeCertificates(
  model: FittedCascade,
  { confidence }: { readonly confidence: number },
): Certificate[] {
  const { levels, origin, featureNames, classes } = model;
  const { rows, families, mostLeaves, gamma, topology } = origin;
  const certificates = deepCascadeCertificates({
    rows,
    families,
    gatesChosen: true,
    mostLeaves,
    ...(topology !== undefined && { anyTree: true }),
    confidence,
    leaves: cascadeLeaves(levels, "guaranteed"),
    objective: { leaves: cascadeLeaves(levels), gamma },
  });
  // Leaves of infinite dimension have complexity 1: whatever the rows are, no bound is below 1.
  const leaves = levels.filter(isLeaf);
  if (leaves.every(({ classifier }) => leafDimension(classifier, featureNames.length) === Infinity))
    return certificates.map((certificate) => ({ ...certificate, role: "comparison" }));
  // Growth is counted for chains of two classes only.
  if (topology !== undefined || classes.length > 2) return certificates;
  const dimensions = levels.map((level) => levelDimension(level, featureNames.length));
  if (dimensions.some((dimension) => !Number.isFinite(dimension))) return certificates;
  const errors = levels.reduce((sum, { wrong }) => sum + wrong, 0);
  const logChoices = real.log(mostLeaves) + dimensions.length * real.log(families);
  const logGrowth = (points: number) => logCascadeGrowth(points, dimensions);
  return [...certificates, growthFunctionExact({ rows, errors, confidence, logGrowth, logChoices })];
}

/** Returns the dimension of the space that a level's classifier and gate share; Infinity if it is not finite or not shared. */
function levelDimension({ classifier, gate }: CascadeLevel, features: number): number {
  if (gate?.kind === "threshold") return Number.POSITIVE_INFINITY;
  return leafDimension(classifier, features) ?? Number.POSITIVE_INFINITY;
}

/** Returns the VC dimension of a kernel classifier, and Infinity for other learners; undefined for constants and thresholds. */
function leafDimension(classifier: LeafClassifier | undefined, features: number): number | undefined {
  if (classifier?.kind === "model") return Number.POSITIVE_INFINITY;
  const kernel = kernelOf(classifier);
  return kernel && kernelVcDimension(kernel, features, { bias: true });
}
