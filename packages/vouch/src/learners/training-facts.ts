import { z } from "zod";
import type { Features, Sample } from "../encode/sample.js";
import { type Evaluation, evaluate } from "../evaluate/metrics.js";
import type { Model } from "./model.js";
import { predictionsOf } from "./scores.js";

/** What a model keeps of its training for certificates: rows of positive weight, each counted once. */
export interface TrainingFacts {
  readonly rows: number;
  /** How many of them the model misclassifies; of machines for pairs of several classes, at most. */
  readonly errors: number;
}

/** Facts of a model that some of its training rows alone determine. */
export interface CompressionFacts extends TrainingFacts {
  /** How many of the rows that take no part in the model it misclassifies. */
  readonly otherErrors: number;
  /** How many models the same rows could stand for: 1 where they alone determine it. */
  readonly messages: number;
}

const rows = z.int().min(1);
const count = z.int().min(0);
const possible = ({ rows, errors }: TrainingFacts) => errors <= rows;

/** Training facts in a file. */
export const trainingFactsSchema = z
  .strictObject({ rows, errors: count })
  .refine(possible, "more errors than rows");

/** Compression facts in a file. */
export const compressionFactsSchema = z
  .strictObject({ rows, errors: count, otherErrors: count, messages: rows })
  .refine(possible, "more errors than rows")
  .refine(({ errors, otherErrors }) => otherErrors <= errors, "more errors on some rows than on all");

/** Counts the errors of a machine from its values for the training rows; f(x) = 0 is decided for the positive class. */
export function compressionFacts(
  labels: Int8Array,
  decisionValues: Float64Array,
  coefficients: Float64Array,
  messages = 1,
): CompressionFacts {
  let errors = 0;
  let otherErrors = 0;
  for (let i = 0; i < labels.length; i++) {
    if (decisionValues[i] >= 0 === labels[i] > 0) continue;
    errors++;
    if (coefficients[i] === 0) otherErrors++;
  }
  return { rows: labels.length, errors, otherErrors, messages };
}

/** How many rows of the sample the model misclassifies. */
export function errorsOn(model: Model, { features, labels }: Sample<Features>): number {
  const predictions = model.predict(features);
  let errors = 0;
  for (let i = 0; i < labels.length; i++) if (predictions[i] !== labels[i]) errors++;
  return errors;
}

/** All metrics of the model on the sample. */
export function evaluateOn(model: Model, { features, labels }: Sample<Features>): Evaluation {
  const { classes, scoring } = model;
  const scores = model.scores(features);
  return evaluate({ classes, labels, predictions: predictionsOf(scores), scores, scoring });
}
