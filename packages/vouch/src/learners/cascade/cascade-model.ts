import * as z from "zod";
import type { Matrix } from "../../runtime/matrix.js";
import { counted, countedFromOne, finiteAmount, unitShare } from "../../runtime/number-ranges.js";
import { list, type PartsOf } from "../../runtime/parts.js";
import type { CascadeLeaf } from "../../theory/cascades/leaf-complexity.js";
import { cascadeObjective } from "../../theory/cascades/objectives.js";
import { deepCascadeCertificates } from "../../theory/cascades/theorem-1.js";
import type { Certificate } from "../../theory/certificate.js";
import { growthFunctionExact } from "../../theory/vc/growth-function.js";
import { logCascadeGrowth } from "../../theory/vc/growth-of-families.js";
import type { Fitted, FittedModel } from "../frame.js";
import { checkAmounts, kernelVcDimension } from "../kernel/kernel.js";
import type { Complexity } from "../model.js";
import { checkFeatures } from "../training-sample.js";
import {
  type CascadeLevel,
  type CascadeOutputs,
  cascadeLevel,
  evaluateCascade,
  type LeafClassifier,
} from "./cascade-level.js";
import { cascadeDepth, complexityTerms, MOST_LEVELS } from "./cascade-options.js";

/** How a cascade was found. */
const origin = z.strictObject({
  /** Scale of the complexity term in bound (9). */
  gamma: finiteAmount.positive(),
  complexity: z.enum(complexityTerms),
  /** m, the training points. */
  rows: countedFromOne,
  /** Families to choose from at each level, and the largest number of levels. */
  families: countedFromOne,
  mostLeaves: cascadeDepth,
  /** Number of distinct cascades, all of them covered, and of those that the printed algorithm lists. */
  distinct: finiteAmount,
  listed: finiteAmount,
  /** Number of nodes that were trained to find it. */
  trained: counted,
  /** Error of the cascade of each γ on validation rows; empty if there was only one γ. */
  validation: z
    .array(
      z.strictObject({ gamma: finiteAmount, error: unitShare, depth: z.number().min(1).max(MOST_LEVELS) }),
    )
    .readonly(),
  notices: z.array(z.string()).readonly(),
});

/** The parts of a deep cascade: a chain of gates with a classifier at each leaf (Figure 1 of the paper). */
export const cascadeParts = {
  levels: list(cascadeLevel, { min: 1, max: MOST_LEVELS }),
  origin,
};

export type CascadeParts = PartsOf<typeof cascadeParts>;

/** A deep cascade: a chain of gates with a classifier at each leaf. */
export type CascadeModel = FittedModel<typeof cascadeParts, Matrix>;

/** A cascade as the functions of its definition see it. */
export type FittedCascade = Fitted<typeof cascadeParts>;

/** Says what does not fit together in a cascade from a file. */
export function cascadeFault({ levels, origin }: FittedCascade): string | undefined {
  if (levels.length > origin.mostLeaves) return `it has ${levels.length} levels of ${origin.mostLeaves}`;
  for (const [k, { classifier, gate, fraction }] of levels.entries()) {
    const gated = k < levels.length - 1;
    if ((gate !== undefined) !== gated || (fraction !== undefined) !== gated)
      return `level ${k + 1} of ${levels.length} has ${gated ? "no gate" : "a gate"}`;
    if (gate?.kind === "near" && classifier.kind !== "kernel")
      return `the gate of level ${k + 1} takes the distance from a classifier without a kernel`;
  }
  const points = levels.reduce((sum, { correct, wrong }) => sum + correct + wrong, 0);
  return points === origin.rows ? undefined : `its leaves have ${points} of ${origin.rows} training points`;
}

/** Evaluates a cascade on rows. */
export function cascadeOutputs({ levels, featureNames }: FittedCascade, features: Matrix): CascadeOutputs {
  for (const { classifier } of levels) {
    if (classifier.kind === "kernel") checkAmounts(classifier.machine.kernel.kind, features, featureNames);
  }
  return evaluateCascade(levels, features);
}

/** Returns the index of the level that classifies each row. */
export function leafOf(model: CascadeModel, features: Matrix): Int32Array {
  checkFeatures(features, model.featureNames);
  return cascadeOutputs(model, features).leaves;
}

