import type { Criterion } from "./criterion.js";
import { informationScore, likelihoodRefusal } from "./likelihood.js";

/** Akaike's information criterion (thesis, eq. 2.30): AIC = −2 ln L + 2k. */
export const aicCriterion: Criterion = {
  name: "aic",
  summary: "Akaike's information criterion: likelihood against the number of parameters",
  measures: "order",
  needs: ["training"],
  refusal: likelihoodRefusal,
  score: (candidates) => ({
    scores: candidates.map(({ training: [fitted] }) => informationScore(fitted, 2)),
  }),
};
