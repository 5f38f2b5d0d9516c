import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { dot, InverseHessian } from "./inverse-hessian.js";
import type { LogisticLoss } from "./logistic-loss.js";
import { type Preconditioner, preconditionerFor } from "./preconditioner.js";
import { remainingDecrease } from "./remaining-decrease.js";

/** The penalty l1·‖w‖₁ + ½·l2·‖w‖² of all weights but the intercepts, and stopping rules. */
export interface SearchOptions {
  readonly l1: number;
  readonly l2: number;
  /** The search stops once the objective is estimated to be within this fraction of its minimum. */
  readonly tolerance: number;
  readonly maxIterations: number;
}

/** The weights that the search found, in the order of `LogisticLoss`. */
export interface LogisticSolution {
  readonly weights: Float64Array;
  /** Loss plus penalty. */
  readonly objective: number;
  readonly loss: number;
  readonly iterations: number;
  /** Estimated distance of the objective from its minimum, as a fraction of it. */
  readonly gap: number;
  /** Whether the weights would grow without bound: without a penalty, the classes can be separated. */
  readonly separable: boolean;
}

/** Required part of the decrease that the slope promises (Armijo), and the most halvings of a step. */
const SUFFICIENT = 1e-4;
const MOST_HALVINGS = 40;

/** Rounding errors of the objective, as a fraction of it. */
const ROUNDING = 1e-13;

/** Factor on the estimated distance with an L1 penalty: a weight that becomes free makes the objective fall faster again. */
const CAUTION = 10;

/** A mean loss below this means probabilities of 1 for all rows: without a penalty there is no minimum. */
const SEPARATED = 1e-7;

/** A point of the search. */
interface Point {
  readonly weights: Float64Array;
  /** Gradient of the loss and the L2 penalty. */
  readonly gradient: Float64Array;
  readonly loss: number;
  readonly objective: number;
}

/**
 * Minimises loss + penalty by a quasi-Newton method: L-BFGS on top of a preconditioner that knows how features are correlated.
 * For two classes and few features, the preconditioner is the Hessian itself, and steps are Newton steps.
 *
 * With an L1 penalty, a step stays in the orthant of the weights, where the objective is smooth: weights that would change sign
 * stop at 0, and a weight at 0 is free only if its slope exceeds the penalty (Andrew and Gao 2007). The approximation of the
 * Hessian is that of the free weights (Byrd, Chin, Nocedal and Oztoprak 2016).
 */
export async function minimisePenalised(
  loss: LogisticLoss,
  start: Float64Array,
  totalCost: number,
  options: SearchOptions,
  run: Run,
): Promise<LogisticSolution> {
  const search = new Search(loss, options, run);
  try {
    return await search.from(start, totalCost);
  } finally {
    search.release();
  }
}

class Search {
  readonly #loss: LogisticLoss;
  readonly #options: SearchOptions;
  readonly #run: Run;
  readonly #preconditioner: Preconditioner;
  readonly #inverse = new InverseHessian();
  /** Weights from here on are intercepts. */
  readonly #penalised: number;
  /** The gradient, or with an L1 penalty the subgradient of least norm. */
  readonly #slopes: Float64Array;
  readonly #free: Uint8Array;
  readonly #direction: Float64Array;

  constructor(loss: LogisticLoss, options: SearchOptions, run: Run) {
    this.#loss = loss;
    this.#options = options;
    this.#run = run;
    this.#penalised = loss.size - loss.outputs;
    this.#slopes = new Float64Array(loss.size);
    this.#free = new Uint8Array(loss.size).fill(1);
    this.#direction = new Float64Array(loss.size);
    this.#preconditioner = preconditionerFor(loss, { l2: options.l2, selects: options.l1 > 0 }, run);
  }

  release(): void {
    this.#preconditioner.release();
  }

