import { sumsByGroup } from "../../metrics/groups.js";
import { mean } from "../../runtime/maths/statistics.js";

/** The losses of a candidate on the test rows of a round. */
export interface RoundLosses {
  readonly tested: Int32Array;
  readonly losses: ArrayLike<number>;
}

/** Computes the mean loss in all rounds together. */
export function meanLoss(results: readonly RoundLosses[]): number {
  let all = 0;
  let rows = 0;
  for (const { losses } of results) {
    for (let i = 0; i < losses.length; i++) all += losses[i];
    rows += losses.length;
  }
  return all / rows;
}

/** Computes the mean loss with its standard error. */
export function lossWithError(rounds: readonly RoundLosses[]): { loss: number; standardError: number } {
  const loss = meanLoss(rounds);
  let squares = 0;
  let rows = 0;
  for (const { losses } of rounds) {
    for (let i = 0; i < losses.length; i++) squares += (losses[i] - loss) ** 2;
    rows += losses.length;
  }
  return { loss, standardError: Math.sqrt(squares) / rows };
}

/**
 * Computes the difference of two mean losses on the same rows, and its standard error. Each of n rows counts once, with
 * the mean d of its differences, for errors 1, 0 or −1: tests of a row by several models are not further evidence about
 * other rows. The variance is Σ (d − d̄)²/n². For errors of rows that are tested once it is McNemar's, for AUC
 * DeLong's. With groups, it is Σ_g (Σ_{row in g} (d − d̄))²/n², because rows of a group may be right or wrong together.
 */
export function pairedDifference(
  one: readonly RoundLosses[],
  other: readonly RoundLosses[],
  groups?: Int32Array,
): { readonly difference: number; readonly standardError: number } {
  const last = one.reduce((most, { tested }) => tested.reduce((a, b) => Math.max(a, b), most), 0);
  const tests = new Uint32Array(last + 1);
  const excess = new Float64Array(last + 1);
  one.forEach(({ tested, losses }, round) => {
    const others = other[round].losses;
    tested.forEach((row, i) => {
      tests[row]++;
      excess[row] += losses[i] - others[i];
    });
  });
  const rows = Int32Array.from(tests.keys()).filter((row) => tests[row] > 0);
  const differences = Float64Array.from(rows, (row) => excess[row] / tests[row]);
  const difference = mean(differences);
  const deviations = differences.map((d) => d - difference);
  const sums = groups
    ? sumsByGroup(
        deviations,
        rows.map((row) => groups[row]),
      )
    : deviations;
  const squares = sums.reduce((sum, deviation) => sum + deviation ** 2, 0);
  // Zero variance on a handful of rows does not mean certainty: at least one row may have been chance.
  const oneRow = largest(differences) ** 2;
  return { difference, standardError: Math.sqrt(Math.max(oneRow, squares)) / differences.length };
}

/** Returns the largest absolute value. */
function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/** Loss of models fitted to some number of rows. */
export interface CurvePoint {
  readonly rows: number;
  readonly loss: number;
}

/**
 * Minimum fraction of the last loss that a projection may reach, because a curve through two points is unreliable
 * beyond it.
 */
const LEAST_LEFT = 0.5;

/**
 * Projects a learning curve to a number of rows: the curve a + b / √n through the last two points, where the loss falls
 * as estimation errors do. The projection is between half of the last loss and the last loss.
 */
export function projectedLoss(points: readonly CurvePoint[], rows: number): number {
  const [before, last] = points.slice(-2);
  if (last === undefined) return before?.loss ?? Number.POSITIVE_INFINITY;
  if (rows <= last.rows || last.rows <= before.rows) return last.loss;
  const slope = (before.loss - last.loss) / (1 / Math.sqrt(before.rows) - 1 / Math.sqrt(last.rows));
  const projected = last.loss - Math.max(0, slope) * (1 / Math.sqrt(last.rows) - 1 / Math.sqrt(rows));
  return Math.max(LEAST_LEFT * last.loss, projected);
}
