import * as z from "zod";
import type { Matrix } from "../../runtime/matrix.js";
import { counted, finiteAmount, finiteReal, unitShare } from "../../runtime/number-ranges.js";
import {
  checked,
  converted,
  json,
  object,
  optional,
  type Part,
  type PartsOf,
  variant,
} from "../../runtime/parts.js";
import { float64, matrix } from "../../runtime/tensor-parts.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import { kernelSchema } from "../kernel/kernel-options.js";
import { type GateEdge, isNear } from "./near-gates.js";

/** Features by index, whose product it is; a feature may occur several times. */
export type Monomial = readonly number[];

/** The classifier of a leaf: a function whose sign is the class, + for the first one. */
export type LeafClassifier =
  | {
      readonly kind: "kernel";
      readonly machine: KernelExpansion;
      /** C of a support vector machine. */
      readonly cost?: number | undefined;
      /** The violation of the KKT conditions that is left, if the solver did not converge. */
      readonly openGap?: number | undefined;
    }
  | { readonly kind: "constant"; readonly sign: 1 | -1 }
  /** `sign` if the monomial is above the cut, otherwise −`sign`. */
  | { readonly kind: "threshold"; readonly monomial: Monomial; readonly cut: number; readonly sign: 1 | -1 };

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

const sign = z.union([z.literal(1), z.literal(-1)]);
const complexities = z.strictObject({ leaf: finiteAmount, gate: finiteAmount });

const monomial: Part<Monomial> = checked(json(z.array(counted).min(1).max(100)), (factors, { features }) => {
  const odd = factors.find((feature) => feature >= features);
  return odd === undefined ? undefined : `it takes feature ${odd} of ${features}`;
});

const machine: Part<KernelExpansion> = converted(
  object({
    kernel: kernelSchema,
    bias: finiteReal,
    norm: finiteAmount,
    support: matrix("support", "features"),
    coefficients: float64(["support"]),
  }),
  (expansion: KernelExpansion) => expansion,
  (stored) => new KernelExpansion(stored),
);

const classifier: Part<LeafClassifier> = variant({
  kernel: { machine, cost: finiteAmount.optional(), openGap: finiteAmount.optional() },
  constant: { sign },
  threshold: { monomial, cut: finiteReal, sign },
});

const gate: Part<Gate> = variant({
  near: { threshold: finiteAmount, edge: z.enum(["closed", "strict"]) },
  threshold: { monomial, cut: finiteReal, above: z.boolean() },
});

const levelFields = {
  /** Classifies the points that stay. */
  classifier,
  /** Absent at the last level. */
  gate: optional(gate),
  /** Fraction of its points that the gate was to pass on; absent at the last level. */
  fraction: z.number().positive().max(1).optional(),
  /** m_k⁺ and m_k⁻: training points that stay, by whether they are classified correctly. */
  correct: counted,
  wrong: counted,
  /** ρ_k: the smallest y·h_k(x) of the correct ones, with h_k scaled to [−1, 1]; 0 if there are none. */
  smallestMargin: unitShare,
  /** c(H_k) and c(Q_k) as the search measured them. */
  complexity: complexities,
  /** Upper bounds on the Rademacher complexities of both families, for certificates. */
  guaranteed: complexities,
};

/** A level of a fitted cascade. */
export type CascadeLevel = PartsOf<typeof levelFields>;

export const cascadeLevel: Part<CascadeLevel> = object(levelFields);

/** A level before its training points are counted. */
export type TrainedLevel = Pick<CascadeLevel, "classifier" | "gate" | "complexity" | "guaranteed">;

/** How a cascade classifies rows. */
export interface CascadeOutputs {
  /** f(x) of the classifier of the row's leaf. */
  readonly values: Float64Array;
  /** The largest |f(x)| that is possible for the row. */
  readonly limits: Float64Array;
  /** Index of the level that the row stays at. */
  readonly leaves: Int32Array;
}

/** Passes rows from level to level; each is classified by the leaf of the level that it stays at. */
export function evaluateCascade(
  levels: readonly Pick<CascadeLevel, "classifier" | "gate">[],
  features: Matrix,
): CascadeOutputs {
  const values = new Float64Array(features.rows);
  const limits = new Float64Array(features.rows);
  const leaves = new Int32Array(features.rows);
  let rows = Int32Array.from(values, (_, row) => row);
  for (const [k, level] of levels.entries()) {
    const { stay, on, staying } = divide(level, features, rows);
    stay.forEach((row, i) => {
      values[row] = staying[i];
      limits[row] = limitOf(level.classifier, features.row(row));
      leaves[row] = k;
    });
    rows = on;
  }
  return { values, limits, leaves };
}

interface Division {
  readonly stay: Int32Array<ArrayBuffer>;
  readonly on: Int32Array<ArrayBuffer>;
  /** f(x) of the rows that stay. */
  readonly staying: Float64Array;
}

/** Divides the rows that reach a level; where its gate needs the values of its classifier, they are computed once. */
function divide(
  { classifier, gate }: Pick<CascadeLevel, "classifier" | "gate">,
  features: Matrix,
  rows: Int32Array<ArrayBuffer>,
): Division {
  if (gate?.kind === "near") {
    const values = classifierValues(classifier, features, rows);
    const goes = values.map((value) => Number(isNear(Math.abs(value), gate.threshold, gate.edge)));
    return {
      stay: rows.filter((_, i) => !goes[i]),
      on: rows.filter((_, i) => goes[i]),
      staying: values.filter((_, i) => !goes[i]),
    };
  }
  const goes = (row: number) => gate !== undefined && passes(gate, features.row(row));
  const stay = rows.filter((row) => !goes(row));
  return { stay, on: rows.filter(goes), staying: classifierValues(classifier, features, stay) };
}

/** Computes f(x) of some rows. */
function classifierValues(classifier: LeafClassifier, features: Matrix, rows: Int32Array): Float64Array {
  switch (classifier.kind) {
    case "kernel":
      return classifier.machine.values(features.select(rows));
    case "constant":
      return new Float64Array(rows.length).fill(classifier.sign);
    case "threshold": {
      const { monomial, cut, sign } = classifier;
      return Float64Array.from(rows, (row) =>
        monomialValue(monomial, features.row(row)) > cut ? sign : -sign,
      );
    }
  }
}

/** Tells whether a row meets the condition of a gate with a monomial. */
function passes(
  { monomial, cut, above }: Extract<Gate, { kind: "threshold" }>,
  row: ArrayLike<number>,
): boolean {
  return monomialValue(monomial, row) > cut === above;
}

/** Multiplies the features of a monomial. */
function monomialValue(monomial: Monomial, row: ArrayLike<number>): number {
  return monomial.reduce((product, feature) => product * row[feature], 1);
}

function limitOf(classifier: LeafClassifier, row: ArrayLike<number>): number {
  return classifier.kind === "kernel" ? classifier.machine.limit(row) : 1;
}
