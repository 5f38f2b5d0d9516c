/** Steps that the approximation remembers. */
const MEMORY = 16;

/** A step without this much curvature, relative to its size, is the work of rounding. */
const FLAT = 1e-14;

interface Step {
  /** Change of the weights, and of the gradient. */
  readonly s: Float64Array;
  readonly y: Float64Array;
}

/**
 * The inverse of the Hessian from the last steps (L-BFGS: Nocedal 1980; Nocedal and Wright 2006, algorithm 7.4), on top of a
 * preconditioner instead of a multiple of the identity.
 */
export class InverseHessian {
  readonly #steps: Step[] = [];

  /** Remembers a step. */
  remember(s: Float64Array, y: Float64Array): void {
    this.#steps.push({ s, y });
    if (this.#steps.length > MEMORY) this.#steps.shift();
  }

  forget(): void {
    this.#steps.length = 0;
  }

  /**
   * Writes −H⁻¹g for a gradient g that is 0 where weights are not free to move; the result is 0 there, too. `precondition`
   * writes M⁻¹q of a vector q.
   */
  direction(
    gradient: Float64Array,
    free: Uint8Array,
    to: Float64Array,
    precondition: (q: Float64Array, z: Float64Array) => void,
  ): void {
    const q = gradient.map((slope) => -slope);
    const used = this.#steps
      .map(({ s, y }) => ({
        s,
        y,
        curvature: freeDot(s, y, free),
        sizes: freeDot(s, s, free) * freeDot(y, y, free),
      }))
      .filter(({ curvature, sizes }) => curvature > FLAT * Math.sqrt(sizes));
    const alphas = new Float64Array(used.length);
    for (let i = used.length - 1; i >= 0; i--) {
      const { s, y, curvature } = used[i];
      alphas[i] = dot(s, q) / curvature;
      addFree(q, -alphas[i], y, free);
    }
    precondition(q, to);
    const last = used.at(-1);
    if (last) scaleBy(to, last.curvature / this.#preconditionedNorm(last.y, free, precondition));
    for (let i = 0; i < used.length; i++) {
      const { s, y, curvature } = used[i];
      addFree(to, alphas[i] - dot(y, to) / curvature, s, free);
    }
  }

  #preconditionedNorm(
    y: Float64Array,
    free: Uint8Array,
    precondition: (q: Float64Array, z: Float64Array) => void,
  ): number {
    const z = new Float64Array(y.length);
    const own = y.map((value, j) => value * free[j]);
    precondition(own, z);
    return dot(own, z);
  }
}

/** Computes a · b. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

function freeDot(a: Float64Array, b: Float64Array, free: Uint8Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += free[j] * a[j] * b[j];
  return sum;
}

function addFree(a: Float64Array, factor: number, b: Float64Array, free: Uint8Array): void {
  for (let j = 0; j < a.length; j++) a[j] += factor * free[j] * b[j];
}

function scaleBy(a: Float64Array, factor: number): void {
  for (let j = 0; j < a.length; j++) a[j] *= factor;
}
