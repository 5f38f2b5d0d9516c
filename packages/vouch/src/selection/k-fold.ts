import type { Criterion } from "./criterion.js";
import { errorEstimate } from "./error-estimate.js";

/** k-fold cross-validation (thesis, §2.1.2, eq. 2.1): every row is tried once, by a model that did not see its fold. */
export const kFoldCriterion: Criterion = {
  name: "cv",
  summary: "k-fold cross-validation: error on each fold of models trained on the others",
  measures: "error",
  needs: ["folds"],
  score: (candidates) => ({ scores: candidates.map(({ folds }) => errorEstimate(folds)) }),
};
