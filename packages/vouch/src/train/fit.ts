import { crossValidateRows, type FoldResults } from "../evaluate/cross-validate.js";
import type { Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import type { Run } from "../runtime/run.js";
import type { Labelled } from "../table/target.js";
import type { EncodedSplit } from "./encode.js";

/** A model, and the errors in folds if the learner was cross-validated. */
interface FittedLearner {
  readonly model: Model;
  readonly validation?: FoldResults;
}

/** Cross-validates the learner if there are folds, then fits it to the training rows. */
export async function fit(
  learner: Learner,
  { training: sample }: EncodedSplit,
  { training, folds }: { readonly training: Labelled; readonly folds: number | undefined },
  run: Run,
): Promise<FittedLearner> {
  const validation = folds === undefined ? undefined : await crossValidateRows(training, learner, folds, run);
  const model = await learner.fit(sample, run);
  return { model, ...(validation && { validation }) };
}
