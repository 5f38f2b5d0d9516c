import type { Encoder } from "../data/encoder.js";
import { type Evaluation, evaluate } from "../data/metrics.js";
import { type Features, Sample } from "../data/sample.js";
import type { LabelledRows } from "../data/target.js";
import type { Model } from "../learning/model.js";
import { predictionsOf } from "../learning/scores.js";

/** Labelled raw rows as the sample that a learner or a bound takes. */
export function labelledSample(
  encoder: Encoder,
  rows: Pick<LabelledRows, "features" | "labels">,
  onNotice?: (notice: string) => void,
): Sample<Features> {
  const features = encoder.encode(rows.features, onNotice);
  const { classes } = encoder.schema;
  return new Sample({ features, labels: rows.labels, classes, featureNames: encoder.featureNames });
}

/** The given rows, in the given order. */
export function selectRows(from: LabelledRows, rows: Int32Array): LabelledRows {
  return { ...from, features: from.features.select(rows), labels: rows.map((row) => from.labels[row]) };
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
