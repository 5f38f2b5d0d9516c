import { type FloatArray, Matrix } from "../runtime/matrix.js";
import { countBelow } from "../runtime/sort.js";
import { VouchError } from "../runtime/vouch-error.js";

/** Methods of calibration, the simplest first. */
export const calibrationMethods = ["none", "temperature", "platt", "beta", "isotonic"] as const;

/** One of `calibrationMethods`. */
export type CalibrationMethod = (typeof calibrationMethods)[number];

/** Slopes and intercepts are at most this large. */
export const LARGEST_COEFFICIENT = 1e6;

/** Decision values are clipped to this many times their scale: beyond it every class is certain. */
const LARGEST_DECISION = 1000;

/** The numbers of a calibrator. */
export interface CalibratorParts {
  readonly method: CalibrationMethod;
  readonly scoring: "probability" | "decision";
  /** No probability is smaller. */
  readonly floor: number;
  /** Decision values are divided by this. */
  readonly scale: number;
  readonly slopes: Float64Array;
  readonly intercepts: Float64Array;
  /** One curve for the second of two classes, or one for each of several. */
  readonly curves?: CalibrationCurves | undefined;
}

/** Knots of an isotonic curve: log-odds before calibration, ascending, and probabilities after it, not descending. */
interface Knots {
  readonly at: Float64Array;
  readonly probabilities: Float64Array;
}

/** The curves of a calibrator that has any. */
export type CalibrationCurves =
  | { readonly kind: "beta"; readonly a: Float64Array; readonly b: Float64Array; readonly c: Float64Array }
  | { readonly kind: "isotonic"; readonly knots: readonly Knots[] };

/**
 * Turns the scores of a model into probabilities, in up to three steps:
 *
 *     l_k = slope_k · s_k + intercept_k,   s_k = ln p_k, or a decision value divided by its scale
 *     q_k = softmax(l)_k, or curve_k(log-odds of softmax(l)_k), divided by their sum
 *     P_k = floor + (1 − classes · floor) · q_k, unless s_k has the floor already and nothing has changed it
 *
 * Temperature scaling has one slope for all classes and no intercepts; Platt scaling has one slope and one intercept for two
 * classes, one of each per class for more (vector scaling: Guo, Pleiss, Sun and Weinberger 2017); beta calibration and isotonic
 * regression have curves. With two classes P is a non-decreasing function of the score.
 */
export class Calibrator {
  readonly parts: CalibratorParts;

  constructor(parts: CalibratorParts) {
    this.parts = parts;
  }

  get method(): CalibrationMethod {
    return this.parts.method;
  }

  /** Whether it takes probabilities or decision values. */
  get scoring(): "probability" | "decision" {
    return this.parts.scoring;
  }

  get classes(): number {
    return this.parts.slopes.length;
  }

  /** Computes calibrated probabilities: at least `floor`, summing to one. Throws on NaN. */
  probabilities(scores: Matrix): Matrix {
    const { classes } = this;
    checkScores(scores, classes);
    const { method, slopes, intercepts, curves } = this.parts;
    const floor = method === "none" ? 0 : this.parts.floor;
    const logScores = logScoresOf(scores, this.parts);
    for (let start = 0; start < logScores.length; start += classes) {
      for (let k = 0; k < classes; k++) {
        logScores[start + k] = slopes[k] * logScores[start + k] + intercepts[k];
      }
      const row = logScores.subarray(start, start + classes);
      if (curves) applyCurves(row, curves);
      else softmax(row);
      for (let k = 0; k < classes; k++) row[k] = floor + (1 - classes * floor) * row[k];
    }
    return new Matrix(scores.rows, classes, logScores);
  }
}

/** Throws unless there is a score for every class, and none is NaN. */
export function checkScores({ columns, values }: Matrix, classes: number): void {
  if (columns !== classes) {
    throw new VouchError("data/malformed", `There are ${columns} scores per row for ${classes} classes.`);
  }
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) {
      throw new VouchError("data/malformed", `A score of row ${Math.floor(i / classes) + 1} is NaN.`);
    }
  }
}

