import { z } from "zod";
import type { Sample } from "../data/sample.js";
import { kernelSchema } from "../kernel/kernel-schema.js";
import type { Complexity, Model } from "../learning/model.js";
import { indexOfLargest, marginsOf, predictionsOf } from "../learning/scores.js";
import { checkFeatures } from "../learning/training-sample.js";
import { formatCount, formatNumber } from "../number-format.js";
import { Matrix } from "../numeric/matrix.js";
import type { Json, State } from "../state/state.js";
import { StateReader } from "../state/state-reader.js";
import { checkAmounts } from "./choose-kernel.js";
import { PairwiseCoupling } from "./coupling.js";
import { OneVsOne, pairsOf } from "./one-vs-one.js";
import { sigmoidProbability } from "./platt.js";

/** How well the solver did on each pair. */
export interface Convergence {
  readonly tolerance: number;
  /** The largest violation of the KKT conditions that is left. */
  readonly gaps: Float64Array;
  /** Primal minus dual objective. */
  readonly dualityGaps: Float64Array;
  readonly iterations: Float64Array;
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
  readonly convergence?: Convergence;
}

/** A class's confidence counts for less than half a vote. */
const CONFIDENCE_SHARE = 1 / 3;

const structure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()),
  trained: z.array(z.int().min(0)).min(2),
  kernel: kernelSchema,
  supportVectors: z.int().min(1),
  squaredRadius: z.number().min(0),
  probability: z.boolean(),
  tolerance: z.number().positive().nullable(),
});

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

  constructor(parts: SvmModelParts) {
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.trained = parts.trained;
    this.machines = parts.machines;
    this.squaredNorms = parts.squaredNorms;
    this.squaredRadius = parts.squaredRadius;
    this.convergence = parts.convergence;
    this.scoring = parts.machines.sigmoids ? "probability" : "decision";
  }

  /** f(x) of every pair of trained classes, in the order (0, 1), (0, 2), … (1, 2), …; positive for the first. */
  decisionValues(features: Matrix): Matrix {
    checkFeatures(features, this.featureNames);
    checkAmounts(this.machines.kernel.kind, features, this.featureNames);
    return this.machines.decisionValues(features);
  }

  /**
   * Probabilities, if the model has sigmoids. Otherwise f(x) and −f(x) for two classes; for more, the votes of each
   * class plus less than half a vote for the sum of its decision values, where who ties the winner scores no more than
   * the winner. As in LIBSVM, f(x) = 0 is a vote for the second class, and ties go to the class that comes first.
   */
  scores(features: Matrix): Matrix {
    const values = this.decisionValues(features);
    const scores = new Matrix(features.rows, this.classes.length);
    const own = new Float64Array(this.trained.length);
    const score = this.#scorer();
    for (let i = 0; i < features.rows; i++) {
      score(values.row(i), own);
      const row = scores.row(i);
      // A class that training did not have is as unlikely as the least likely one that it had, and never wins.
      if (own.length < row.length) row.fill(this.scoring === "probability" ? 0 : Math.min(...own));
      this.trained.forEach((k, c) => {
        row[k] = own[c];
      });
    }
    return scores;
  }

  predict(features: Matrix): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /**
   * With bias b and the radius R of the training rows in feature space, f is the scalar product of (w, b/R) and
   * (φ(x), R). The margin of a duel is the cosine-like y·f(x) / (√2·√(‖w‖²R² + b²)), which is in [−1, 1] where
   * ‖φ(x)‖ ≤ R and is cut to it elsewhere: the margin of the bounds for kernel machines of norm 1 on points of norm 1.
   * With several classes it is the smallest margin of the own class in its duels; 0 if it wins the vote in spite of a lost duel.
   * A model with probabilities decides by them: there it is the own class's probability minus the largest other one.
   */
  margins({ features, labels }: Sample<Matrix>): Float64Array {
    if (this.scoring === "probability") return marginsOf(this.scores(features), labels);
    const values = this.decisionValues(features);
    const norms = this.machines.biases.map((bias, p) =>
      Math.sqrt(2 * (this.squaredNorms[p] * this.squaredRadius + bias * bias)),
    );
    const own = new Float64Array(this.trained.length);
    const score = this.#scorer();
    return Float64Array.from(labels, (label, i) => {
      const row = values.row(i);
      score(row, own);
      const winner = indexOfLargest(own);
      const answered = this.trained[winner] === label;
      const known = this.trained.indexOf(label);
      if (answered) return Math.max(0, this.#smallestMargin(winner, row, norms));
      if (known < 0) return -Math.max(0, this.#smallestMargin(winner, row, norms));
      return Math.min(0, this.#smallestMargin(known, row, norms));
    });
  }

  complexity(): Complexity {
    const { machines, squaredNorms, squaredRadius } = this;
    const vcDimension = this.classes.length === 2 ? this.#dimension() : undefined;
    return {
      ...(vcDimension !== undefined && { vcDimension }),
      counts: {
        supportVectors: machines.supportVectors.rows,
        features: this.featureNames.length,
        machines: machines.pairs.length,
        largestSquaredNorm: Math.max(...squaredNorms),
        squaredRadius,
      },
    };
  }

  /** What the user should know: machines that the solver gave up on. */
  get notices(): string[] {
    if (this.converged) return [];
    const { gaps, tolerance, iterations } = this.convergence ?? NOTHING_SOLVED;
    const open = gaps.reduce((count, gap) => count + (gap > tolerance ? 1 : 0), 0);
    const worst = indexOfLargest(gaps);
    const which = gaps.length > 1 ? ` (${this.#pairName(worst)})` : "";
    return [
      `The solver used up its ${formatCount(Math.max(...iterations), "iteration")} in ` +
        `${open} of ${formatCount(gaps.length, "machine")}: the largest violation left is ` +
        `${formatNumber(gaps[worst])}${which}, above the tolerance ${formatNumber(tolerance)}. ` +
        "Raise maxIterations or tolerance, or lower C.",
    ];
  }

  /** Whether the solver reached its tolerance for every pair; true for a model from another program. */
  get converged(): boolean {
    const { gaps, tolerance } = this.convergence ?? NOTHING_SOLVED;
    return gaps.every((gap) => gap <= tolerance);
  }

  describe(): Json {
    const { machines, convergence } = this;
    const { kind, ...parameters } = machines.kernel;
    return {
      kernel: kind,
      ...parameters,
      supportVectors: machines.supportVectors.rows,
      squaredRadius: this.squaredRadius,
      ...(convergence && { converged: this.converged }),
      machines: machines.pairs.map((pair, p): Json => {
        const norm = Math.sqrt(this.squaredNorms[p]);
        return {
          classes: this.#pairName(p),
          supportVectors: machines.supportVectorsOf(pair),
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
    const { classes, featureNames, trained, machines, squaredNorms, squaredRadius, convergence } = this;
    const { kernel, supportVectors, counts, coefficients, biases, sigmoids } = machines;
    const perPair = (data: Float64Array) => ({ shape: [data.length], data });
    const matrix = ({ rows, columns, values }: Matrix) => ({ shape: [rows, columns], data: values });
    return {
      json: {
        classes,
        featureNames,
        trained,
        kernel: { ...kernel },
        supportVectors: supportVectors.rows,
        squaredRadius,
        probability: sigmoids !== undefined,
        tolerance: convergence?.tolerance ?? null,
      },
      tensors: {
        supportVectors: matrix(supportVectors),
        counts: { shape: [counts.length], data: counts },
        coefficients: matrix(coefficients),
        biases: perPair(biases),
        squaredNorms: perPair(squaredNorms),
        ...(sigmoids && {
          sigmoidA: perPair(Float64Array.from(sigmoids, ({ A }) => A)),
          sigmoidB: perPair(Float64Array.from(sigmoids, ({ B }) => B)),
        }),
        ...(convergence && {
          gaps: perPair(convergence.gaps),
          dualityGaps: perPair(convergence.dualityGaps),
          iterations: perPair(convergence.iterations),
        }),
      },
    };
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): SvmModel {
    const reader = new StateReader("svm model", state);
    const json = reader.json(structure);
    const { classes, featureNames, trained, kernel, squaredRadius, tolerance } = json;
    if (!trained.every((k, c) => k < classes.length && (c === 0 || k > trained[c - 1]))) {
      throw reader.corrupt(`it was trained on the classes [${trained}]`);
    }
    const size = json.supportVectors;
    const counts = reader.integers("counts", [trained.length], 0, size);
    if (counts.reduce((sum, count) => sum + count, 0) !== size) throw reader.corrupt("counts do not add up");
    const pairs = [pairsOf(trained.length).length];
    const columns = [trained.length - 1, featureNames.length];
    const coefficients = reader.numbers("coefficients", [size, columns[0]]);
    const supportVectors = reader.numbers("supportVectors", [size, columns[1]]);
    const biases = reader.numbers("biases", pairs);
    const squaredNorms = reader.numbers("squaredNorms", pairs, 0);
    const sigmoids = json.probability && {
      sigmoidA: reader.numbers("sigmoidA", pairs),
      sigmoidB: reader.numbers("sigmoidB", pairs),
    };
    const convergence = tolerance !== null && {
      gaps: reader.numbers("gaps", pairs, 0),
      dualityGaps: reader.numbers("dualityGaps", pairs),
      iterations: reader.numbers("iterations", pairs, 0),
    };
    const tensors = {
      counts,
      coefficients,
      supportVectors,
      biases,
      squaredNorms,
      ...sigmoids,
      ...convergence,
    };
    reader.only(...Object.keys(tensors));
    const machines = new OneVsOne({
      kernel,
      supportVectors: new Matrix(size, columns[1], supportVectors),
      counts,
      coefficients: new Matrix(size, columns[0], coefficients),
      biases,
      ...(sigmoids && {
        sigmoids: Array.from(sigmoids.sigmoidA, (A, p) => ({ A, B: sigmoids.sigmoidB[p] })),
      }),
    });
    return new SvmModel({
      classes,
      featureNames,
      trained,
      machines,
      squaredNorms,
      squaredRadius,
      ...(convergence && tolerance !== null && { convergence: { tolerance, ...convergence } }),
    });
  }

  /** Writes the scores of the trained classes for the decision values of a row. */
  #scorer(): (values: ArrayLike<number>, scores: Float64Array) => void {
    const { sigmoids, pairs } = this.machines;
    if (sigmoids) {
      const coupling = new PairwiseCoupling(this.trained.length);
      const probabilities = new Float64Array(pairs.length);
      return (values, scores) => {
        for (let p = 0; p < pairs.length; p++) probabilities[p] = sigmoidProbability(sigmoids[p], values[p]);
        coupling.couple(probabilities, scores);
      };
    }
    if (pairs.length === 1) {
      return (values, scores) => {
        scores[0] = decided(values[0]);
        scores[1] = -scores[0];
      };
    }
    const sums = new Float64Array(this.trained.length);
    return (values, votes) => {
      votes.fill(0);
      sums.fill(0);
      pairs.forEach(({ first, second }, p) => {
        votes[values[p] > 0 ? first : second]++;
        sums[first] += values[p];
        sums[second] -= values[p];
      });
      const winner = indexOfLargest(votes);
      for (let k = 0; k < votes.length; k++) {
        votes[k] += (CONFIDENCE_SHARE * sums[k]) / (1 + Math.abs(sums[k]));
      }
      for (let k = 0; k < votes.length; k++) votes[k] = Math.min(votes[k], votes[winner]);
    };
  }

  #smallestMargin(own: number, values: ArrayLike<number>, norms: Float64Array): number {
    let smallest = 1;
    this.machines.pairs.forEach(({ first, second }, p) => {
      if (own !== first && own !== second) return;
      const value = own === first ? values[p] : -values[p];
      const margin = norms[p] > 0 ? value / norms[p] : 0;
      if (margin < smallest) smallest = margin;
    });
    return Math.max(-1, smallest);
  }

  /**
   * VC dimension of the half-spaces in the kernel's feature space, where it is finite: d + 1 for the linear kernel, and the
   * number of monomials of d variables up to the degree for the polynomial one.
   */
  #dimension(): number | undefined {
    const { kernel } = this.machines;
    const d = this.featureNames.length;
    if (kernel.kind === "linear") return d + 1;
    if (kernel.kind !== "polynomial") return undefined;
    let monomials = 1;
    for (let k = 1; k <= kernel.degree; k++) monomials = (monomials * (d + k)) / k;
    return Math.round(monomials);
  }

  #pairName(p: number): string {
    const { first, second } = this.machines.pairs[p];
    return `${this.classes[this.trained[first]]} or ${this.classes[this.trained[second]]}`;
  }
}

const NOTHING_SOLVED: Pick<Convergence, "gaps" | "tolerance" | "iterations"> = {
  gaps: new Float64Array(0),
  tolerance: 0,
  iterations: new Float64Array(0),
};

/** A decision value of 0 is a decision for the second class: the smallest number says so. */
function decided(value: number): number {
  return value > 0 ? value : Math.min(value, -Number.MIN_VALUE);
}
