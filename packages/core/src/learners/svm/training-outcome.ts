import type { Sample } from "../../encode/sample.js";
import type { Run } from "../../runtime/parallel/run.js";
import { marginQuantiles } from "../../theory/margins/margin-quantiles.js";
import { kernelError } from "../kernel/choose-kernel.js";
import type { KernelFeatures } from "../kernel/kernel-features.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import type { TrainingSummary } from "../model.js";
import { predictionsOf } from "../scores.js";
import { evaluatePairsOnThreads, type PairEvaluator, pairMargins } from "./evaluate-pairs.js";
import type { TrainedPair } from "./train-pairs.js";

/**
 * Counts errors and summarises margins on the training rows. The solver knows f(x) of every row in the pairs of its own class. A row
 * that wins all of them, by more than rounding can change, wins the vote, and its margin is the smallest of them. With a
 * single pair a row that loses it by as much is an error. Only the other rows are evaluated.
 */
export async function summariseSvmTraining(
  { features, labels, rows }: Sample<KernelFeatures>,
  pairs: readonly TrainedPair[],
  evaluator: PairEvaluator,
  { kernel, diagonal }: Pick<KernelRows, "kernel" | "diagonal">,
  run: Run,
): Promise<TrainingSummary> {
  const error = kernelError(kernel, features);
  const margins = new Float64Array(rows).fill(1);
  const open = new Uint8Array(rows);
  let errors = 0;
  for (const [p, { problem, solution }] of pairs.entries()) {
    const { decisionValues, coefficients } = solution;
    // |K(x, y)| ≤ √(K(x, x)K(y, y)), by Cauchy–Schwarz.
    let size = 0;
    for (let i = 0; i < coefficients.length; i++) {
      size += Math.abs(coefficients[i]) * Math.sqrt(diagonal[problem.rows[i]]);
    }
    const limit = evaluator.limits[p];
    for (let i = 0; i < decisionValues.length; i++) {
      const row = problem.rows[i];
      const value = problem.labels[i] * decisionValues[i];
      const rounding = error * size * Math.sqrt(diagonal[row]);
      if (pairs.length === 1 && value < -rounding) errors++;
      else if (!(value > rounding)) open[row] = 1;
      if (value < margins[row] * limit) margins[row] = Math.max(-1, value / limit);
    }
  }
  const left = openRows(open);
  if (left.length > 0) {
    const outputs = await evaluatePairsOnThreads(evaluator, features.select(left), run);
    const own = left.map((row) => labels[row]);
    pairMargins(evaluator.trained, outputs, own).forEach((margin, i) => {
      margins[left[i]] = margin;
    });
    errors += predictionsOf(outputs.scores).filter((prediction, i) => prediction !== own[i]).length;
  }
  return { rows, errors, margins: Float64Array.from(marginQuantiles(margins)) };
}

function openRows(open: Uint8Array): Int32Array {
  const rows: number[] = [];
  for (let row = 0; row < open.length; row++) if (open[row] === 1) rows.push(row);
  return Int32Array.from(rows);
}
