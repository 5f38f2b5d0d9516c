import {
  type CalibrationMethod,
  Calibrator,
  type CalibratorParts,
  calibrationMethods,
  checkScores,
} from "../metrics/calibrator.js";
import { type FloatArray, Matrix } from "../runtime/maths/matrix.js";
import * as real from "../runtime/maths/portable-math.js";
import { mean } from "../runtime/maths/statistics.js";
import type { TaskContext } from "../runtime/parallel/executor.js";
import { completeRun, type Run } from "../runtime/parallel/run.js";
import { onSharedMemory } from "../runtime/parallel/shared-array.js";
import { defineTask } from "../runtime/parallel/task.js";
import { VouchError } from "../runtime/vouch-error.js";
import { evenRows } from "../table/even-rows.js";
import { countGroups, groupFolds } from "../table/group-splits.js";
import { kFold } from "../table/splits.js";
import { MethodFits, type PreparedScores, prepareScores } from "./calibrator-solvers.js";

/** Scores of training rows by models that did not see them. */
export interface OutOfFoldScores {
  readonly scores: Matrix;
  readonly scoring: "probability" | "decision";
  /** Class index of each row. */
  readonly labels: Int32Array;
  readonly weights?: Float64Array;
  /** Group of each row, if rows of a group are not independent. */
  readonly groups?: Int32Array;
}

/** A calibrator, and the cross-validated log loss of every method tried. */
export interface FittedCalibrator {
  readonly calibrator: Calibrator;
  /** In the order of `calibrationMethods`. */
  readonly table: readonly { readonly method: CalibrationMethod; readonly logLoss: number }[];
}

/**
 * Larger data, in rows or cells (rows times classes), are thinned out, because the fit would take seconds without
 * benefit.
 */
const MOST_TO_FIT = { rows: 50_000, cells: 150_000 };
/** Smaller limits for comparing methods, because each is fitted in every fold. */
const MOST_TO_COMPARE = { rows: 10_000, cells: 60_000 };
const LEAST_ROWS_KEPT = 2000;
const MOST_CLASSES_OF_CURVES = 30;
/** With fewer rows, the simplest method is used without a comparison. */
const LEAST_ROWS = 50;
/** Minimum numbers of rows, and of rows of each class, for isotonic regression. */
const LEAST_ROWS_OF_CURVE = 1000;
const LEAST_ROWS_OF_CLASS = 100;
/** A more complex method must be better by this many standard errors. */
const STANDARD_ERRORS = 1;
/** Probabilities are changed only if that makes the labels of the rows this many times as likely. */
const LIKELIHOOD_RATIO = 1000;
/**
 * The model's own probabilities count as much as this many rows. Models of folds have seen fewer rows than the final
 * one and are more certain of their mistakes, so their calibration goes too far, especially with few rows.
 */
const ROWS_OF_OWN_PROBABILITIES = 200;

/**
 * Fits a calibrator to out-of-fold rows. Methods are compared by their cross-validated log loss on these rows, with
 * whole groups in a fold. The simplest method within one standard error of the best, of paired differences, wins.
 * Probabilities are changed only if that also makes the labels a thousand times as likely in cross-validation.
 * Calibrated probabilities pass this test in at most one of a thousand cases (Markov's inequality, because the expected
 * likelihood ratio is 1). With few rows, only part of the change is made. Rows of weight 0 are ignored.
 */
export async function fitCalibrator(
  given: OutOfFoldScores,
  classes: number,
  partialRun: Partial<Run> = {},
): Promise<FittedCalibrator> {
  const run = completeRun(partialRun);
  checkRows(given, classes);
  const rows = countedRows(given, MOST_TO_FIT);
  const compared = countedRows(rows, MOST_TO_COMPARE);
  const methods = methodsFor(compared);
  const folds = methods.length > 1 ? foldsOfRows(compared, run.seed) : [];
  const own = ROWS_OF_OWN_PROBABILITIES / (ROWS_OF_OWN_PROBABILITIES + unitsOf(rows));
  const final: FitInput = { ...sharedRows(rows), methods, own };
  const inFolds = sharedRows(compared);
  const { threads } = run.executor;
  // With few threads, the methods of a fold share their common steps; with many, each costly one has its own task.
  const groups = threads > folds.length ? methodGroups(methods) : [methods];
  // With spare threads, all methods are fitted to all rows before one is chosen.
  const ahead = threads > 2 * folds.length ? groups.map((own): FitInput => ({ ...final, methods: own })) : [];
  const tests = groups.flatMap((own) => folds.map((test): FitInput => ({ ...inFolds, methods: own, test })));
  const fits = folds.length > 0 ? await fitAll([...ahead, ...tests], run) : [];
  const losses = folds.length > 0 ? lossesOf(methods, tests, fits.slice(ahead.length), compared) : [];
  const method = methods[losses.length > 0 ? simplestOfBest(losses, methods, compared) : 0];
  const known = fits.slice(0, ahead.length).flatMap(({ fitted }) => fitted);
  const [chosen] = known.length > 0 ? [] : await fitAll([{ ...final, methods: [method] }], run);
  const parts = (chosen?.fitted ?? known).find((fitted) => fitted.method === method);
  if (!parts) throw new TypeError(`The method ${method} has not been fitted.`);
  return {
    calibrator: new Calibrator(parts),
    table: losses.map((own, m) => ({ method: methods[m], logLoss: weightedMean(own, compared.weights) })),
  };
}

