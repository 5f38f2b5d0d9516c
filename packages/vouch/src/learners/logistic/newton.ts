import { checkpoint, type Run } from "../../runtime/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { LogisticLoss } from "./logistic-loss.js";
import { type Preconditioner, preconditionerFor } from "./preconditioner.js";

/** The penalty l1·‖w‖₁ + ½·l2·‖w‖² of all weights but the intercepts, and stopping rules. */
export interface NewtonOptions {
  readonly l1: number;
  readonly l2: number;
  /** The solver stops once the objective is estimated to be within this fraction of its minimum. */
  readonly tolerance: number;
  readonly maxIterations: number;
}

/** The weights that the solver found, in the order of `LogisticLoss`. */
export interface NewtonSolution {
  readonly weights: Float64Array;
  readonly objective: number;
  /** Loss without the penalty. */
  readonly loss: number;
  readonly iterations: number;
  /** Number of products with the Hessian. */
  readonly products: number;
  /** Estimated distance of the objective from its minimum, as a fraction of it. */
  readonly gap: number;
  readonly converged: boolean;
  /** Whether the weights would grow without bound: without a penalty, the classes can be separated. */
  readonly separable: boolean;
}

/** Required part of the decrease that the slope promises (Armijo), and the most halvings of a step. */
const SUFFICIENT = 1e-4;
const MOST_HALVINGS = 30;

/** Most steps of conjugate gradients for one direction. */
const MOST_PRODUCTS = 250;

/** Conjugate gradients stop when the residual has this fraction of its norm, or less near the minimum. */
const FORCING = 0.25;

/** Rounding errors of the objective, as a fraction of it. */
const ROUNDING = 1e-13;

/** A mean loss below this means probabilities of 1 for all rows: without a penalty there is no minimum. */
const SEPARATED = 1e-7;

/** A point of the search. */
interface Point {
  readonly weights: Float64Array;
  /** Gradient of the loss and the L2 penalty. */
  readonly gradient: Float64Array;
  loss: number;
  objective: number;
}

/**
 * Minimises loss + penalty by Newton's method: directions by preconditioned conjugate gradients, which need only products with
 * the Hessian (Lin, Weng and Keerthi 2008; Hsia, Chiang and Lin 2018), and a line search.
 *
 * With an L1 penalty, a step stays in the orthant of the weights, where the objective is smooth: weights that would change sign
 * stop at 0, and a weight at 0 is free only if its slope exceeds the penalty (Andrew and Gao 2007; Byrd, Chin, Nocedal and
 * Oztoprak 2016).
 */
export async function minimise(
  loss: LogisticLoss,
  start: Float64Array,
  totalCost: number,
  options: NewtonOptions,
  run: Run,
): Promise<NewtonSolution> {
  const search = new NewtonSearch(loss, options, run);
  try {
    return await search.from(start, totalCost);
  } finally {
    search.release();
  }
}

class NewtonSearch {
  readonly #loss: LogisticLoss;
  readonly #options: NewtonOptions;
  readonly #run: Run;
  readonly #preconditioner: Preconditioner;
  /** Weights from here on are intercepts. */
  readonly #penalised: number;
  /** Slopes: the gradient, or with an L1 penalty the subgradient of least norm. */
  readonly #slopes: Float64Array;
  readonly #free: Uint8Array;
  readonly #direction: Float64Array;
  #products = 0;
  #firstNorm = 0;

