import { Matrix } from "../runtime/maths/matrix.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { WasmExports } from "../runtime/wasm/wasm-exports.js";
import { mapRows, type RowBlock } from "./map-rows.js";

/** Calibration methods, simplest first. */
export const calibrationMethods = ["none", "temperature", "platt", "beta", "isotonic"] as const;

/** Name of a calibration method. */
export type CalibrationMethod = (typeof calibrationMethods)[number];

/** Maximum magnitude of slopes and intercepts. */
export const LARGEST_COEFFICIENT = 1e6;

/** Decision values are clipped to this multiple of their scale, beyond which every class is certain. */
const LARGEST_DECISION = 1000;

/** The numbers of a calibrator. */
export interface CalibratorParts {
  readonly method: CalibrationMethod;
  readonly scoring: "probability" | "decision";
  /** Lower limit of all probabilities. */
  readonly floor: number;
  /** Divisor of decision values. */
  readonly scale: number;
  readonly slopes: Float64Array;
  readonly intercepts: Float64Array;
  /** One curve for the second of two classes, or one per class. */
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
 *     P_k = floor + (1 − classes · floor) · q_k, unless s_k already has the floor and is unchanged
 *
 * Temperature scaling has one slope for all classes and no intercepts. Platt scaling has one slope and one intercept
 * for two classes, and one of each per class for more (vector scaling: Guo, Pleiss, Sun and Weinberger 2017). Beta
 * calibration and isotonic regression have curves. With two classes P is a non-decreasing function of the score.
 */
export class Calibrator {
  readonly parts: CalibratorParts;
  #vectors: readonly (Float64Array | Int32Array)[] | undefined;

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
    return runNow(this.probabilitiesInSteps(scores));
  }

  /** Computes the same with pauses. */
  *probabilitiesInSteps(scores: Matrix): Pausable<Matrix> {
    const { classes, parts } = this;
    checkScores(scores, classes);
    const { curves } = parts;
    const floor = parts.method === "none" ? 0 : parts.floor;
    this.#vectors ??= vectorsOf(parts);
    const values = yield* mapRows(
      scores.values,
      classes,
      this.#vectors,
      (exports, block, [a, b, row, ...curve]) => {
        const { pointer, rows } = block;
        toLogScores(exports, block, classes, parts);
        if (!curves) return exports.softmaxRows(pointer, rows, classes, a, b, floor);
        exports.logOddsRows(pointer, rows, classes, a, b, row);
        const apply = curves.kind === "beta" ? exports.betaRows : exports.isotonicRows;
        apply(pointer, rows, classes, curve[0], curve[1], curve[2], floor);
      },
    );
    return new Matrix(scores.rows, classes, values);
  }
}

/** Lists slopes, intercepts, room for a row, and the three vectors of the curves, in the layout of the kernels. */
function vectorsOf({ slopes, intercepts, curves }: CalibratorParts): (Float64Array | Int32Array)[] {
  const classes = slopes.length;
  const linear = [slopes, intercepts, new Float64Array(classes)];
  if (!curves) return linear;
  // With two classes, only the second has a curve.
  const first = classes === 2 ? 1 : 0;
  if (curves.kind === "beta") {
    const factors = [curves.a, curves.b, curves.c].map((own) => {
      const all = new Float64Array(classes);
      all.set(own, first);
      return all;
    });
    return [...linear, ...factors];
  }
  const { knots } = curves;
  const starts = new Int32Array(classes + 1);
  for (const [k, { at }] of knots.entries()) starts[first + k + 1] = starts[first + k] + at.length;
  const all = (own: readonly Float64Array[]) => Float64Array.from(own.flatMap((each) => Array.from(each)));
  return [...linear, starts, all(knots.map(({ at }) => at)), all(knots.map((own) => own.probabilities))];
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

/** How scores become log-scores. */
type ScoreScale = Pick<CalibratorParts, "scoring" | "floor" | "scale">;

/** Computes ln p of every probability, clipped to the floor, or decision values divided by their scale. */
export function computeLogScores({ values, columns }: Matrix, scale: ScoreScale): Float64Array {
  return runNow(
    mapRows(values, columns, [], (exports, block) => toLogScores(exports, block, columns, scale)),
  );
}

function toLogScores(
  exports: WasmExports,
  { pointer, rows }: RowBlock,
  classes: number,
  { scoring, floor, scale }: ScoreScale,
): void {
  if (scoring === "probability") exports.logProbabilities(pointer, rows * classes, classes, floor);
  else exports.scaleDecisions(pointer, rows * classes, scale, LARGEST_DECISION);
}

/** Computes the log-odds ln(q_k / (1 − q_k)) of q = softmax(slope_k · s_k + intercept_k). */
export function computeLogOdds(
  logScores: Float64Array,
  { slopes, intercepts }: Pick<CalibratorParts, "slopes" | "intercepts">,
): Float64Array {
  const classes = slopes.length;
  const vectors = [slopes, intercepts, new Float64Array(classes)];
  return runNow(
    mapRows(logScores, classes, vectors, (exports, { pointer, rows }, [a, b, row]) =>
      exports.logOddsRows(pointer, rows, classes, a, b, row),
    ),
  );
}
