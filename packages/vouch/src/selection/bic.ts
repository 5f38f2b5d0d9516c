import type { Criterion } from "./criterion.js";
import { informationScore, likelihoodRefusal } from "./likelihood.js";

/** The Bayesian information criterion (thesis, eq. 2.31): BIC = −2 ln L + k ln n. */
export const bicCriterion: Criterion = {
  name: "bic",
  summary: "Bayesian information criterion: as AIC, with a heavier price of parameters",
  measures: "order",
  needs: ["training"],
  refusal: likelihoodRefusal,
  score: (candidates) => ({
    scores: candidates.map(({ training: [fitted] }) => informationScore(fitted, Math.log(fitted.rows))),
  }),
};
