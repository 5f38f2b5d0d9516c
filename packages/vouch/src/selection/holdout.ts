import type { Criterion } from "./criterion.js";
import { errorEstimate } from "./error-estimate.js";

/** Holdout validation (thesis, §2.1.1): the error on a part of the rows that training does not see. */
export const holdoutCriterion: Criterion = {
  name: "holdout",
  summary: "error on a share of the rows that is kept from training",
  measures: "error",
  needs: ["holdout"],
  score: (candidates) => ({
    scores: candidates.map(({ holdout }) => errorEstimate(holdout.map(({ trial }) => trial))),
  }),
};
