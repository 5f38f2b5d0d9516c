import type { FittedFacts } from "../evaluate/trial.js";
import type { Criterion, Score } from "./criterion.js";

/** Why an information criterion cannot judge a model; undefined if it can. */
function likelihoodRefusal({ logLikelihood }: FittedFacts): string | undefined {
  return logLikelihood === undefined
    ? "such models are not fitted by maximising a likelihood over a number of free parameters"
    : undefined;
}

/** −2 ln L + price · k, for the k free parameters of a model that maximises the likelihood. */
function informationScore(
  { logLikelihood = Number.NEGATIVE_INFINITY, complexity }: FittedFacts,
  price: number,
): Score {
  const { freeParameters = 0 } = complexity;
  const value = -2 * logLikelihood + price * freeParameters;
  const terms = { logLikelihood, freeParameters };
  if (value < Number.POSITIVE_INFINITY) return { value, terms };
  return { value, terms, reason: "a training row has a class to which the model gives the probability 0" };
}

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
