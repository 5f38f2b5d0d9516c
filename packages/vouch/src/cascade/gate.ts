import type { TrainedGate } from "./trained-node.js";

/** Whether points at the threshold itself go on (`closed`, the equations) or stay (`strict`, the report's program). */
export type GateKind = "closed" | "strict";

/** How many points make a fraction of n: ⌈μ·n⌉, where μ·n is not a whole number only by rounding that whole number. */
export function pointsOfFraction(fraction: number, n: number): number {
  return Math.max(1, Math.ceil(fraction * n - 1e-9));
}

/** Whether a point goes on: dist ≤ c_k, or dist < c_k for a strict gate. */
export function goesOn(distance: number, threshold: number, kind: GateKind): boolean {
  return kind === "closed" ? distance <= threshold : distance < threshold;
}

/**
 * The gates of a node, one per fraction μ: the threshold c is the ⌈μ·n⌉-th smallest distance |h(x_i)|, so that tied
 * points go on together. A gate that sends on all or nothing makes no new cascade and is left out.
 */
export function gatesOf(
  values: ArrayLike<number>,
  rows: Int32Array,
  labels: Int8Array,
  fractions: readonly number[],
  kind: GateKind,
): TrainedGate[] {
  const distances = Float64Array.from(values, Math.abs);
  const ascending = distances.slice().sort();
  const gates = fractions.map((fraction, index) => {
    const threshold = ascending[pointsOfFraction(fraction, rows.length) - 1];
    return gateAt({ index, threshold, kind, values, distances, rows, labels });
  });
  return gates.filter((gate) => gate.rows.length > 0 && gate.rows.length < rows.length);
}

function gateAt(parts: {
  index: number;
  threshold: number;
  kind: GateKind;
  values: ArrayLike<number>;
  distances: Float64Array;
  rows: Int32Array;
  labels: Int8Array;
}): TrainedGate {
  const { index, threshold, kind, values, distances, rows, labels } = parts;
  const on = new Int32Array(rows.length);
  let count = 0;
  let correct = 0;
  for (let i = 0; i < rows.length; i++) {
    if (goesOn(distances[i], threshold, kind)) on[count++] = rows[i];
    else if (values[i] * labels[rows[i]] > 0) correct++;
  }
  return { fraction: index, rows: on.slice(0, count), correct, wrong: rows.length - count - correct };
}

/** How many rows a classifier gets right, y·h(x) > 0: zero counts as wrong. */
export function correctOf(values: ArrayLike<number>, rows: Int32Array, labels: Int8Array): number {
  let correct = 0;
  for (let i = 0; i < rows.length; i++) if (values[i] * labels[rows[i]] > 0) correct++;
  return correct;
}
