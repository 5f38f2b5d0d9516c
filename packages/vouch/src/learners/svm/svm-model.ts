import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { formatCount, formatNumber } from "../../runtime/number-format.js";
import type { Json, State } from "../../runtime/state.js";
import type { Certificate } from "../../theory/certificate.js";
import { kernelMachineCertificates } from "../../theory/compression/sample-compression.js";
import { checkKernelFeatures, kernelVcDimension } from "../kernel/kernel.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import type { Complexity, Model } from "../model.js";
import { indexOfLargest, marginsOf, placeScores, predictionsOf } from "../scores.js";
import type { CompressionFacts } from "../training-facts.js";
import type { OneVsOne } from "./pair-machines.js";
import { oneDuel, type PairScores, PairwiseCoupling, voteMargin, votes } from "./pairwise.js";
import { type Sigmoid, sigmoidProbability } from "./platt.js";
import { svmParts, svmState } from "./svm-state.js";

/** How far the solver came with each machine. */
interface Convergence {
  /** The violation of the KKT conditions that it was to come below. */
  readonly tolerance: number;
  /** The largest violation that is left. */
  readonly gaps: Float64Array;
  /** Primal minus dual objective. */
  readonly dualityGaps: Float64Array;
  readonly iterations: Float64Array;
}

/** Whether the solver reached its tolerance with every machine. */
function hasConverged({ gaps, tolerance }: Convergence): boolean {
  return gaps.every((gap) => gap <= tolerance);
}

/** What the user should know of machines that the solver gave up on. `nameOf` gives a machine's name. */
function convergenceNotices(convergence: Convergence, nameOf: (machine: number) => string): string[] {
  if (hasConverged(convergence)) return [];
  const { gaps, tolerance, iterations } = convergence;
  const open = gaps.filter((gap) => gap > tolerance).length;
  const worst = indexOfLargest(gaps);
  const which = gaps.length > 1 ? ` in ${open} of ${gaps.length} machines, most in ${nameOf(worst)}` : "";
  return [
    `The solver stopped after ${formatCount(iterations[worst], "iteration")} before it was done${which}: ` +
      `the conditions of the optimum are violated by ${formatNumber(gaps[worst])}, ` +
      `which is above the tolerance ${formatNumber(tolerance)}. ` +
      "Raise maxIterations or tolerance, or lower C.",
  ];
}

/**
 * Probabilities if the machines have sigmoids, otherwise decision values for two classes and votes for more. Ties go
 * to the class that comes first, and f(x) = 0 to the second class of the pair, as in LIBSVM.
 */
function pairScores({ sigmoids, pairs, counts }: OneVsOne): PairScores {
  if (sigmoids) return coupledProbabilities(sigmoids, counts.length);
  return counts.length === 2 ? oneDuel : votes(pairs, counts.length, "first");
}

function coupledProbabilities(sigmoids: readonly Sigmoid[], classes: number): PairScores {
  const coupling = new PairwiseCoupling(classes);
  const probabilities = new Float64Array(sigmoids.length);
  return (values, scores) => {
    for (let p = 0; p < probabilities.length; p++) {
      probabilities[p] = sigmoidProbability(sigmoids[p], values[p]);
    }
    coupling.couple(probabilities, scores);
  };
}

/** What a model consists of. */
export interface SvmModelParts {
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  /** Index of the class behind each class of the machines, ascending: the classes that training rows had. */
  readonly trained: readonly number[];
  readonly machines: OneVsOne;
  /** ‖w‖² of each pair. */
  readonly squaredNorms: Float64Array;
  /** R² = max K(x, x) over the training rows. */
  readonly squaredRadius: number;
  /** Absent in a model that another program has trained. */
  readonly convergence?: Convergence | undefined;
  /** What certificates need; absent for probabilities, and in files of other programs. */
  readonly training?: CompressionFacts | undefined;
}

/** Support vector machines for all pairs of classes, which vote. */
export class SvmModel implements Model<Matrix>, SvmModelParts {
  readonly learner = "svm";
  readonly scoring: "probability" | "decision";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly trained: readonly number[];
  readonly machines: OneVsOne;
  readonly squaredNorms: Float64Array;
  readonly squaredRadius: number;
  readonly convergence: Convergence | undefined;
  readonly training: CompressionFacts | undefined;

  constructor(parts: SvmModelParts) {
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.trained = parts.trained;
    this.machines = parts.machines;
    this.squaredNorms = parts.squaredNorms;
    this.squaredRadius = parts.squaredRadius;
    this.convergence = parts.convergence;
    this.training = parts.training;
    this.scoring = parts.machines.sigmoids ? "probability" : "decision";
  }

  /** f(x) of every pair of trained classes, in the order (0, 1), (0, 2), … (1, 2), …; positive for the first. */
  decisionValues(features: Matrix): Matrix {
    this.#check(features);
    return this.machines.decisionValues(features);
  }

  /** The machine of one pair on its own: it asks for the kernel values of its own support vectors alone. */
  machineOf(p: number): KernelExpansion {
    const { kernel, supportVectors, biases, pairs } = this.machines;
    const { supportVectors: used, coefficients } = this.machines.partsOf(pairs[p]);
    return new KernelExpansion({
      kernel,
      support: supportVectors.select(used),
      coefficients,
      bias: biases[p],
      norm: Math.sqrt(this.squaredNorms[p]),
    });
  }

