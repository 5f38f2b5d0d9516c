import { kernelBallComplexity } from "../bounds/rademacher-kernel-ball.js";
import { leafVcComplexity } from "../bounds/vc-complexity.js";
import { polynomialVcDimension } from "../bounds/vc-dimension-polynomial.js";
import type { KernelRows } from "../kernel/index.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import { Matrix } from "../numeric/matrix.js";
import { stumpVcDimension } from "../stump/index.js";
import { type Classifier, Evaluation } from "./classifier.js";
import { correctOf } from "./gate.js";
import { type Machine, type MachineSettings, trainMachine, type Workplace } from "./machine.js";
import type { MonomialColumn } from "./monomial-table.js";
import { bestConstant, bestThreshold, LabelledRows } from "./thresholds.js";

/** A classifier from a family, fitted to the rows of a leaf. */
export interface FittedLeaf {
  /** How many of the rows it gets right. */
  readonly correct: number;
  /** ‖w‖ of kernel classifiers, 0 for others. */
  readonly norm: number;
  /** What is left of the largest violation of the conditions where a solver gave up. */
  readonly openGap?: number;
  classifier(): Classifier;
}

/** A set of hypotheses H that the classifier of a leaf may come from. */
export interface LeafFamily {
  /** Degree of the polynomials in it; 0 for constants. */
  readonly degree: number;
  /** VC dimension, or an upper bound of it. */
  readonly dimension: number;
  /** The best classifier for some rows: of least error, or for kernels of least surrogate. */
  fit(rows: Int32Array): Promise<FittedLeaf>;
  /** An upper bound of R̂_S for a leaf with a classifier of that norm; 0 ≤ norm. */
  rademacher(norm: number): number;
}

/** The two constants. R̂_S ≤ 1/√m, since E|Σσ_i| ≤ √m. */
export function constantLeaves(labels: Int8Array, m: number): LeafFamily {
  return {
    degree: 0,
    dimension: 1,
    async fit(rows) {
      const points = new LabelledRows(rows, labels);
      const correct = Math.max(points.positive, rows.length - points.positive);
      return { correct, norm: 0, classifier: () => bestConstant(points) };
    },
    rademacher: () => 1 / Math.sqrt(m),
  };
}

/** Thresholds on monomials, the constants among them; `complexity` is what R̂_S was found to be at most. */
export function thresholdLeaves(
  features: Matrix,
  labels: Int8Array,
  columns: readonly MonomialColumn[],
  degree: number,
  complexity: () => number,
): LeafFamily {
  return {
    degree,
    dimension: stumpVcDimension(columns.length),
    async fit(rows) {
      const best = bestThreshold(new LabelledRows(rows, labels), columns);
      const correct = correctOf(new Evaluation(features).values(best, rows), rows, labels);
      return { correct, norm: 0, classifier: () => best };
    },
    rademacher: complexity,
  };
}

/** Support vector machines with a polynomial kernel. R̂_S is that of the ball with the norm of the trained one. */
export function kernelLeaves(
  features: Matrix,
  labels: Int8Array,
  kernel: KernelRows,
  training: Int32Array,
  choice: number,
  settings: MachineSettings,
  workplace: Workplace,
): LeafFamily {
  const degree = kernel.kernel.kind === "polynomial" ? kernel.kernel.degree : 1;
  const unit = kernelBallComplexity(
    Float64Array.from(training, (row) => kernel.diagonal[row]),
    1,
  );
  return {
    degree,
    dimension: polynomialVcDimension(features.columns, degree),
    async fit(rows) {
      const machine = await trainMachine(kernel, rows, labels, choice, settings, workplace);
      const correct = correctOf(machine.values, rows, labels);
      const classifier = (): Classifier => ({
        kind: "kernel",
        machine: expansionOf(features, kernel, rows, machine),
        ...(machine.cost !== undefined && { cost: machine.cost }),
      });
      const { norm, openGap } = machine;
      return { correct, norm, classifier, ...(openGap !== undefined && { openGap }) };
    },
    rademacher: (norm) => Math.min(1, norm * unit),
  };
}

/** What a machine on some rows of a sample predicts with. */
export function expansionOf(
  features: Matrix,
  { kernel }: KernelRows,
  rows: Int32Array,
  { coefficients, bias, norm }: Machine,
): KernelExpansion {
  const used = rows.filter((_, i) => coefficients[i] !== 0);
  return new KernelExpansion({
    kernel,
    support: new Matrix(used.length, features.columns, Float64Array.from(features.select(used).values)),
    coefficients: coefficients.filter((coefficient) => coefficient !== 0),
    bias,
    norm,
  });
}

/** An upper bound of R̂_S of a family of classifiers on m points, from its VC dimension, for certificates. */
export function guaranteedLeaf({ dimension, degree }: LeafFamily, m: number): number {
  const constants = 1 / Math.sqrt(m);
  return degree === 0 ? Math.min(constants, leafVcComplexity(1, m)) : leafVcComplexity(dimension, m);
}
