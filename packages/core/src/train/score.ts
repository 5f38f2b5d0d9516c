import { measuredRows } from "../learners/ensemble/measured-rows.js";
import type { Assessment, Model } from "../learners/model.js";
import { assessRows } from "../learners/score-rows.js";
import { keepsOwnAnswers } from "../metrics/choose-rule.js";
import type { Objective } from "../metrics/objective-metric.js";
import type { Run } from "../runtime/parallel/run.js";
import type { EncodedSplit } from "./encode.js";

/** The rows of a split as scored by a model. */
export interface ScoredSplit {
  /** Absent if the model knows its errors and margins, and no rule changes its answers. */
  readonly training?: Assessment;
  readonly heldOut?: Assessment;
}

/** Scores the training rows, if necessary, and the held-out rows, each once. */
export async function scoreSplit(
  model: Model,
  { training, heldOut }: Pick<EncodedSplit, "training" | "heldOut">,
  objective: Objective,
  run: Run,
): Promise<ScoredSplit> {
  const isKnown = model.training !== undefined && keepsOwnAnswers(objective);
  return {
    ...(!isKnown && { training: await assessRows(model, measuredRows(model, training), run) }),
    ...(heldOut && { heldOut: await assessRows(model, heldOut, run) }),
  };
}
