import type { Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import type { Objective } from "../metrics/objective-metric.js";
import type { Run } from "../runtime/parallel/run.js";
import type { Labelled } from "../table/target.js";
import { crossValidateRows, type FoldResults } from "../validation/cross-validate.js";
import type { EncodedSplit } from "./encode.js";

/** A model, and the errors in folds if the learner was cross-validated. */
interface FittedLearner {
  readonly model: Model;
  /** Seconds that the model took to fit. */
  readonly fitSeconds: number;
  readonly validation?: FoldResults;
}

/** How to validate a learner before the fit. */
interface Validation {
  readonly training: Labelled;
  /** Number of folds; none if absent. */
  readonly folds: number | undefined;
  readonly objective: Objective;
}

/** Cross-validates the learner if there are folds, then fits it to the training rows. */
export async function fit(
  learner: Learner,
  { training: sample }: EncodedSplit,
  { training, folds, objective }: Validation,
  run: Run,
): Promise<FittedLearner> {
  const validation =
    folds === undefined ? undefined : await crossValidateRows(training, learner, folds, run, objective);
  const began = performance.now();
  const model = await learner.fit(sample, run);
  const fitSeconds = (performance.now() - began) / 1000;
  return { model, fitSeconds, ...(validation && { validation }) };
}
