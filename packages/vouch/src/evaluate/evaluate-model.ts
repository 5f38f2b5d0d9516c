import type { Features, Sample } from "../encode/sample.js";
import type { Model } from "../learners/model.js";
import { predictionsOf } from "../learners/scores.js";
import { type Evaluation, evaluate } from "./metrics.js";

/** Computes all metrics of the model on the sample. */
export function evaluateOn(model: Model, { features, labels }: Sample<Features>): Evaluation {
  const { classes, scoring } = model;
  const scores = model.scores(features);
  return evaluate({ classes, labels, predictions: predictionsOf(scores), scores, scoring });
}
