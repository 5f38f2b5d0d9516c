import type { Features, Sample } from "../encode/sample.js";
import type { Run } from "../runtime/parallel/run.js";
import { marginQuantiles } from "../theory/margins/margin-quantiles.js";
import type { Assessment, Model, TrainingSummary } from "./model.js";
import { assessRows } from "./score-rows.js";

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
