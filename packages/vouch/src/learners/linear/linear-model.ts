import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { formatCount, formatNumber } from "../../runtime/number-format.js";
import type { SparseRows } from "../../runtime/sparse-rows.js";
import type { Json, State } from "../../runtime/state.js";
import type { Certificate } from "../../theory/certificate.js";
import { kernelMachineCertificates } from "../../theory/compression/sample-compression.js";
import type { Complexity, Model } from "../model.js";
import { belowAll, indexOfLargest, placeScores, predictionsOf } from "../scores.js";
import type { CompressionFacts } from "../training-facts.js";
import { checkColumns, checkFinite } from "../training-sample.js";
import type { LinearLoss } from "./dual-coordinate-descent.js";
import type { Hyperplanes } from "./hyperplanes.js";
import { linearParts, linearState } from "./linear-state.js";

/** How far the solver came with each machine. */
interface LinearConvergence {
  /** What the spread of projected gradients was to come below. */
  readonly tolerance: number;
  /** What is left of it. */
  readonly violations: Float64Array;
  /** Primal minus dual objective. */
  readonly dualityGaps: Float64Array;
  readonly passes: Float64Array;
}

/** Whether the solver reached its tolerance with every machine. */
function hasLinearConverged({ violations, tolerance }: LinearConvergence): boolean {
  return violations.every((violation) => violation <= tolerance);
}

/** What the user should know of machines that the solver gave up on. `nameOf` gives a machine's name. */
function linearConvergenceNotices(
  convergence: LinearConvergence,
  nameOf: (machine: number) => string,
): string[] {
  if (hasLinearConverged(convergence)) return [];
  const { violations, tolerance, passes } = convergence;
  const open = violations.filter((violation) => violation > tolerance).length;
  const worst = indexOfLargest(violations);
  const which =
    violations.length > 1 ? ` in ${open} of ${violations.length} machines, most for ${nameOf(worst)}` : "";
  return [
    `The solver stopped after ${formatCount(passes[worst], "pass", "passes")} before it was done${which}: ` +
      `projected gradients are still ${formatNumber(violations[worst])} apart, ` +
      `which is above the tolerance ${formatNumber(tolerance)}. ` +
      "Raise maxPasses or tolerance, or lower C.",
  ];
}

/** What a model consists of. */
export interface LinearSvmModelParts {
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  /** Index of each class that training rows had, ascending. */
  readonly trained: readonly number[];
  readonly loss: LinearLoss;
  /** The value of the constant feature. */
  readonly biasFeature: number;
  /** One for the first of two trained classes, or one for each of several: positive for its class. */
  readonly machines: Hyperplanes;
  /** ‖w‖² + v² of each machine, v being the weight of the constant feature. */
  readonly squaredNorms: Float64Array;
  /** How many rows each machine depends on. */
  readonly supportVectors: Int32Array;
  /** R² = max ‖x‖² over the training rows. */
  readonly squaredRadius: number;
  readonly convergence: LinearConvergence;
  /** What certificates need; absent for more than two classes. */
  readonly training?: CompressionFacts | undefined;
}

/** A hyperplane between two classes, or one around each of several. */
export class LinearSvmModel implements Model<Matrix | SparseRows>, LinearSvmModelParts {
  readonly learner = "linear-svm";
  readonly scoring = "decision";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly trained: readonly number[];
  readonly loss: LinearLoss;
  readonly biasFeature: number;
  readonly machines: Hyperplanes;
  readonly squaredNorms: Float64Array;
  readonly supportVectors: Int32Array;
  readonly squaredRadius: number;
  readonly convergence: LinearConvergence;
  readonly training: CompressionFacts | undefined;

  constructor(parts: LinearSvmModelParts) {
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.trained = parts.trained;
    this.loss = parts.loss;
    this.biasFeature = parts.biasFeature;
    this.machines = parts.machines;
    this.squaredNorms = parts.squaredNorms;
    this.supportVectors = parts.supportVectors;
    this.squaredRadius = parts.squaredRadius;
    this.convergence = parts.convergence;
    this.training = parts.training;
  }

  /** f(x) of every machine. */
  decisionValues(features: Matrix | SparseRows): Matrix {
    checkColumns(features, this.featureNames);
    if (features instanceof Matrix) checkFinite(features, this.featureNames);
    return this.machines.values(features);
  }

  /** f(x) and −f(x) for two classes, f(x) of each class's machine for more. */
  scores(features: Matrix | SparseRows): Matrix {
    const scores = new Matrix(features.rows, this.classes.length);
    this.#forEachRow(features, (own, i) => placeScores(own, this.trained, scores.row(i), belowAll));
    return scores;
  }

