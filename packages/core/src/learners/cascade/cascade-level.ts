import * as z from "zod";
import {
  checked,
  converted,
  json,
  list,
  object,
  optional,
  type Part,
  type PartsOf,
  trainedClasses,
  variant,
} from "../../runtime/codec/parts.js";
import {
  nonNegativeInteger,
  nonNegativeNumber,
  positiveInteger,
  proportion,
  realNumber,
} from "../../runtime/codec/schema-numbers.js";
import { float64 } from "../../runtime/codec/tensor-parts.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import { kernelSchema } from "../kernel/kernel-options.js";
import { kernelVectors } from "../kernel/kernel-parts.js";
import type { Model } from "../model.js";
import { nestedModel } from "../nested.js";
import type { GateEdge } from "./near-gates.js";

/** Features by index, whose product it is; a feature may occur several times. */
export type Monomial = readonly number[];

/** The classifier of a leaf: scores of the classes, of which the largest is the prediction. */
export type LeafClassifier =
  /** The scores of two classes are f and −f. */
  | {
      readonly kind: "kernel";
      readonly machine: KernelExpansion;
      /** C of a support vector machine. */
      readonly cost?: number | undefined;
      /** The violation of the KKT conditions that is left, if the solver did not converge. */
      readonly openGap?: number | undefined;
    }
  /** One machine per class, or a single one with scores f and −f for two of the classes. */
  | {
      readonly kind: "one-vs-rest";
      /** The classes that they distinguish, ascending; the others get a score below these. */
      readonly trained: readonly number[];
      readonly machines: readonly KernelExpansion[];
      readonly cost?: number | undefined;
      readonly openGap?: number | undefined;
    }
  | { readonly kind: "constant"; readonly class: number }
  /** One class if the monomial is above the cut, otherwise the other one. */
  | {
      readonly kind: "threshold";
      readonly monomial: Monomial;
      readonly cut: number;
      readonly above: number;
      readonly below: number;
    }
  /** A model of another learner, on numbers or on bins of them. */
  | { readonly kind: "model"; readonly model: Model; readonly binned: boolean };

/** A gate: points that meet its condition go on to the next level, the others stay. */
export type Gate =
  /** |f(x)| is at most, or below, the threshold, f being the classifier of the same level. */
  | { readonly kind: "near"; readonly threshold: number; readonly edge: GateEdge }
  /** The monomial is above the cut, or else not above it. */
  | {
      readonly kind: "threshold";
      readonly monomial: Monomial;
      readonly cut: number;
      readonly above: boolean;
    };

const complexities = z.strictObject({ leaf: nonNegativeNumber, gate: nonNegativeNumber });

const monomial: Part<Monomial> = checked(
  json(z.array(nonNegativeInteger).min(1).max(100)),
  (factors, { features }) => {
    const odd = factors.find((feature) => feature >= features);
    return odd === undefined ? undefined : `it takes feature ${odd} of ${features}`;
  },
);

const machine: Part<KernelExpansion> = converted(
  object({
    kernel: kernelSchema,
    bias: realNumber,
    norm: nonNegativeNumber,
    support: kernelVectors("support", "features"),
    coefficients: float64(["support"]),
  }),
  (expansion: KernelExpansion) => expansion,
  (stored) => new KernelExpansion(stored),
);

/** The index of a class. */
const classIndex: Part<number> = checked(json(nonNegativeInteger), (index, { classes }) =>
  index < classes ? undefined : `it has class ${index} of ${classes}`,
);

const solver = { cost: nonNegativeNumber.optional(), openGap: nonNegativeNumber.optional() };

const classifier: Part<LeafClassifier> = checked(
  variant({
    kernel: { machine, ...solver },
    "one-vs-rest": { trained: trainedClasses, machines: list(machine, { min: 1 }), ...solver },
    constant: { class: classIndex },
    threshold: { monomial, cut: realNumber, above: classIndex, below: classIndex },
    model: { model: nestedModel, binned: z.boolean() },
  }),
  (own, sizes) => classifierFault(own, sizes),
);

/** Says why a classifier cannot be part of a cascade. */
function classifierFault(
  own: LeafClassifier,
  { classes, features }: Readonly<Record<string, number>>,
): string | undefined {
  if (own.kind === "kernel") return classes === 2 ? undefined : "one machine is for two classes";
  if (own.kind === "one-vs-rest") {
    const machines = own.trained.length > 2 ? own.trained.length : 1;
    return own.machines.length === machines ? undefined : `it has ${own.machines.length} machines`;
  }
  if (own.kind !== "model") return undefined;
  const fits = own.model.classes.length === classes && own.model.featureNames.length === features;
  return fits ? undefined : "a model at a leaf has other classes or features";
}

const gate: Part<Gate> = variant({
  near: { threshold: nonNegativeNumber, edge: z.enum(["closed", "strict"]) },
  threshold: { monomial, cut: realNumber, above: z.boolean() },
});

const levelFields = {
  /** Classifies the points that stay; absent if they go to another level and the gate does not need it either. */
  classifier: optional(classifier),
  /** Points that meet its condition go on to the next level; absent at a level without further levels. */
  gate: optional(gate),
  /** Fraction of its points that the gate was to pass on; absent without a gate. */
  fraction: z.number().positive().max(1).optional(),
  /** Index of the level that points which stay go to; absent if the classifier of this level classifies them. */
  stay: positiveInteger.optional(),
  /** m_k⁺ and m_k⁻: training points that it classifies, by whether they are classified correctly. */
  correct: nonNegativeInteger,
  wrong: nonNegativeInteger,
  /** ρ_k: the smallest y·h_k(x) of the correct ones, with h_k scaled to [−1, 1]; 0 if there are none. */
  smallestMargin: proportion,
  /** c(H_k) and c(Q_k) as the search measured them. */
  complexity: complexities,
  /** Upper bounds on the Rademacher complexities of both families, for certificates. */
  guaranteed: complexities,
};

/** A level of a fitted cascade: a leaf, or a gate whose branches are a leaf or further levels. */
export type CascadeLevel = PartsOf<typeof levelFields>;

export const cascadeLevel: Part<CascadeLevel> = object(levelFields);

/** A level before its training points are counted. */
export type TrainedLevel = Pick<CascadeLevel, "classifier" | "gate" | "stay" | "complexity" | "guaranteed">;
