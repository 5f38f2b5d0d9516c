import type { Features, Sample } from "../encode/sample.js";
import type { Run } from "../runtime/parallel/run.js";
import { marginQuantiles } from "../theory/margins/margin-statistics.js";
import type { Assessment, Model, TrainingSummary } from "./model.js";
import { assessRows } from "./score-rows.js";

/** Training errors of a model that some of its training rows alone determine. */
export interface CompressionFacts {
  readonly rows: number;
  /** Number of misclassified training rows; an upper bound if there is a machine per pair of several classes. */
  readonly errors: number;
  /** Size of the compression set: the training rows that determine the model. */
  readonly kept: number;
  /** Number of misclassified rows outside the compression set. */
  readonly otherErrors: number;
  /** Number of models that the same rows could determine; 1 if they determine one. */
  readonly messages: number;
}

/** Says what is wrong with facts of a model that has this many support vectors; undefined if nothing is. */
export function compressionFault(
  facts: CompressionFacts | undefined,
  supportVectors: number,
): string | undefined {
  if (!facts) return undefined;
  const { rows, kept, otherErrors } = facts;
  if (kept >= supportVectors && kept + otherErrors <= rows) return undefined;
  return `its compression set has ${kept} of ${rows} rows, with ${supportVectors} support vectors and ${otherErrors} errors on the others`;
}

/**
 * Counts the errors of a machine from its values for the training rows; f(x) = 0 is decided for the positive class. `isKept` is
 * non-zero for the rows of the compression set.
 */
export function compressionFacts(
  labels: Int8Array,
  decisionValues: Float64Array,
  isKept: ArrayLike<number>,
  messages = 1,
): CompressionFacts {
  let errors = 0;
  let kept = 0;
  let otherErrors = 0;
  for (let i = 0; i < labels.length; i++) {
    if (isKept[i] !== 0) kept++;
    if (decisionValues[i] >= 0 === labels[i] > 0) continue;
    errors++;
    if (isKept[i] === 0) otherErrors++;
  }
  return { rows: labels.length, errors, kept, otherErrors, messages };
}

/** Counts errors and summarises margins on the training rows in one evaluation, on the threads of the run. */
export async function summariseTraining(
  model: Model,
  sample: Sample<Features>,
  run: Run,
): Promise<TrainingSummary> {
  return summaryFrom(await assessRows(model, sample, run), sample);
}

/** Counts errors and summarises margins of rows that were assessed. */
export function summaryFrom(
  { predictions, margins }: Pick<Assessment, "predictions" | "margins">,
  { rows, labels }: Sample<Features>,
): TrainingSummary {
  const errors = countErrors(predictions, labels);
  return { rows, errors, margins: Float64Array.from(marginQuantiles(margins)) };
}

/** Counts predictions that differ from the labels. */
export function countErrors(predictions: Int32Array, labels: Int32Array): number {
  let errors = 0;
  for (let i = 0; i < labels.length; i++) if (predictions[i] !== labels[i]) errors++;
  return errors;
}

/** Counts the rows of a sample that the model misclassifies. */
export function errorsOn(model: Model, { features, labels }: Sample<Features>): number {
  return countErrors(model.predict(features), labels);
}