  predict(features: Matrix | SparseRows): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /**
   * Let u = (w, v) and z = (x, constant), so that f(x) = u·z, and ‖z‖ ≤ ρ on the training rows. The margin is the smallest
   * of (f_y − f_k)/((‖u_y‖ + ‖u_k‖)ρ) over the other classes k, cut to [−1, 1]; for two classes it is y·f(x)/(‖u‖ρ), the
   * margin of a hyperplane of norm 1 on points of norm at most 1.
   */
  margins({ features, labels }: Sample<Matrix | SparseRows>): Float64Array {
    const radius = Math.sqrt(this.squaredRadius + this.biasFeature ** 2);
    const norms = this.trained.map(
      (_, c) => radius * Math.sqrt(this.squaredNorms[c] ?? this.squaredNorms[0]),
    );
    const margins = new Float64Array(labels.length);
    this.#forEachRow(features, (own, i) => {
      const known = this.trained.indexOf(labels[i]);
      const margin = smallestMargin(own, known < 0 ? indexOfLargest(own) : known, norms);
      margins[i] = known < 0 ? -margin : margin;
    });
    return margins;
  }

  complexity(): Complexity {
    const features = this.featureNames.length;
    return {
      ...(this.classes.length === 2 && { vcDimension: features + (this.biasFeature > 0 ? 1 : 0) }),
      counts: {
        features,
        machines: this.machines.biases.length,
        largestSquaredNorm: this.squaredNorms.reduce((largest, norm) => Math.max(largest, norm), 0),
        squaredRadius: this.squaredRadius,
      },
    };
  }

  /**
   * The support vectors determine the machine of two classes: what is optimal for all rows is optimal for them alone,
   * since the others cost nothing, and the optimum is unique, the constant feature's weight being part of the norm.
   */
  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const { training, convergence } = this;
    if (!training) return [];
    const holds = hasLinearConverged(convergence);
    return kernelMachineCertificates({
      ...training,
      confidence,
      supportVectors: this.supportVectors[0],
      dimension: this.featureNames.length + 1,
      determined: {
        statement:
          "Training on the support vectors alone gives the same machine, as it does at the optimum, which the solver reached to its tolerance.",
        holds,
        ...(!holds && { fault: "The solver stopped before it reached the optimum." }),
      },
    });
  }

  /** What the user should know: machines that the solver gave up on. */
  get notices(): readonly string[] {
    return linearConvergenceNotices(this.convergence, (machine) => this.#nameOf(machine));
  }

  describe(): Json {
    const { machines, convergence, squaredNorms, supportVectors } = this;
    return {
      loss: this.loss,
      biasFeature: this.biasFeature,
      squaredRadius: this.squaredRadius,
      converged: hasLinearConverged(convergence),
      machines: Array.from(machines.biases, (bias, m): Json => {
        const norm = Math.sqrt(squaredNorms[m]);
        return {
          classes: this.#nameOf(m),
          supportVectors: supportVectors[m],
          bias,
          norm,
          ...(norm > 0 && { margin: 1 / norm }),
          violation: convergence.violations[m],
          dualityGap: convergence.dualityGaps[m],
          passes: convergence.passes[m],
        };
      }),
    };
  }

  toState(): State {
    return linearState(this);
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): LinearSvmModel {
    return new LinearSvmModel(linearParts(state));
  }

  /** Visits the scores of the trained classes of each row. */
  #forEachRow(features: Matrix | SparseRows, visit: (scores: Float64Array, row: number) => void): void {
    const all = this.decisionValues(features);
    const scores = new Float64Array(this.trained.length);
    for (let i = 0; i < all.rows; i++) {
      const values = all.row(i);
      scores.set(values);
      if (values.length === 1) scores[1] = -values[0];
      visit(scores, i);
    }
  }

  #nameOf(machine: number): string {
    const { classes, trained } = this;
    const own = classes[trained[machine]];
    return `${own} or ${this.machines.biases.length === 1 ? classes[trained[1]] : "another class"}`;
  }
}

function smallestMargin(scores: Float64Array, own: number, norms: readonly number[]): number {
  let smallest = 1;
  for (let k = 0; k < scores.length; k++) {
    if (k === own) continue;
    const limit = norms[own] + norms[k];
    const margin = limit > 0 ? (scores[own] - scores[k]) / limit : 0;
    if (margin < smallest) smallest = margin;
  }
  return Math.max(-1, smallest);
}
