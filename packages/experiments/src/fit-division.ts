import type { Learner, Model } from "vouch";
import { checkpoint, type Features, fitEncoder, Sample } from "vouch/learning";
import type { Division } from "./divisions.js";
import type { ExperimentRun } from "./experiment.js";
import { countErrors } from "./labelled-rows.js";

/** A model that was trained on the training rows of a division. */
export interface FittedDivision<M extends Model = Model> {
  readonly model: M;
  /** The test rows, encoded. */
  readonly tested: Features;
  /** Share of the test rows that a model for the same features gets right. */
  accuracyOf(model: Model): number;
}

/**
 * Trains a learner on the training rows of a division, encoded by what they alone are like. What it is told of its
 * progress says which part of the experiment it is.
 */
export async function fitDivision<M extends Model>(
  learner: Learner<M>,
  { training, test }: Division,
  part: string,
  run: ExperimentRun,
): Promise<FittedDivision<M>> {
  const encoder = fitEncoder(training.features, training, learner.encoding);
  await checkpoint(run);
  const { labels, classes } = training;
  const { featureNames } = encoder;
  const sample = new Sample<Features>({
    features: encoder.encode(training.features),
    labels,
    classes,
    featureNames,
  });
  const model = await learner.fit(sample, {
    ...run,
    progress: (report) => run.progress({ ...report, stage: `${part}: ${report.stage}` }),
  });
  await checkpoint(run);
  const tested = encoder.encode(test.features);
  const rows = test.labels.length;
  const accuracyOf = (fitted: Model) => (rows - countErrors(fitted.predict(tested), test.labels)) / rows;
  return { model, tested, accuracyOf };
}
