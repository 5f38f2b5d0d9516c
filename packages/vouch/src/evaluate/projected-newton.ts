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
  for (let step = 0; step < MOST_STEPS && damping < DAMPINGS.length; step++) {
    const { gradient, hessian } = f.derivatives(at);
    const free = freeVariables(at, gradient, nonNegative);
    const direction = newtonDirection(gradient, hessian, free, DAMPINGS[damping]);
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

/** Solves (H + ridge) d = −g for the free variables, by Cholesky's decomposition; the others do not move. */
function newtonDirection(
  gradient: Float64Array,
  hessian: Float64Array,
  free: readonly number[],
  damping: number,
): Float64Array {
  const size = gradient.length;
  const order = free.length;
  let trace = 0;
  for (const i of free) trace += hessian[i * size + i];
  const ridge = damping * (trace / Math.max(1, order) + LEAST_CURVATURE);
  const lower = new Float64Array(order * order);
  const solution = new Float64Array(order);
  for (let i = 0; i < order; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = hessian[free[i] * size + free[j]] + (i === j ? ridge : 0);
      for (let k = 0; k < j; k++) sum -= lower[i * order + k] * lower[j * order + k];
      lower[i * order + j] = i === j ? Math.sqrt(Math.max(sum, ridge)) : sum / lower[j * order + j];
    }
    let rest = -gradient[free[i]];
    for (let k = 0; k < i; k++) rest -= lower[i * order + k] * solution[k];
    solution[i] = rest / lower[i * order + i];
  }
  for (let i = order - 1; i >= 0; i--) {
    for (let k = i + 1; k < order; k++) solution[i] -= lower[k * order + i] * solution[k];
    solution[i] /= lower[i * order + i];
  }
  const direction = new Float64Array(size);
  free.forEach((i, place) => {
    direction[i] = solution[place];
  });
  return direction;
}
