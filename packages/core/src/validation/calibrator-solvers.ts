import {
  type CalibrationCurves,
  type CalibrationMethod,
  Calibrator,
  computeLogOdds,
  computeLogScores,
  LARGEST_COEFFICIENT,
} from "../metrics/calibrator.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import * as real from "../runtime/maths/portable-math.js";
import { type ConvexFunction, projectedNewton } from "../runtime/maths/projected-newton.js";
import { evenRows } from "../table/even-rows.js";
import { BinaryLogLoss, TemperatureLogLoss, VectorLogLoss } from "./calibrator-losses.js";
import { isotonicCurve } from "./isotonic.js";
import { pooledScores, type TargetedScores } from "./pooled-scores.js";

/** Scores of labelled rows, ready for the fits of all methods. */
export interface PreparedScores {
  readonly scoring: "probability" | "decision";
  readonly classes: number;
  readonly floor: number;
  readonly scale: number;
  /** Row by row; see `computeLogScores`. */
  readonly logScores: Float64Array;
  readonly labels: Int32Array;
}

/** Number of rows whose decision values determine the scale. */
const ROWS_FOR_SCALE = 10_000;

/**
 * Prepares the scores of rows. The floor allows all wrong classes together a tenth of 1/(rows + 2), the probability by
 * Laplace's rule of succession that the next row is the first misclassified one. A larger floor costs log loss where
 * the model is rightly certain; without a floor, one wrong row costs an infinite loss.
 */
export function prepareScores(
  scores: Matrix,
  scoring: "probability" | "decision",
  labels: Int32Array,
): PreparedScores {
  const classes = scores.columns;
  const floor = 0.1 / ((scores.rows + 2) * (classes - 1));
  const scale = scoring === "decision" ? scaleOf(scores) : 1;
  return {
    scoring,
    classes,
    floor,
    scale,
    logScores: computeLogScores(scores, { scoring, floor, scale }),
    labels,
  };
}

/** Finds the median distance of decision values from the mean of their row, which ignores a few huge ones. */
function scaleOf({ values, rows, columns }: Matrix): number {
  const distances: number[] = [];
  for (const row of evenRows(rows, ROWS_FOR_SCALE)) {
    let centre = 0;
    for (let k = 0; k < columns; k++) centre += values[row * columns + k] / columns;
    for (let k = 0; k < columns; k++) {
      const distance = Math.abs(values[row * columns + k] - centre);
      if (distance > 0 && distance < Number.POSITIVE_INFINITY) distances.push(distance);
    }
  }
  const ascending = Float64Array.from(distances).sort();
  return ascending[ascending.length >> 1] ?? 1;
}

/** Fits all methods to rows with weights; rows of weight 0 do not count. Methods share their common steps. */
export class MethodFits {
  readonly #rows: PreparedScores;
  readonly #weights: Float64Array;
  #temperature: number | undefined;
  #platt: LinearStep | undefined;

  constructor(rows: PreparedScores, weights: Float64Array) {
    this.#rows = rows;
    this.#weights = weights;
  }

