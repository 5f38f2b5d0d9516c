import { fitEncoder } from "../encode/fit-encoder.js";
import type { Learner } from "../learners/learner.js";
import type { Objective } from "../metrics/objective-metric.js";
import type { Run } from "../runtime/parallel/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Choice, LearnerChoice } from "../select/choose-learner.js";
import { conform } from "../table/conform.js";
import type { Table } from "../table/table.js";
import { type SplitRows, subsample } from "./split.js";
import type { TrainOptions } from "./train-options.js";

/** A learner, and how it was chosen, if the caller named none. */
interface ChosenLearner {
  readonly learner: Learner;
  readonly choice?: Choice;
}

/** Chooses the learner by the training rows, if the caller named none. */
export async function choose(
  rows: SplitRows,
  learnerOrChoice: Learner | LearnerChoice,
  { folds = 0, rows: most, calibrate = true, unlabelled }: TrainOptions,
  objective: Objective,
  run: Run,
): Promise<ChosenLearner> {
  if (typeof learnerOrChoice !== "function") return { learner: suited(learnerOrChoice, unlabelled) };
  checkColumns(rows, run.seed);
  const { training } = subsample({ training: rows.training }, most, run.seed);
  const final = {
    fits: 1 + folds,
    heldOutRows: rows.heldOut?.rows.labels.length ?? 0,
    calibrates: calibrate && folds === 0,
  };
  const choice = await learnerOrChoice(training, run, final, objective);
  return { learner: suited(choice.candidates[0].learner, unlabelled), choice };
}

/** Number of rows that suffice to see which columns a model will need. */
const ENOUGH_TO_SEE_COLUMNS = 2000;

/**
 * Checks that there is a column to learn from, and that the held-out rows suit the model, before the choice of a
 * learner takes a minute.
 */
function checkColumns({ training, heldOut }: SplitRows, seed: number): void {
  const { features } = subsample({ training }, ENOUGH_TO_SEE_COLUMNS, seed).training;
  const { schema } = fitEncoder(features, training, { kind: "numeric", standardise: false });
  if (heldOut) conform(heldOut.rows.features, schema);
}

/** Returns the learner, and throws if there are unlabelled rows that it does not use. */
function suited(learner: Learner, unlabelled: Table | undefined): Learner {
  if (!unlabelled || learner.pretrains) return learner;
  throw new VouchError("learner/unsupported", `${learner.name} does not use unlabelled rows.`, {
    hint: "Leave them out, or use a learner that pre-trains, such as sae.",
  });
}
