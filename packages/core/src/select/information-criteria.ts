import * as real from "../runtime/maths/portable-math.js";
import type { TrainingMeasures } from "../validation/trial.js";
import type { Criterion, Score } from "./criterion.js";

/** Explains why an information criterion cannot judge a model; undefined if it can. */
function likelihoodRefusal({ logLikelihood }: TrainingMeasures): string | undefined {
  return logLikelihood === undefined
    ? "such models are not fitted by maximising a likelihood over a number of free parameters"
    : undefined;
}

/** Computes −2 ln L + price · k for a model with k free parameters that maximises the likelihood. */
function informationScore(
  { logLikelihood = Number.NEGATIVE_INFINITY, complexity }: TrainingMeasures,
  price: number,
): Score {
  const { freeParameters = 0 } = complexity;
  const value = -2 * logLikelihood + price * freeParameters;
  const terms = { logLikelihood, freeParameters };
  if (value < Number.POSITIVE_INFINITY) return { value, terms };
  return { value, terms, reason: "the model gives probability 0 to the class of a training row" };
}

/** Akaike's information criterion (thesis, eq. 2.30): AIC = −2 ln L + 2k. */
export const aicCriterion: Criterion = {
  name: "aic",
  summary: "Akaike's information criterion: likelihood, penalised by the number of parameters",
  measures: "order",
  needs: ["training"],
  refusal: likelihoodRefusal,
  score: (candidates) => ({
    scores: candidates.map(({ training: [fitted] }) => informationScore(fitted, 2)),
  }),
};

/** The Bayesian information criterion (thesis, eq. 2.31): BIC = −2 ln L + k ln n. */
export const bicCriterion: Criterion = {
  name: "bic",
  summary: "Bayesian information criterion: like AIC, with a larger penalty",
  measures: "order",
  needs: ["training"],
  refusal: likelihoodRefusal,
  score: (candidates) => ({
    scores: candidates.map(({ training: [fitted] }) => informationScore(fitted, real.log(fitted.rows))),
  }),
};