/**
 * Lists the leaves as the theory sees them. The last leaf has passed as many gates as the one before it, since it has no gate
 * of its own.
 */
export function cascadeLeaves(
  levels: readonly CascadeLevel[],
  measured: "complexity" | "guaranteed" = "complexity",
): CascadeLeaf[] {
  return levels.map((level, k) => {
    const { classifier, gate, correct, wrong, smallestMargin } = level;
    const gates = levels.slice(0, gate ? k + 1 : k);
    return {
      level: k + 1,
      depth: gates.length,
      degree: degreeOf(classifier),
      correct,
      wrong,
      points: correct + wrong,
      complexity: level[measured].leaf,
      gateComplexities: gates.map((passed) => passed[measured].gate),
      smallestMargin,
    };
  });
}

/** Returns the degree of a polynomial classifier; 0 for others. */
function degreeOf(classifier: LeafClassifier): number {
  if (classifier.kind === "threshold") return classifier.monomial.length;
  if (classifier.kind !== "kernel") return 0;
  const { kernel } = classifier.machine;
  return kernel.kind === "polynomial" ? kernel.degree : 0;
}

/** Computes bound (9) of DeSalvo, Mohri and Syed (2015), which the search minimised. */
export function cascadeBound({ levels, origin }: CascadeParts): number {
  return cascadeObjective(cascadeLeaves(levels), origin.rows, origin.gamma);
}

export function cascadeComplexity({ levels, featureNames }: FittedCascade): Complexity {
  const supportVectors = levels.reduce((sum, { classifier }) => sum + supportOf(classifier), 0);
  return { counts: { leaves: levels.length, supportVectors, features: featureNames.length } };
}

function supportOf(classifier: LeafClassifier): number {
  return classifier.kind === "kernel" ? classifier.machine.support.rows : 0;
}

/** Tells whether the solver reached its tolerance with every support vector machine; undefined if there are none. */
export function cascadeConverged({ levels }: FittedCascade): boolean | undefined {
  const machines = levels.flatMap(({ classifier }) =>
    classifier.kind === "kernel" && classifier.cost !== undefined ? classifier : [],
  );
  return machines.length > 0 ? machines.every(({ openGap }) => openGap === undefined) : undefined;
}

export function cascadeCertificates(
  { levels, origin, featureNames }: FittedCascade,
  { confidence }: { readonly confidence: number },
): Certificate[] {
  const { rows, families, mostLeaves, gamma } = origin;
  const certificates = deepCascadeCertificates({
    rows,
    families,
    gatesChosen: true,
    mostLeaves,
    confidence,
    leaves: cascadeLeaves(levels, "guaranteed"),
    objective: { leaves: cascadeLeaves(levels), gamma },
  });
  // Leaves of infinite dimension have complexity 1: whatever the rows are, no bound is below 1.
  if (levels.every(({ classifier }) => leafDimension(classifier, featureNames.length) === Infinity))
    return certificates.map((certificate) => ({ ...certificate, role: "comparison" }));
  const dimensions = levels.map((level) => levelDimension(level, featureNames.length));
  if (dimensions.some((dimension) => !Number.isFinite(dimension))) return certificates;
  const errors = levels.reduce((sum, { wrong }) => sum + wrong, 0);
  const logChoices = Math.log(mostLeaves) + dimensions.length * Math.log(families);
  const logGrowth = (points: number) => logCascadeGrowth(points, dimensions);
  return [...certificates, growthFunctionExact({ rows, errors, confidence, logGrowth, logChoices })];
}

/** Returns the dimension of the space that a level's classifier and gate share; Infinity if it is not finite or not shared. */
function levelDimension({ classifier, gate }: CascadeLevel, features: number): number {
  if (gate?.kind === "threshold") return Number.POSITIVE_INFINITY;
  return leafDimension(classifier, features) ?? Number.POSITIVE_INFINITY;
}

/** Returns the VC dimension of a kernel classifier; undefined for others. */
function leafDimension(classifier: LeafClassifier, features: number): number | undefined {
  if (classifier.kind !== "kernel") return undefined;
  return kernelVcDimension(classifier.machine.kernel, features, { bias: true });
}