/** Groups methods so that the groups take about equally long. */
function methodGroups(methods: readonly CalibrationMethod[]): CalibrationMethod[][] {
  const hasCurves = (method: CalibrationMethod) => method === "beta" || method === "isotonic";
  const others = methods.filter((method) => !hasCurves(method));
  return [others, ...methods.filter(hasCurves).map((method) => [method])];
}

/** Gathers the losses of the folds. */
function lossesOf(
  methods: readonly CalibrationMethod[],
  tests: readonly FitInput[],
  fits: readonly FitOutput[],
  { labels }: CountedRows,
): Float64Array[] {
  const all = methods.map(() => new Float64Array(labels.length));
  for (const [f, { methods: own, test = [] }] of tests.entries()) {
    for (const [k, method] of own.entries()) {
      const losses = all[methods.indexOf(method)];
      for (let i = 0; i < test.length; i++) losses[test[i]] = fits[f].losses[k][i];
    }
  }
  return all;
}

/** Rows as threads take them. */
type SharedRows = Pick<FitInput, "rows" | "scores" | "weights">;

function sharedRows({ scores, scoring, labels, weights }: CountedRows): SharedRows {
  const { logScores, ...prepared } = prepareScores(scores, scoring, onSharedMemory(labels));
  return {
    rows: { ...prepared, logScores: onSharedMemory(logScores) },
    scores: onSharedMemory(scores.values),
    weights: onSharedMemory(weights),
  };
}

/** Number of cells fitted per millisecond, very roughly; only for estimates of time. */
const CELLS_PER_MILLISECOND = 3000;

async function fitAll(inputs: readonly FitInput[], { executor, signal }: Run): Promise<FitOutput[]> {
  const cells = inputs.reduce((sum, { rows, methods }) => sum + rows.logScores.length * methods.length, 0);
  const milliseconds = cells / CELLS_PER_MILLISECOND;
  return await executor.map(fitTask, inputs, { ...(signal && { signal }), milliseconds });
}

/** Methods to fit to all rows, or to all rows outside a fold, whose losses are then computed: structured-cloneable. */
interface FitInput {
  readonly rows: PreparedScores;
  readonly scores: FloatArray;
  readonly weights: Float64Array;
  readonly methods: readonly CalibrationMethod[];
  /** The rows of the fold. */
  readonly test?: Int32Array;
  /** Share of the model's own probabilities. */
  readonly own?: number;
}

interface FitOutput {
  /** For each method. */
  readonly fitted: readonly CalibratorParts[];
  /** Log loss of each row of the fold, for each method; empty without a fold. */
  readonly losses: readonly Float64Array[];
}

const fitTask = defineTask(
  "validation/calibrate",
  async (
    { rows, scores, weights, methods, test, own = 0 }: FitInput,
    context: TaskContext,
  ): Promise<FitOutput> => {
    const { classes, labels } = rows;
    const others = weights.slice();
    for (const row of test ?? []) others[row] = 0;
    const tested = test && new Matrix(labels.length, classes, scores).select(test);
    const fits = new MethodFits(rows, others);
    const fitted: CalibratorParts[] = [];
    const losses: Float64Array[] = [];
    for (const method of methods) {
      await context.checkpoint();
      const calibrator = fits.fit(method, own);
      fitted.push(calibrator.parts);
      if (!tested) continue;
      const { values } = calibrator.probabilities(tested);
      losses.push(Float64Array.from(test, (row, i) => -real.log(values[i * classes + labels[row]])));
    }
    return { fitted, losses };
  },
);

interface CountedRows extends OutOfFoldScores {
  readonly weights: Float64Array;
}

