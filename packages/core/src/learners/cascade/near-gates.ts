import { pointsOfFraction } from "./search-space.js";
import type { TrainedGate } from "./sub-problems.js";

/** Whether points exactly at the threshold go on (`closed`, the equations) or stay (`strict`, the report's program). */
export type GateEdge = "closed" | "strict";

/** Distances of equal points differ by less than this share of them. */
const ROUNDING = 1e-9;

/** Distances are differences of scores, which are mostly around 1: however small, they are not more exact than this. */
const LEAST_ROUNDING = 1e-12;

/**
 * Returns whether a point goes on: dist ≤ c_k, or dist < c_k for a strict gate. The threshold is the distance of a training
 * point, and points like it must go its way, however their distance is rounded: tied distances are within half of what
 * separates others.
 */
export function isNear(distance: number, threshold: number, edge: GateEdge): boolean {
  const limit = gateLimit(threshold, edge);
  return edge === "closed" ? distance <= limit : distance < limit;
}

/** Returns the largest distance that passes a closed gate, or the smallest that does not pass a strict one. */
export function gateLimit(threshold: number, edge: GateEdge): number {
  const tolerance = Math.max(LEAST_ROUNDING, (threshold * ROUNDING) / 2);
  return edge === "closed" ? threshold + tolerance : threshold - tolerance;
}

/** The gates to find at a node. */
interface NearGateSettings {
  readonly fractions: readonly number[];
  readonly edge: GateEdge;
  /** The solver's stopping tolerance ε for support vector machines; 0 for classifiers without a solver. */
  readonly tolerance: number;
}

/**
 * Finds the gates of a node, one per fraction μ: the threshold c is the ⌈μ·n⌉-th smallest distance |h(x_i)|, so that tied
 * points go on together. Distances are the sizes of the margins, which are positive for points that are classified correctly. A
 * gate that passes on all or nothing makes no new cascade and is left out.
 *
 * The free support vectors of a machine are such a tie: at the optimum all of them have |h(x_i)| = 1. A solver that stops at
 * tolerance ε leaves them within ε of it: the bias is the mean of y_i − w·φ(x_i) over them, and these numbers lie within ε of each
 * other. So all distances within ε of 1 are tied. Elsewhere only equal points are, whose distances differ by rounding: to
 * tie all distances within ε of each other would tie all points of a large sample.
 */
export function nearGates(
  margins: ArrayLike<number>,
  rows: Int32Array,
  { fractions, edge, tolerance }: NearGateSettings,
): TrainedGate[] {
  const distances = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) distances[i] = Math.abs(margins[i]);
  const ascending = distances.slice().sort();
  const on = new Int32Array(rows.length);
  const gates = fractions.map((mu, fraction) => {
    let place = pointsOfFraction(mu, rows.length) - 1;
    if (edge === "closed") while (areTied(ascending[place], ascending[place + 1], tolerance)) place++;
    else while (areTied(ascending[place - 1], ascending[place], tolerance)) place--;
    const threshold = ascending[place];
    let count = 0;
    let correct = 0;
    for (let i = 0; i < rows.length; i++) {
      if (isNear(distances[i], threshold, edge)) on[count++] = rows[i];
      else if (margins[i] > 0) correct++;
    }
    return { fraction, rows: on.slice(0, count), correct, wrong: rows.length - count - correct };
  });
  return gates.filter((gate) => gate.rows.length > 0 && gate.rows.length < rows.length);
}

/** Returns whether distances a ≤ b that follow each other are tied; false if one of them is missing. */
function areTied(a: number | undefined, b: number | undefined, tolerance: number): boolean {
  if (a === undefined || b === undefined) return false;
  return b - a <= ROUNDING * b || (a >= 1 - tolerance && b <= 1 + tolerance);
}
