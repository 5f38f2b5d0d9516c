import type { Criterion } from "./criterion.js";
import { errorEstimate } from "./error-estimate.js";

/**
 * Leave-one-out cross-validation (thesis, §2.1.3): as many folds as rows. It takes as many fits, its estimate varies
 * more than that of ten folds, and it does not find the true model however many rows there are (Shao 1993).
 */
export const leaveOneOutCriterion: Criterion = {
  name: "leave-one-out",
  summary: "error on each row of a model trained on all others: as many fits as rows",
  measures: "error",
  needs: ["leaveOneOut"],
  score: (candidates) => ({
    scores: candidates.map(({ leaveOneOut }) => {
      const { value, terms } = errorEstimate(leaveOneOut);
      return { value, terms: { errors: terms.errors, rows: terms.rows } };
    }),
  }),
};
