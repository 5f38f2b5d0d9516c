import { indexOfLargest } from "../learning/scores.js";
import { formatCount, formatNumber } from "../number-format.js";

/** How far the solver came with each machine. */
export interface Convergence {
  /** What the spread of projected gradients was to come below. */
  readonly tolerance: number;
  /** What is left of it. */
  readonly violations: Float64Array;
  /** Primal minus dual objective. */
  readonly dualityGaps: Float64Array;
  readonly passes: Float64Array;
}

/** Whether the solver reached its tolerance with every machine. */
export function hasConverged({ violations, tolerance }: Convergence): boolean {
  return violations.every((violation) => violation <= tolerance);
}

/** What the user should know of machines that the solver gave up on. `nameOf` gives a machine's name. */
export function convergenceNotices(convergence: Convergence, nameOf: (machine: number) => string): string[] {
  if (hasConverged(convergence)) return [];
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
