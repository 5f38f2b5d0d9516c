import type { Labelled } from "../data/target.js";
import type { Learner } from "../learning/learner.js";
import type { Run } from "../learning/run.js";
import { type CrossValidation, crossValidateRows } from "./cross-validate.js";

/** A learner that was considered, and its error on rows that its models did not see. */
export interface Candidate {
  readonly learner: Learner;
  readonly validation: CrossValidation;
}

/** Chooses a learner by looking at training rows only; held-out rows stay unseen. Best candidate first. */
export type LearnerChoice = (training: Labelled, run: Run) => Promise<readonly Candidate[]>;

/**
 * The learner with the smallest mean error in a k-fold cross-validation, on the same folds for all. Of equal
 * ones the first wins, so put the simplest first.
 */
export function byCrossValidation(learners: readonly Learner[], folds: number): LearnerChoice {
  return async (training, run) => {
    const candidates: Candidate[] = [];
    for (const learner of learners) {
      const progress: Run["progress"] = (report) =>
        run.progress({ ...report, stage: `${learner.name}, ${report.stage}` });
      const validation = await crossValidateRows(training, learner, folds, { ...run, progress });
      candidates.push({ learner, validation });
    }
    return candidates.sort((a, b) => a.validation.mean - b.validation.mean);
  };
}