  constructor(loss: LogisticLoss, options: NewtonOptions, run: Run) {
    this.#loss = loss;
    this.#options = options;
    this.#run = run;
    this.#penalised = loss.size - loss.outputs;
    this.#slopes = new Float64Array(loss.size);
    this.#free = new Uint8Array(loss.size).fill(1);
    this.#direction = new Float64Array(loss.size);
    const { signal } = run;
    this.#preconditioner = preconditionerFor(loss, {
      l2: options.l2,
      selects: options.l1 > 0,
      ...(signal && { signal }),
    });
  }

  release(): void {
    this.#preconditioner.release();
  }

  async from(start: Float64Array, totalCost: number): Promise<NewtonSolution> {
    const { tolerance, maxIterations, l1, l2 } = this.#options;
    let point = await this.#evaluate(start);
    let iterations = 0;
    let gap = Number.POSITIVE_INFINITY;
    let [converged, separable] = [false, false];
    while (iterations < maxIterations && !converged && !separable) {
      await checkpoint(this.#run);
      const decrease = await this.#findDirection(point);
      if (!Number.isFinite(decrease)) throw tooLarge();
      gap = decrease === 0 ? 0 : decrease / point.objective;
      // The last direction is taken, too: it costs one evaluation more, and the estimate is then far too large.
      const next = decrease > 0 ? await this.#lineSearch(point) : undefined;
      converged = gap <= tolerance || (next === undefined && gap <= Math.sqrt(ROUNDING));
      if (!next) {
        // The rows keep the probabilities of the last weights tried.
        point = await this.#evaluate(point.weights);
        break;
      }
      point = next;
      iterations++;
      separable = l1 === 0 && l2 === 0 && point.loss <= SEPARATED * totalCost;
      this.#run.progress({
        stage: "Newton steps",
        done: iterations,
        note: `loss ${(point.loss / totalCost).toPrecision(4)}`,
      });
    }
    const { weights, loss, objective } = point;
    return {
      weights,
      loss,
      objective,
      iterations,
      products: this.#products,
      gap,
      converged: converged && !separable,
      separable,
    };
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

  /** Finds the slopes at a point, the free weights and a direction; returns the decrease that it promises, ½|slope|. */
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
    await this.#preconditioner.refresh(this.#free);
    await this.#conjugateGradients();
    return Math.max(0, -dot(slopes, this.#direction) / 2);
  }

  /** Solves (H + l2·I) d = −slopes approximately, on the free weights. */
  async #conjugateGradients(): Promise<void> {
    const { size } = this.#loss;
    const d = this.#direction.fill(0);
    const r = Float64Array.from(this.#slopes, (slope, j) => (this.#free[j] === 1 ? -slope : 0));
    const z = new Float64Array(size);
    this.#preconditioner.apply(r, z);
    const p = z.slice();
    const image = new Float64Array(size);
    let rz = dot(r, z);
    if (this.#firstNorm === 0) this.#firstNorm = rz;
    const forcing = Math.min(FORCING, (rz / this.#firstNorm) ** 0.25);
    const enough = forcing * forcing * rz;
    for (let step = 0; step < MOST_PRODUCTS && rz > 0; step++) {
      await checkpoint(this.#run);
      await this.#product(p, image);
      const curvature = dot(p, image);
      if (!(curvature > 0)) {
        if (step === 0) d.set(p);
        return;
      }
      const alpha = rz / curvature;
      for (let j = 0; j < size; j++) {
        d[j] += alpha * p[j];
        r[j] -= alpha * image[j];
      }
      this.#preconditioner.apply(r, z);
      const next = dot(r, z);
      if (next <= enough) return;
      const beta = next / rz;
      for (let j = 0; j < size; j++) p[j] = z[j] + beta * p[j];
      rz = next;
    }
  }

  async #product(direction: Float64Array, image: Float64Array): Promise<void> {
    const { l2 } = this.#options;
    await this.#loss.product(direction, image);
    this.#products++;
    for (let j = 0; j < this.#penalised; j++) image[j] += l2 * direction[j];
    if (this.#options.l1 > 0) for (let j = 0; j < image.length; j++) if (this.#free[j] === 0) image[j] = 0;
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
    const moved = weights.map((weight, j) => weight + length * this.#direction[j]);
    if (this.#options.l1 === 0) return moved;
    for (let j = 0; j < this.#penalised; j++) {
      const orthant = weights[j] !== 0 ? weights[j] : -this.#slopes[j];
      if (moved[j] * orthant <= 0) moved[j] = 0;
    }
    return moved;
  }
}

function tooLarge(): VouchError {
  return new VouchError(
    "data/too-large",
    "The features are so large that the second derivatives of the loss overflow.",
    { hint: "Scale the features." },
  );
}

/** Computes the subgradient of f(w) + l1·|w| that is closest to 0. */
function leastSubgradient(weight: number, gradient: number, l1: number): number {
  if (weight !== 0) return gradient + (weight > 0 ? l1 : -l1);
  if (gradient > l1) return gradient - l1;
  return gradient < -l1 ? gradient + l1 : 0;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}