  /** What |f(x)| of each pair is at most for rows within the radius R, of which margins are shares: √2·√(‖w‖²R² + b²). */
  get limits(): Float64Array {
    return this.machines.biases.map((bias, p) =>
      Math.sqrt(2 * (this.squaredNorms[p] * this.squaredRadius + bias * bias)),
    );
  }

  /**
   * Probabilities, if the model has sigmoids. Otherwise f(x) and −f(x) for two classes; for more, the duels that each class
   * wins, plus less than half a duel for the sum of its decision values.
   */
  scores(features: Matrix): Matrix {
    this.#check(features);
    const scores = new Matrix(features.rows, this.classes.length);
    const own = new Float64Array(this.trained.length);
    const score = pairScores(this.machines);
    this.machines.forEachRow(features, (values, i) => {
      score(values, own);
      // The winner's score is positive.
      placeScores(own, this.trained, scores.row(i), () => Math.min(0, ...own));
    });
    return scores;
  }

  predict(features: Matrix): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /**
   * With bias b and the radius R of the training rows in feature space, f is the scalar product of (w, b/R) and
   * (φ(x), R). The margin of a duel is y·f(x) / (√2·√(‖w‖²R² + b²)), which is in [−1, 1] where
   * ‖φ(x)‖ ≤ R and is cut to it elsewhere: the margin of the bounds for kernel machines of norm 1 on points of norm 1.
   * With several classes it is the smallest margin of the own class in its duels; 0 if it wins the vote in spite of a lost duel.
   * A model with probabilities decides by them: there it is the own class's probability minus the largest other one.
   */
  margins({ features, labels }: Sample<Matrix>): Float64Array {
    if (this.scoring === "probability") return marginsOf(this.scores(features), labels);
    this.#check(features);
    const { limits } = this;
    const own = new Float64Array(this.trained.length);
    const score = pairScores(this.machines);
    const margins = new Float64Array(labels.length);
    this.machines.forEachRow(features, (values, i) => {
      score(values, own);
      const winner = indexOfLargest(own);
      const known = this.trained.indexOf(labels[i]);
      const smallest = this.#smallestMargin(known < 0 ? winner : known, values, limits);
      margins[i] = voteMargin(smallest, known, winner);
    });
    return margins;
  }

  complexity(): Complexity {
    const { machines, squaredNorms, squaredRadius } = this;
    const vcDimension = kernelVcDimension(machines.kernel, this.featureNames.length, { bias: true });
    return {
      ...(this.classes.length === 2 && Number.isFinite(vcDimension) && { vcDimension }),
      counts: {
        supportVectors: machines.supportVectors.rows,
        features: this.featureNames.length,
        machines: machines.pairs.length,
        largestSquaredNorm: squaredNorms.reduce((largest, norm) => Math.max(largest, norm), 0),
        squaredRadius,
      },
    };
  }

  /**
   * The support vectors determine the machine of two classes: what is optimal for all rows is optimal for the support
   * vectors alone, the others being on the right side of the margin, and w is unique. Of several classes those of all
   * machines together determine each: for a machine the ones of others are further rows on the right side.
   */
  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const { training, convergence, machines } = this;
    if (!training || !convergence) return [];
    const holds = hasConverged(convergence);
    return kernelMachineCertificates({
      ...training,
      confidence,
      machines: machines.pairs.length,
      supportVectors: machines.supportVectors.rows,
      dimension: kernelVcDimension(machines.kernel, this.featureNames.length, { bias: true }),
      determined: {
        statement:
          "Training on the support vectors alone gives the same machines, as it does at the optimum, which the solver reached to its tolerance.",
        holds,
        ...(!holds && { fault: "The solver stopped before it reached the optimum." }),
      },
    });
  }

  /** What the user should know: machines that the solver gave up on. */
  get notices(): readonly string[] {
    return this.convergence ? convergenceNotices(this.convergence, (p) => this.#pairName(p)) : [];
  }

  describe(): Json {
    const { machines, convergence } = this;
    const { kind, ...parameters } = machines.kernel;
    return {
      kernel: kind,
      ...parameters,
      supportVectors: machines.supportVectors.rows,
      squaredRadius: this.squaredRadius,
      ...(convergence && { converged: hasConverged(convergence) }),
      machines: machines.pairs.map((pair, p): Json => {
        const norm = Math.sqrt(this.squaredNorms[p]);
        return {
          classes: this.#pairName(p),
          supportVectors: machines.partsOf(pair).coefficients.length,
          bias: machines.biases[p],
          norm,
          ...(norm > 0 && { margin: 1 / norm }),
          ...(convergence && {
            gap: convergence.gaps[p],
            dualityGap: convergence.dualityGaps[p],
            iterations: convergence.iterations[p],
          }),
        };
      }),
    };
  }

  toState(): State {
    return svmState(this);
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): SvmModel {
    return new SvmModel(svmParts(state));
  }

  #check(features: Matrix): void {
    checkKernelFeatures(this.machines.kernel.kind, features, this.featureNames);
  }

  #smallestMargin(own: number, values: ArrayLike<number>, limits: Float64Array): number {
    let smallest = 1;
    this.machines.pairs.forEach(({ first, second }, p) => {
      if (own !== first && own !== second) return;
      const value = own === first ? values[p] : -values[p];
      const margin = limits[p] > 0 ? value / limits[p] : 0;
      if (margin < smallest) smallest = margin;
    });
    return Math.max(-1, smallest);
  }

  #pairName(p: number): string {
    const { first, second } = this.machines.pairs[p];
    return `${this.classes[this.trained[first]]} or ${this.classes[this.trained[second]]}`;
  }
}
