import { type Evaluation, evaluate } from "../data/metrics.js";
import type { Features, Sample } from "../data/sample.js";
import type { Model } from "./model.js";
import { predictionsOf } from "./scores.js";

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
