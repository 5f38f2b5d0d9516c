import { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import type { Run } from "../../runtime/parallel/run.js";
import { Hyperplanes } from "../linear/hyperplanes.js";
import { effectiveParameters } from "./effective-parameters.js";
import { LogisticLoss, type LogisticRows } from "./logistic-loss.js";
import { type LogisticSolution, minimisePenalised, type SearchOptions } from "./minimise-penalised.js";

interface FitOptions extends SearchOptions {
  /** Whether to count free parameters. */
  readonly countsParameters: boolean;
}

/** A fitted logistic regression, before it becomes a model. */
interface LogisticFit {
  readonly solution: LogisticSolution;
  readonly outputs: Hyperplanes;
  /** Number of misclassified training rows. */
  readonly errors: number;
  readonly freeParameters: number | undefined;
}

/** Fits weights to rows, starting with the class frequencies as probabilities of every row. */
export async function fitLogistic(given: LogisticRows, options: FitOptions, run: Run): Promise<LogisticFit> {
  const { labels, costs, classes } = given;
  const loss = new LogisticLoss(given, run);
  try {
    const totals = new Float64Array(classes);
    for (let i = 0; i < labels.length; i++) totals[labels[i]] += costs[i];
    const total = totals.reduce((sum, own) => sum + own, 0);
    const solution = await minimisePenalised(loss, startOf(loss, totals), total, options, run);
    const freeParameters = options.countsParameters
      ? await effectiveParameters(loss, solution.weights, options)
      : undefined;
    const penalised = options.l1 > 0 || options.l2 > 0;
    return {
      solution,
      outputs: hyperplanesOf(loss, solution.weights, penalised),
      errors: loss.errors(),
      freeParameters,
    };
  } finally {
    loss.release();
  }
}

/** Returns weights 0 and the intercepts that maximise the likelihood then. */
function startOf({ size, outputs, classes }: LogisticLoss, totals: Float64Array): Float64Array {
  const start = new Float64Array(size);
  const intercepts = start.subarray(size - outputs);
  if (classes === 2) intercepts[0] = real.log(totals[1] / totals[0]);
  else for (let k = 0; k < classes; k++) intercepts[k] = real.log(totals[k]);
  return centred(intercepts, classes) && start;
}

/** Turns weights by features into a row for each output. */
function hyperplanesOf(
  { features, outputs, classes }: LogisticLoss,
  weights: Float64Array,
  penalised: boolean,
): Hyperplanes {
  const own = classes === 2 ? 1 : classes;
  const matrix = new Matrix(own, features);
  const biases = new Float64Array(own);
  const across = new Float64Array(own);
  for (let j = 0; j <= features; j++) {
    for (let k = 0; k < own; k++) across[k] = weights[j * outputs + k];
    // Adding a number to the scores of all classes changes no probability; the sum of weights without a penalty is set to 0.
    if (j === features || !penalised) centred(across, classes);
    for (let k = 0; k < own; k++) {
      if (j < features) matrix.values[k * features + j] = across[k];
      else biases[k] = across[k];
    }
  }
  return new Hyperplanes(matrix, biases);
}

/** Shifts the values of several classes, in place, so that they sum to 0; two classes have a single value. */
function centred(values: Float64Array, classes: number): Float64Array {
  if (classes === 2) return values;
  let mean = 0;
  for (let k = 0; k < classes; k++) mean += values[k] / classes;
  for (let k = 0; k < classes; k++) values[k] -= mean;
  return values;
}
