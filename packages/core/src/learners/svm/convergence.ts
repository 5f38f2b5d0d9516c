import * as z from "zod";
import type { Size } from "../../runtime/codec/part-io.js";
import { object, type Part } from "../../runtime/codec/parts.js";
import { float64 } from "../../runtime/codec/tensor-parts.js";
import { formatCount, formatNumber } from "../../runtime/text/number-format.js";
import { checkedPremise, type Premise } from "../../theory/certificate.js";
import type { TableSection } from "../description.js";
import { indexOfLargest } from "../scores.js";

/** The convergence of a solver, for each machine. */
export interface Convergence {
  /** The violation of the optimality conditions at which the solver stops. */
  readonly tolerance: number;
  /** The violation that is left. */
  readonly violations: Float64Array;
  /** Primal minus dual objective. */
  readonly dualityGaps: Float64Array;
  /** Iterations or passes. */
  readonly steps: Float64Array;
}

/** Range of the tolerance of solvers that stop by the largest violation of the KKT conditions. */
export const kktTolerance = z.number().min(1e-12).max(0.5);

/** Makes the codec of the convergence of this many machines of a solver with this range of tolerances. */
export function convergenceOf(machines: Size, tolerance: z.ZodNumber): Part<Convergence> {
  return object({
    tolerance,
    violations: float64([machines], { min: 0 }),
    dualityGaps: float64([machines]),
    steps: float64([machines], { min: 0 }),
  });
}

/** Tells whether the solver reached its tolerance with every machine. */
export function hasConverged({ violations, tolerance }: Convergence): boolean {
  return violations.every((violation) => violation <= tolerance);
}

/** The words of a solver. */
interface SolverWords {
  readonly step: string;
  readonly steps: string;
  /** The violation that the tolerance limits. */
  readonly violation: string;
  /** The option that limits the steps. */
  readonly limit: string;
}

/** Returns the notice on machines that ran out of steps, if there are any. `nameOf` names a machine. */
export function convergenceNotices(
  convergence: Convergence,
  words: SolverWords,
  nameOf: (machine: number) => string,
): string[] {
  if (hasConverged(convergence)) return [];
  const { violations, tolerance, steps } = convergence;
  const open = violations.filter((violation) => violation > tolerance).length;
  const worst = indexOfLargest(violations);
  const which =
    violations.length > 1 ? ` (${open} of ${violations.length} machines, the worst is ${nameOf(worst)})` : "";
  return [
    `The solver stopped after ${formatCount(steps[worst], words.step, words.steps)} without converging${which}: ` +
      `${words.violation} is ${formatNumber(violations[worst])}, above the tolerance ${formatNumber(tolerance)}. ` +
      `Raise ${words.limit} or tolerance, or lower C.`,
  ];
}

/**
 * With a larger violation of the optimality conditions, rows outside the compression set may have less than half of the margin, and
 * the proof for compression sets (`kernelMachineCertificates`) says nothing.
 */
export const MOST_VIOLATION = 0.5;

/** Returns the premise that the rows of the compression set alone give the same model, which holds at the optimum. */
export function atOptimum(
  convergence: Convergence,
  rows: string,
  model: string,
): Premise & { readonly fault?: string } {
  const isNear = convergence.violations.every((violation) => violation <= MOST_VIOLATION);
  const holds = isNear && hasConverged(convergence);
  return {
    ...checkedPremise(
      `Training on ${rows} alone gives the same ${model}, as it does at the optimum, which the solver reached up to its tolerance.`,
      holds,
    ),
    ...(!holds && { fault: "The solver stopped before it reached the optimum." }),
  };
}

/** A machine as its description shows it. */
export interface SolvedMachine {
  readonly classes: string;
  readonly supportVectors: number;
  readonly bias: number;
  readonly squaredNorm: number;
}

/** Lists machines, with their convergence if it is known; the margin is 1/‖w‖. */
export function machineTable(
  machines: readonly SolvedMachine[],
  convergence: Convergence | undefined,
  { steps }: SolverWords,
): TableSection {
  const columns = ["classes", "support vectors", "bias", "norm", "margin"];
  if (convergence) columns.push("violation", "duality gap", steps);
  return {
    kind: "table",
    title: "machines",
    columns: columns.map((name) => ({ name })),
    rows: machines.map(({ classes, supportVectors, bias, squaredNorm }, m) => {
      const norm = Math.sqrt(squaredNorm);
      const row = [classes, supportVectors, bias, norm, norm > 0 ? 1 / norm : "–"];
      if (!convergence) return row;
      return [...row, convergence.violations[m], convergence.dualityGaps[m], convergence.steps[m]];
    }),
  };
}
