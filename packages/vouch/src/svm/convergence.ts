import { indexOfLargest } from "../learning/scores.js";
import { formatCount, formatNumber } from "../number-format.js";

/** How far the solver came with each machine. */
export interface Convergence {
  /** The violation of the KKT conditions that it was to come below. */
  readonly tolerance: number;
  /** The largest violation that is left. */
  readonly gaps: Float64Array;
  /** Primal minus dual objective. */
  readonly dualityGaps: Float64Array;
  readonly iterations: Float64Array;
}

/** Whether the solver reached its tolerance with every machine. */
export function hasConverged({ gaps, tolerance }: Convergence): boolean {
  return gaps.every((gap) => gap <= tolerance);
}

/** What the user should know of machines that the solver gave up on. `nameOf` gives a machine's name. */
export function convergenceNotices(convergence: Convergence, nameOf: (machine: number) => string): string[] {
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
