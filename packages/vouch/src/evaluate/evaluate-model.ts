import type { Features, Sample } from "../encode/sample.js";
import type { Assessment, Model } from "../learners/model.js";
import { type Evaluation, evaluate } from "./metrics.js";

/** Computes all metrics of the model on the sample. */
export function evaluateOn(model: Model, sample: Sample<Features>): Evaluation {
  return evaluationOf(model, sample, model.assess(sample));
}

/** Computes all metrics from the assessment of a sample. */
export function evaluationOf(
  { classes, scoring }: Model,
  { labels }: Sample<Features>,
  { scores, predictions }: Assessment,
): Evaluation {
  return evaluate({ classes, labels, predictions, scores, scoring });
}