/** Drops rows of weight 0, thins out large data, and scales weights to a mean of 1. */
function countedRows(
  { scores, scoring, labels, weights, groups }: OutOfFoldScores,
  limits: { readonly rows: number; readonly cells: number },
): CountedRows {
  const positive = Int32Array.from(labels.keys()).filter((row) => !weights || weights[row] > 0);
  if (positive.length === 0) throw new VouchError("data/no-rows", "There are no rows to calibrate with.");
  const most = Math.max(LEAST_ROWS_KEPT, Math.min(limits.rows, Math.floor(limits.cells / scores.columns)));
  const kept = evenRows(positive.length, most).map((i) => positive[i]);
  const all = kept.length === labels.length;
  const own = Float64Array.from(kept, (row) => weights?.[row] ?? 1);
  const average = mean(own);
  return {
    scores: all ? scores : scores.select(kept),
    scoring,
    labels: all ? labels : kept.map((row) => labels[row]),
    weights: own.map((weight) => weight / average),
    ...(groups && { groups: kept.map((row) => groups[row]) }),
  };
}

function checkRows({ scores, labels, weights, groups }: OutOfFoldScores, classes: number): void {
  checkScores(scores, classes);
  const { rows } = scores;
  const lengths = [labels.length, weights?.length ?? rows, groups?.length ?? rows];
  if (classes < 2 || lengths.some((length) => length !== rows)) {
    throw new VouchError(
      "data/malformed",
      `${rows} rows of scores of ${classes} classes have ${labels.length} labels, ${lengths[1]} weights and ${lengths[2]} groups.`,
    );
  }
  labels.forEach((label, row) => {
    const weight = weights?.[row] ?? 1;
    if (label >= 0 && label < classes && weight >= 0 && weight < Number.POSITIVE_INFINITY) return;
    throw new VouchError("data/malformed", `Row ${row + 1} has class ${label} and weight ${weight}.`);
  });
}

/** Lists the methods that the rows allow, simplest first. */
function methodsFor({ scores: { columns: classes }, scoring, labels }: CountedRows): CalibrationMethod[] {
  const counts = new Int32Array(classes);
  for (const label of labels) counts[label]++;
  const rows = labels.length;
  const few = classes <= MOST_CLASSES_OF_CURVES;
  const allowed: Record<CalibrationMethod, boolean> = {
    none: scoring === "probability",
    temperature: true,
    platt: few,
    beta: few,
    isotonic: few && rows >= LEAST_ROWS_OF_CURVE && counts.every((count) => count >= LEAST_ROWS_OF_CLASS),
  };
  return calibrationMethods.filter((method) => allowed[method]);
}

/** Assigns the rows to folds; none if there are too few rows or groups. */
function foldsOfRows({ labels, groups }: CountedRows, seed: number): Int32Array[] {
  if (labels.length < LEAST_ROWS) return [];
  const k = labels.length < LEAST_ROWS_OF_CURVE ? 10 : 5;
  if (!groups) return kFold(labels, k, seed).folds.map(({ test }) => test);
  const number = Math.min(k, countGroups(groups));
  return number < 2 ? [] : groupFolds(groups, labels, number, seed).folds.map(({ test }) => test);
}

/** Returns the index of the simplest method whose loss is within the standard error of the best. */
function simplestOfBest(
  losses: readonly Float64Array[],
  methods: readonly CalibrationMethod[],
  rows: CountedRows,
): number {
  const means = losses.map((own) => weightedMean(own, rows.weights));
  const best = means.indexOf(Math.min(...means));
  const units = unitsOf(rows);
  return losses.findIndex((own, m) => {
    const gain = means[m] - means[best];
    if (gain <= STANDARD_ERRORS * standardError(own, losses[best], rows)) return true;
    return methods[m] === "none" && gain * units <= real.log(LIKELIHOOD_RATIO);
  });
}

/** Counts independent draws: groups if there are any, otherwise rows. */
function unitsOf({ labels, groups }: CountedRows): number {
  return groups ? countGroups(groups) : labels.length;
}

/** Computes the standard error of the mean difference of two losses; rows of a group count as one draw. */
function standardError(a: Float64Array, b: Float64Array, { weights, groups }: CountedRows): number {
  const differences = a.map((loss, row) => loss - b[row]);
  const centre = weightedMean(differences, weights);
  const sums = new Map<number, number>();
  differences.forEach((difference, row) => {
    const unit = groups?.[row] ?? row;
    sums.set(unit, (sums.get(unit) ?? 0) + weights[row] * (difference - centre));
  });
  let squares = 0;
  for (const sum of sums.values()) squares += sum * sum;
  const units = sums.size;
  return Math.sqrt((squares * units) / Math.max(1, units - 1)) / weights.length;
}

function weightedMean(values: Float64Array, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += weights[i] * values[i];
  return sum / weights.length;
}