  /**
   * Fits a method.
   *
   * @param own share of the model's own probabilities: calibrated log-odds are moved back towards them by this share
   */
  fit(method: CalibrationMethod, own = 0): Calibrator {
    const { scoring, floor, scale } = this.#rows;
    const linear = this.#linearStep(method);
    const curves = curvesOf(method, this.#rows, this.#weights, linear);
    const share = scoring === "probability" ? own : 0;
    return new Calibrator({
      method,
      scoring,
      floor,
      scale,
      slopes: linear.slopes.map((slope) => limited(between(slope, 1, share))),
      intercepts: linear.intercepts.map((intercept) => limited(between(intercept, 0, share))),
      ...(curves && { curves: curvesBetween(curves, share) }),
    });
  }

  /**
   * Fits slopes and intercepts. Curves of decision values follow Platt scaling, which turns the values into
   * probabilities.
   */
  #linearStep(method: CalibrationMethod): LinearStep {
    const { scoring, classes } = this.#rows;
    if (method === "temperature") return scaled(classes, this.#inverseTemperature());
    if (method === "platt" || (scoring === "decision" && method !== "none")) {
      this.#platt ??=
        classes === 2
          ? plattOfTwo(this.#rows, this.#weights)
          : plattOfSeveral(this.#rows, this.#weights, this.#inverseTemperature());
      return this.#platt;
    }
    return scaled(classes, 1);
  }

  #inverseTemperature(): number {
    this.#temperature ??= temperature(this.#rows, this.#weights);
    return this.#temperature;
  }
}

/** Fits one method; see `MethodFits`. */
export function fitMethod(
  method: CalibrationMethod,
  rows: PreparedScores,
  weights: Float64Array,
  own = 0,
): Calibrator {
  return new MethodFits(rows, weights).fit(method, own);
}

function between(fitted: number, own: number, share: number): number {
  return fitted + share * (own - fitted);
}

/** Moves curves towards the identity, which is a = b = 1 and c = 0, or a curve through (x, σ(x)). */
function curvesBetween(curves: CalibrationCurves, share: number): CalibrationCurves {
  if (share === 0) return curves;
  if (curves.kind === "beta") {
    return {
      kind: "beta",
      a: curves.a.map((a) => between(a, 1, share)),
      b: curves.b.map((b) => between(b, 1, share)),
      c: curves.c.map((c) => between(c, 0, share)),
    };
  }
  const knots = curves.knots.map(({ at, probabilities }) => ({
    at,
    probabilities: probabilities.map((p, k) => sigmoid(between(real.log(p / (1 - p)), at[k], share))),
  }));
  return { kind: "isotonic", knots };
}

function limited(coefficient: number): number {
  return Math.min(LARGEST_COEFFICIENT, Math.max(-LARGEST_COEFFICIENT, coefficient));
}

/** Slopes and intercepts of the classes. */
interface LinearStep {
  readonly slopes: Float64Array;
  readonly intercepts: Float64Array;
}

function scaled(classes: number, slope: number): LinearStep {
  return { slopes: new Float64Array(classes).fill(slope), intercepts: new Float64Array(classes) };
}

/** Minimises a loss whose first `nonNegative` variables must not be negative, and releases it. */
function minimumOf(
  loss: ConvexFunction & { release(): void },
  start: Float64Array,
  nonNegative: number,
): Float64Array {
  try {
    return projectedNewton(loss, start, nonNegative);
  } finally {
    loss.release();
  }
}

/** Fits 1/T. */
function temperature(rows: PreparedScores, weights: Float64Array): number {
  const loss =
    rows.classes === 2
      ? lossOfTwo(rows, weights, (scores) => [scores])
      : new TemperatureLogLoss({ ...rows, weights, others: otherTargets(rows, weights) });
  return minimumOf(loss, Float64Array.of(1), 1)[0];
}

/** Fits σ(a·s + b) for the second class, where s is the difference of the two scores. */
function plattOfTwo(rows: PreparedScores, weights: Float64Array): LinearStep {
  const loss = lossOfTwo(rows, weights, (scores) => [scores, scores.map(() => 1)]);
  const [a, b] = minimumOf(loss, Float64Array.of(1, 0), 1);
  return { slopes: Float64Array.of(a, a), intercepts: Float64Array.of(0, b) };
}

/** Returns the loss of the second class as a function of the factors of these columns. */
function lossOfTwo(
  rows: PreparedScores,
  weights: Float64Array,
  columnsOf: (scores: Float64Array) => readonly Float64Array[],
): BinaryLogLoss {
  const targets = eventTargets(rows.labels, 1, plattTargets(classWeights(rows, weights), 1));
  const pooled = pooledScores({ scores: differences(rows), targets, weights });
  return new BinaryLogLoss({ ...pooled, columns: columnsOf(pooled.scores) });
}

/** Fits a slope and an intercept per class, relative to temperature scaling with the slope `common`. */
function plattOfSeveral(rows: PreparedScores, weights: Float64Array, common: number): LinearStep {
  const { classes } = rows;
  const logScores = rows.logScores.map((score) => common * score);
  const loss = new VectorLogLoss({ ...rows, logScores, weights, others: otherTargets(rows, weights) });
  const start = new Float64Array(2 * classes).fill(1, 0, classes);
  const found = minimumOf(loss, start, classes);
  return { slopes: found.slice(0, classes).map((a) => a * common), intercepts: found.slice(classes) };
}

/** Fits a curve of the log-odds of the second of two classes, or of each of several against the rest. */
function curvesOf(
  method: CalibrationMethod,
  rows: PreparedScores,
  weights: Float64Array,
  linear: LinearStep,
): CalibrationCurves | undefined {
  if (method !== "beta" && method !== "isotonic") return undefined;
  const { classes, labels } = rows;
  const events = classes === 2 ? [1] : Array.from({ length: classes }, (_, k) => k);
  const logOdds = computeLogOdds(rows.logScores, linear);
  const counts = classWeights(rows, weights);
  const scoresOf = (k: number) => {
    const scores = new Float64Array(labels.length);
    for (let i = 0; i < scores.length; i++) scores[i] = logOdds[i * classes + k];
    return scores;
  };
  if (method === "isotonic") {
    const knots = events.map((k) =>
      isotonicCurve({ scores: scoresOf(k), targets: eventTargets(labels, k, [0, 1]), weights }),
    );
    return { kind: "isotonic", knots };
  }
  const fits = events.map((k) =>
    betaCurve({ scores: scoresOf(k), targets: eventTargets(labels, k, plattTargets(counts, k)), weights }),
  );
  const coefficients = (j: number) => Float64Array.from(fits, (fit) => limited(fit[j]));
  return { kind: "beta", a: coefficients(0), b: coefficients(1), c: coefficients(2) };
}

/** Fits a, b ≥ 0 and c of σ(a·ln p − b·ln(1 − p) + c). */
function betaCurve(rows: TargetedScores): Float64Array {
  const pooled = pooledScores(rows);
  const logOdds = pooled.scores;
  const columns = [logOdds.map((x) => -softplus(-x)), logOdds.map((x) => softplus(x)), logOdds.map(() => 1)];
  return minimumOf(new BinaryLogLoss({ ...pooled, columns }), Float64Array.of(1, 1, 0), 2);
}

/** Computes 1 / (1 + exp(−x)) without overflow. */
function sigmoid(x: number): number {
  const e = real.exp(-Math.abs(x));
  return (x >= 0 ? 1 : e) / (1 + e);
}

/** Computes ln(1 + exp(x)) = −ln(1 − σ(x)) without overflow. */
function softplus(x: number): number {
  return Math.max(0, x) + real.log1p(real.exp(-Math.abs(x)));
}

/** Computes the difference of the scores: second class minus first class. */
function differences({ logScores }: PreparedScores): Float64Array {
  return Float64Array.from(
    { length: logScores.length / 2 },
    (_, i) => logScores[2 * i + 1] - logScores[2 * i],
  );
}

/** Writes one of two targets for each row: the first for rows of other classes, the second for rows of the class. */
function eventTargets(
  labels: Int32Array,
  event: number,
  [other, own]: readonly [number, number],
): Float64Array {
  const targets = new Float64Array(labels.length).fill(other);
  for (let i = 0; i < labels.length; i++) if (labels[i] === event) targets[i] = own;
  return targets;
}

/** Computes Platt's targets for one class against the rest: 1/(N' + 2) for N' other rows, (N + 1)/(N + 2) for N rows of the class. */
function plattTargets(counts: Float64Array, event: number): readonly [number, number] {
  let others = 0;
  for (let k = 0; k < counts.length; k++) if (k !== event) others += counts[k];
  return [1 / (others + 2), (counts[event] + 1) / (counts[event] + 2)];
}

/**
 * Computes Platt's targets of the other classes, by the class of a row: 1/(N_k + 2) for all of them together. The own
 * class gets the rest, (N_k + 1)/(N_k + 2).
 */
function otherTargets(rows: PreparedScores, weights: Float64Array): Float64Array {
  return classWeights(rows, weights).map((count) => 1 / ((count + 2) * (rows.classes - 1)));
}

/** Sums the weights of each class. */
function classWeights({ labels, classes }: PreparedScores, weights: Float64Array): Float64Array {
  const counts = new Float64Array(classes);
  for (let i = 0; i < labels.length; i++) counts[labels[i]] += weights[i];
  return counts;
}