/** Computes ln p of every probability, kept above the floor, or decision values divided by their scale. */
export function logScoresOf(
  { values, columns }: Matrix,
  { scoring, floor, scale }: Pick<CalibratorParts, "scoring" | "floor" | "scale">,
): Float64Array {
  const logScores = new Float64Array(values.length);
  const rest = 1 - columns * floor;
  for (let i = 0; i < values.length; i++) {
    logScores[i] =
      scoring === "probability"
        ? Math.log(floor + rest * clipped(values[i], 0, 1))
        : clipped(values[i] / scale, -LARGEST_DECISION, LARGEST_DECISION);
  }
  return logScores;
}

/** Replaces logits by exp(l_k) / Σ_j exp(l_j), and returns ln Σ_j exp(l_j). */
export function softmax(row: FloatArray): number {
  let largest = row[0];
  for (let k = 1; k < row.length; k++) if (row[k] > largest) largest = row[k];
  let sum = 0;
  for (let k = 0; k < row.length; k++) {
    row[k] = Math.exp(row[k] - largest);
    sum += row[k];
  }
  for (let k = 0; k < row.length; k++) row[k] /= sum;
  return largest + Math.log(sum);
}

/**
 * Replaces logits by the log-odds ln(q_k / (1 − q_k)) of their softmax q. The sum over the other classes is computed without
 * the largest one where it would cancel, so that no digit is lost when a class is almost certain.
 */
export function logOddsOf(row: FloatArray): void {
  let best = 0;
  for (let k = 1; k < row.length; k++) if (row[k] > row[best]) best = k;
  const largest = row[best];
  let others = 0;
  for (let k = 0; k < row.length; k++) if (k !== best) others += Math.exp(row[k] - largest);
  for (let k = 0; k < row.length; k++) {
    const own = row[k] - largest;
    // Second terms are ln Σ_{j≠k} exp(l_j − l_best); exp(own) ≤ others unless k is the largest.
    row[k] = k === best ? -logarithmOf(others) : own - Math.log1p(Math.max(0, others - Math.exp(own)));
  }
}

/** Computes ln x, kept finite where x has underflowed. */
function logarithmOf(x: number): number {
  return Math.log(Math.max(x, Number.MIN_VALUE));
}

function applyCurves(row: FloatArray, curves: CalibrationCurves): void {
  logOddsOf(row);
  if (row.length === 2) {
    row[1] = curveAt(curves, 0, row[1]);
    row[0] = 1 - row[1];
    return;
  }
  let sum = 0;
  for (let k = 0; k < row.length; k++) {
    row[k] = Math.max(curveAt(curves, k, row[k]), Number.MIN_VALUE * row.length);
    sum += row[k];
  }
  for (let k = 0; k < row.length; k++) row[k] /= sum;
}

function curveAt(curves: CalibrationCurves, curve: number, logOdds: number): number {
  if (curves.kind === "isotonic") return interpolated(curves.knots[curve], logOdds);
  const { a, b, c } = curves;
  return sigmoid(betaLogOdds(a[curve], b[curve], c[curve], logOdds));
}

/** Computes a·ln p − b·ln(1 − p) + c from ln(p / (1 − p)) (Kull, Silva Filho and Flach 2017, eq. 4). */
function betaLogOdds(a: number, b: number, c: number, logOdds: number): number {
  return b * softplus(logOdds) - a * softplus(-logOdds) + c;
}

/** Interpolates linearly between knots; the curve is constant outside them. */
function interpolated({ at, probabilities }: Knots, x: number): number {
  const right = countBelow(at, 0, at.length, x);
  if (right === 0) return probabilities[0];
  if (right === at.length) return probabilities[right - 1];
  const share = (x - at[right - 1]) / (at[right] - at[right - 1]);
  return probabilities[right - 1] + share * (probabilities[right] - probabilities[right - 1]);
}

/** Computes 1 / (1 + exp(−x)) without overflow. */
export function sigmoid(x: number): number {
  const e = Math.exp(-Math.abs(x));
  return (x >= 0 ? 1 : e) / (1 + e);
}

/** Computes ln(1 + exp(x)) = −ln(1 − σ(x)) without overflow. */
export function softplus(x: number): number {
  return Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)));
}

function clipped(x: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, x));
}
