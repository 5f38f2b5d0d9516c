import { Arena, type Slice } from "../wasm/arena.js";
import { ALIGNMENT } from "../wasm/heap.js";

/** A smooth convex function of a few variables. */
export interface ConvexFunction {
  value(at: Float64Array): number;
  /** Returns gradient and Hessian, the latter row by row. */
  derivatives(at: Float64Array): { readonly gradient: Float64Array; readonly hessian: Float64Array };
}

const MOST_STEPS = 100;
const MOST_HALVINGS = 20;
/**
 * Added to the diagonal of the Hessian, relative to its mean and in itself. The least makes it invertible; a larger one turns the
 * step towards the gradient where the function is not close to a parabola (Levenberg 1944).
 */
const DAMPINGS = [1e-10, 1e-6, 1e-2, 1e2, 1e6];
const LEAST_CURVATURE = 1e-4;

/**
 * Minimises a convex function by Newton's method with backtracking; the first `nonNegative` variables stay at or above zero
 * (projected Newton method: Bertsekas, "Projected Newton methods for optimization problems with simple constraints", 1982). Stops
 * once half the squared Newton decrement, an estimate of the distance to the minimum, is below the tolerance.
 */
export function projectedNewton(
  f: ConvexFunction,
  start: Float64Array,
  nonNegative: number,
  tolerance = 1e-11,
): Float64Array {
  let at: Float64Array = start;
  let value = f.value(at);
  let damping = 0;
  const equations = new SymmetricEquations(start.length);
  try {
    for (let step = 0; step < MOST_STEPS && damping < DAMPINGS.length; step++) {
      const { gradient, hessian } = f.derivatives(at);
      const free = freeVariables(at, gradient, nonNegative);
      const direction = newtonDirection(gradient, hessian, free, DAMPINGS[damping], equations);
      let slope = 0;
      for (const i of free) slope += gradient[i] * direction[i];
      if (damping === 0 && !(slope < -2 * tolerance)) break;
      const next = lineSearch(f, { at, value, direction, slope }, nonNegative);
      if (next) {
        at = next.at;
        value = next.value;
      }
      damping = next ? 0 : damping + 1;
    }
  } finally {
    equations.release();
  }
  return at;
}

interface Search {
  readonly at: Float64Array;
  readonly value: number;
  readonly direction: Float64Array;
  /** Derivative along the direction. */
  readonly slope: number;
}

/** Halves the step until the function falls enough (Armijo's rule); undefined if it never does. */
function lineSearch(
  f: ConvexFunction,
  { at, value, direction, slope }: Search,
  nonNegative: number,
): { readonly at: Float64Array; readonly value: number } | undefined {
  let length = 1;
  for (let halvings = 0; halvings < MOST_HALVINGS; halvings++) {
    const next = projected(at, direction, length, nonNegative);
    const nextValue = f.value(next);
    if (nextValue < value && nextValue <= value + 1e-4 * length * slope)
      return { at: next, value: nextValue };
    length /= 2;
  }
  return undefined;
}

/** Lists the variables that may move: not those at zero that the gradient pushes below. */
function freeVariables(at: Float64Array, gradient: Float64Array, nonNegative: number): number[] {
  return Array.from(at.keys()).filter((i) => i >= nonNegative || at[i] > 0 || gradient[i] < 0);
}

function projected(
  at: Float64Array,
  direction: Float64Array,
  length: number,
  nonNegative: number,
): Float64Array {
  return at.map((x, i) =>
    i < nonNegative ? Math.max(0, x + length * direction[i]) : x + length * direction[i],
  );
}

/** Solves (H + ridge) d = −g for the free variables; the others do not move. */
function newtonDirection(
  gradient: Float64Array,
  hessian: Float64Array,
  free: readonly number[],
  damping: number,
  equations: SymmetricEquations,
): Float64Array {
  const size = gradient.length;
  let trace = 0;
  for (const i of free) trace += hessian[i * size + i];
  const ridge = damping * (trace / Math.max(1, free.length) + LEAST_CURVATURE);
  const { matrix, vector } = equations;
  free.forEach((i, row) => {
    for (let j = 0; j <= row; j++) matrix[row * size + j] = hessian[i * size + free[j]];
    vector[row] = -gradient[i];
  });
  equations.solve(free.length, ridge);
  const direction = new Float64Array(size);
  free.forEach((i, row) => {
    direction[i] = vector[row];
  });
  return direction;
}

/** Memory of a system of up to `size` linear equations, solved by Cholesky's decomposition. */
class SymmetricEquations {
  readonly #size: number;
  readonly #arena: Arena;
  readonly #matrix: Slice<Float64Array>;
  readonly #vector: Slice<Float64Array>;

  constructor(size: number) {
    this.#size = size;
    this.#arena = Arena.allocate(8 * size * (size + 1) + 2 * ALIGNMENT);
    this.#matrix = this.#arena.f64(size * size);
    this.#vector = this.#arena.f64(size);
  }

  /** The rows of the matrix, of which only the lower triangle is read, `size` apart. */
  get matrix(): Float64Array {
    return this.#matrix.view;
  }

  /** The right side, then the solution. */
  get vector(): Float64Array {
    return this.#vector.view;
  }

  /** Solves (A + ridge) x = b for the first `order` rows; the matrix is lost. */
  solve(order: number, ridge: number): void {
    const { exports } = this.#arena.memory;
    exports.choleskyRows64(this.#matrix.pointer, this.#size, 0, order, ridge);
    exports.choleskySolve64(this.#matrix.pointer, this.#size, order, this.#vector.pointer);
  }

  release(): void {
    this.#arena.release();
  }
}