  async from(start: Float64Array, totalCost: number): Promise<LogisticSolution> {
    const { tolerance, maxIterations, l1, l2 } = this.#options;
    let point = await this.#evaluate(start);
    const objectives = [point.objective];
    let [iterations, gap, separable] = [0, Number.MAX_VALUE, false];
    while (iterations < maxIterations && gap > tolerance && !separable) {
      await checkpoint(this.#run);
      const promised = await this.#findDirection(point);
      if (!Number.isFinite(promised)) throw tooLarge();
      const next =
        promised > 0 ? ((await this.#lineSearch(point)) ?? (await this.#retreat(point))) : undefined;
      if (!next) {
        gap = promised / point.objective;
        // The rows keep the probabilities of the last weights tried.
        point = await this.#evaluate(point.weights);
        break;
      }
      this.#inverse.remember(point, next);
      objectives.push(next.objective);
      const left = Math.max(promised, remainingDecrease(objectives)) * (l1 > 0 ? CAUTION : 1);
      gap = Math.min(Number.MAX_VALUE, left / next.objective);
      point = next;
      iterations++;
      separable = l1 === 0 && l2 === 0 && point.loss <= SEPARATED * totalCost;
      const note = `loss ${(point.loss / totalCost).toPrecision(4)}`;
      this.#run.progress({ stage: "logistic regression", done: iterations, note });
    }
    const { weights, loss, objective } = point;
    return { weights, loss, objective, iterations, gap, separable };
  }

  async #evaluate(weights: Float64Array): Promise<Point> {
    const { l1, l2 } = this.#options;
    const gradient = new Float64Array(weights.length);
    const loss = await this.#loss.evaluate(weights, gradient);
    let [squares, sizes] = [0, 0];
    for (let j = 0; j < this.#penalised; j++) {
      gradient[j] += l2 * weights[j];
      squares += weights[j] * weights[j];
      sizes += Math.abs(weights[j]);
    }
    return { weights, gradient, loss, objective: loss + (l2 / 2) * squares + l1 * sizes };
  }

  /** Finds slopes, free weights and a direction at a point; returns the decrease that it promises, ½|slope|. */
  async #findDirection({ weights, gradient }: Point): Promise<number> {
    const slopes = this.#slopes;
    const { l1 } = this.#options;
    slopes.set(gradient);
    if (l1 > 0) {
      for (let j = 0; j < this.#penalised; j++) {
        slopes[j] = leastSubgradient(weights[j], gradient[j], l1);
        this.#free[j] = weights[j] !== 0 || slopes[j] !== 0 ? 1 : 0;
      }
    }
    await this.#preconditioner.prepare(this.#free);
    const precondition = (q: Float64Array, z: Float64Array) => this.#preconditioner.apply(q, z);
    this.#inverse.direction(slopes, this.#direction, precondition, l1 > 0 ? this.#free : undefined);
    return Math.max(0, -dot(slopes, this.#direction) / 2);
  }

  /** Steps against the slopes if the direction fails, which projection onto an orthant can cause. */
  async #retreat(point: Point): Promise<Point | undefined> {
    if (this.#options.l1 === 0) return undefined;
    const length = Math.sqrt(dot(this.#direction, this.#direction) / dot(this.#slopes, this.#slopes));
    for (let j = 0; j < this.#slopes.length; j++) this.#direction[j] = -length * this.#slopes[j];
    this.#inverse.forget();
    return this.#lineSearch(point);
  }

  /** Halves the step until the objective decreases enough; undefined if it never does. */
  async #lineSearch(point: Point): Promise<Point | undefined> {
    for (let halvings = 0, length = 1; halvings < MOST_HALVINGS; halvings++, length /= 2) {
      await checkpoint(this.#run);
      const weights = this.#moved(point, length);
      const next = await this.#evaluate(weights);
      let slope = 0;
      for (let j = 0; j < weights.length; j++) slope += this.#slopes[j] * (weights[j] - point.weights[j]);
      const room = ROUNDING * point.objective;
      if (next.objective <= point.objective + SUFFICIENT * Math.min(0, slope) + room) return next;
    }
    return undefined;
  }

  /** Moves along the direction; with an L1 penalty, weights stop at 0. */
  #moved({ weights }: Point, length: number): Float64Array {
    const moved = new Float64Array(weights.length);
    for (let j = 0; j < moved.length; j++) moved[j] = weights[j] + length * this.#direction[j];
    if (this.#options.l1 === 0) return moved;
    for (let j = 0; j < this.#penalised; j++) {
      const orthant = weights[j] !== 0 ? weights[j] : -this.#slopes[j];
      if (moved[j] * orthant <= 0) moved[j] = 0;
    }
    return moved;
  }
}

/** Computes the subgradient of f(w) + l1·|w| that is closest to 0. */
function leastSubgradient(weight: number, gradient: number, l1: number): number {
  if (weight !== 0) return gradient + (weight > 0 ? l1 : -l1);
  if (gradient > l1) return gradient - l1;
  return gradient < -l1 ? gradient + l1 : 0;
}

function tooLarge(): VouchError {
  return new VouchError(
    "data/too-large",
    "The features are so large that the derivatives of the loss overflow.",
    { hint: "Scale the features." },
  );
}
