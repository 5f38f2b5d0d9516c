import { Matrix } from "../runtime/matrix.js";
import { VouchError } from "../runtime/vouch-error.js";
import { mapRows } from "./map-rows.js";

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
    checkScores(scores, this.classes);
    const { method, slopes, intercepts, curves } = this.parts;
    const floor = method === "none" ? 0 : this.parts.floor;
    const logScores = logScoresOf(scores, this.parts);
    const values = curves
      ? afterCurves(logOddsOf(logScores, this.parts), curves, this.classes, floor)
      : mapRows(logScores, this.classes, [slopes, intercepts], (kernels, { pointer, rows }, [a, b]) =>
          kernels.softmaxRows(pointer, rows, this.classes, a, b, floor),
        );
    return new Matrix(scores.rows, this.classes, values);
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
  return mapRows(values, columns, [], (kernels, { pointer, rows }) => {
    if (scoring === "probability") kernels.logProbabilities(pointer, rows * columns, columns, floor);
    else kernels.scaleDecisions(pointer, rows * columns, scale, LARGEST_DECISION);
  });
}

/** Computes the log-odds ln(q_k / (1 − q_k)) of q = softmax(slope_k · s_k + intercept_k). */
export function logOddsOf(
  logScores: Float64Array,
  { slopes, intercepts }: Pick<CalibratorParts, "slopes" | "intercepts">,
): Float64Array {
  const classes = slopes.length;
  const scratch = new Float64Array(classes);
  return mapRows(
    logScores,
    classes,
    [slopes, intercepts, scratch],
    (kernels, { pointer, rows }, [a, b, row]) => kernels.logOddsRows(pointer, rows, classes, a, b, row),
  );
}

/** Computes the probabilities that curves assign to log-odds, divided by their sum. */
function afterCurves(
  logOdds: Float64Array,
  curves: CalibrationCurves,
  classes: number,
  floor: number,
): Float64Array {
  // Of two classes only the second has a curve.
  const first = classes === 2 ? 1 : 0;
  if (curves.kind === "beta") {
    const factors = [curves.a, curves.b, curves.c].map((own) => {
      const all = new Float64Array(classes);
      all.set(own, first);
      return all;
    });
    return mapRows(logOdds, classes, factors, (kernels, { pointer, rows }, [a, b, c]) =>
      kernels.betaRows(pointer, rows, classes, a, b, c, floor),
    );
  }
  const { knots } = curves;
  const starts = new Int32Array(classes + 1);
  knots.forEach(({ at }, k) => {
    starts[first + k + 1] = starts[first + k] + at.length;
  });
  const at = joined(knots.map((own) => own.at));
  const probabilities = joined(knots.map((own) => own.probabilities));
  return mapRows(logOdds, classes, [starts, at, probabilities], (kernels, { pointer, rows }, [s, x, p]) =>
    kernels.isotonicRows(pointer, rows, classes, s, x, p, floor),
  );
}

function joined(arrays: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const array of arrays) {
    all.set(array, length);
    length += array.length;
  }
  return all;
}
