import { createLearner } from "@vouch/core/internal/learners/index";
import { applyDecision } from "@vouch/core/internal/metrics/decision";
import { reliability } from "@vouch/core/internal/metrics/reliability";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { definePortableTask } from "@vouch/core/internal/runtime/parallel/task";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { trainClassifier } from "@vouch/core/internal/train/train";
import { type PlainTable, restoredTable } from "../plain-table.js";
import type { CalibratedTrial } from "./calibration-result.js";

/** A learner on one random split of a data set. */
export interface TrialInput {
  /** The rows, of which half are held out. */
  readonly table: PlainTable;
  readonly target: string;
  readonly learner: string;
  readonly division: number;
  readonly seed: number;
}

/**
 * Trains a learner and measures its probabilities before and after calibration; returns a string if it cannot be
 * trained.
 */
export const calibratedTrialTask = definePortableTask(
  "experiments/calibrated-trial",
  async (input: TrialInput, { checkpoint }): Promise<CalibratedTrial | string> => {
    await checkpoint();
    const { target } = input;
    try {
      const { classifier, samples, assessment } = await trainClassifier(
        restoredTable(input.table),
        await createLearner(input.learner),
        { target, holdout: 0.5, stratify: true, run: { seed: input.seed + input.division } },
      );
      const { model, decision } = classifier;
      const { heldOut } = samples;
      if (!heldOut || !assessment || !decision.calibrator) return "there are too few rows to calibrate";
      const own = model.classify(heldOut.features);
      const before = model.scoring === "probability" ? own.scores : softmaxOf(own.scores);
      const { labels } = heldOut;
      const compared = compare(labels, before, applyDecision(decision, own).scores);
      return {
        method: decision.calibrator.method,
        scoring: model.scoring,
        trained: samples.training.rows,
        tested: labels.length,
        ...compared,
      };
    } catch (error) {
      if (error instanceof VouchError) return error.message;
      throw error;
    }
  },
  import.meta.url,
);

/** Computes exp(d_k) / Σ_j exp(d_j), the usual probabilities of decision values without calibration. */
function softmaxOf({ rows, columns, values }: Matrix): Matrix {
  const shares = Float64Array.from(values);
  for (let start = 0; start < shares.length; start += columns) {
    const row = shares.subarray(start, start + columns);
    const largest = Math.max(...row);
    row.forEach((value, k) => {
      row[k] = Math.exp(value - largest);
    });
    const sum = row.reduce((total, share) => total + share, 0);
    row.forEach((share, k) => {
      row[k] = share / sum;
    });
  }
  return new Matrix(rows, columns, shares);
}

/** Probabilities are clipped to at least 10⁻¹⁵, as in `logLoss`. */
const LEAST = 1e-15;

function compare(labels: Int32Array, before: Matrix, after: Matrix) {
  const lossesOf = ({ values, columns }: Matrix) =>
    Array.from(labels, (label, i) => -Math.log(Math.max(LEAST, values[i * columns + label])));
  const [first, second] = [lossesOf(before), lossesOf(after)];
  const differences = second.map((loss, i) => loss - first[i]);
  const centre = meanOf(differences);
  const squares = differences.reduce((sum, difference) => sum + (difference - centre) ** 2, 0);
  const [errorBefore, errorAfter] = [before, after].map((scores) => calibrationOf(labels, scores));
  return {
    before: meanOf(first),
    after: meanOf(second),
    standardError: Math.sqrt(squares) / labels.length,
    errorBefore: errorBefore.error,
    errorAfter: errorAfter.error,
    chance: errorAfter.chanceError,
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Computes the calibration error of the predicted class, or of the second of two. */
function calibrationOf(labels: Int32Array, scores: Matrix): { error: number; chanceError: number } {
  const { columns, values } = scores;
  const predictions = Int32Array.from(labels, (_, i) => {
    const row = values.subarray(i * columns, (i + 1) * columns);
    return row.indexOf(Math.max(...row));
  });
  const classes = Array.from({ length: columns }, (_, k) => String(k));
  const found = reliability({ classes, labels, predictions, scores, scoring: "probability" });
  return found ?? { error: 0, chanceError: 0 };
}
