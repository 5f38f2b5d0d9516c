/** Steps that the approximation remembers: fewer if there are many weights, whose numbers in all steps are limited. */
const MOST_STEPS = 8;
const FEWEST_STEPS = 4;
const MOST_NUMBERS = 2 ** 26;

/** A step without this much curvature, relative to its size, is the work of rounding. */
const FLAT = 1e-14;

/** A step of the search. */
interface Step {
  /** Change of the weights, and of the gradient. */
  readonly s: Float64Array;
  readonly y: Float64Array;
  /** sᵀy. */
  readonly curvature: number;
}

/** Writes M⁻¹q of a vector q by a preconditioner M. */
type Precondition = (q: Float64Array, z: Float64Array) => void;

/**
 * The inverse of the Hessian from the last steps (L-BFGS: Nocedal 1980; Nocedal and Wright 2006, algorithm 7.4), on top of a
 * preconditioner instead of a multiple of the identity.
 */
export class InverseHessian {
  readonly #steps: Step[] = [];

  /** Remembers the step between two points. */
  remember(from: Point, to: Point): void {
    const s = difference(to.weights, from.weights);
    const y = difference(to.gradient, from.gradient);
    this.#steps.push({ s, y, curvature: curvatureOf(s, y) });
    const most = Math.max(FEWEST_STEPS, Math.min(MOST_STEPS, Math.floor(MOST_NUMBERS / s.length)));
    if (this.#steps.length > most) this.#steps.shift();
  }

  forget(): void {
    this.#steps.length = 0;
  }

  /**
   * Writes −H⁻¹g. If only some weights are free to move, g is 0 for the others, and so is the result: it is the inverse of the
   * rows and columns of H that belong to the free ones.
   */
  direction(
    gradient: Float64Array,
    to: Float64Array,
    precondition: Precondition,
    free: Uint8Array | undefined,
  ): void {
    const steps = this.#stepsOf(free);
    const q = new Float64Array(gradient.length);
    addTo(q, -1, gradient);
    const alphas = new Float64Array(steps.length);
    for (let i = steps.length - 1; i >= 0; i--) {
      const { s, y, curvature } = steps[i];
      alphas[i] = dot(s, q) / curvature;
      addTo(q, -alphas[i], y);
    }
    precondition(q, to);
    const last = steps.at(-1);
    if (last) {
      precondition(last.y, q);
      const scale = last.curvature / dot(last.y, q);
      for (let j = 0; j < to.length; j++) to[j] *= scale;
    }
    for (let i = 0; i < steps.length; i++) {
      const { s, y, curvature } = steps[i];
      addTo(to, alphas[i] - dot(y, to) / curvature, s);
    }
  }

  /** Returns the steps of positive curvature, of the free weights only. */
  #stepsOf(free: Uint8Array | undefined): Step[] {
    const steps = free
      ? this.#steps.map(({ s, y }) => {
          const [own, change] = [masked(s, free), masked(y, free)];
          return { s: own, y: change, curvature: curvatureOf(own, change) };
        })
      : this.#steps;
    return steps.filter(({ curvature }) => curvature > 0);
  }
}

/** A point of the search. */
interface Point {
  readonly weights: Float64Array;
  readonly gradient: Float64Array;
}

/** Returns sᵀy, or 0 if it is not positive beyond rounding. */
function curvatureOf(s: Float64Array, y: Float64Array): number {
  const curvature = dot(s, y);
  return curvature > FLAT * Math.sqrt(dot(s, s) * dot(y, y)) ? curvature : 0;
}

/** Computes a · b. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

/** Computes a ← a + factor · b. */
function addTo(a: Float64Array, factor: number, b: Float64Array): void {
  for (let j = 0; j < a.length; j++) a[j] += factor * b[j];
}

function difference(a: Float64Array, b: Float64Array): Float64Array {
  const result = new Float64Array(a.length);
  for (let j = 0; j < a.length; j++) result[j] = a[j] - b[j];
  return result;
}

function masked(a: Float64Array, free: Uint8Array): Float64Array {
  const result = new Float64Array(a.length);
  for (let j = 0; j < a.length; j++) if (free[j] === 1) result[j] = a[j];
  return result;
}
