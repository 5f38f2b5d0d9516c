import type { Score } from "./criterion.js";
import type { Fitted } from "./evidence.js";

/** Why an information criterion cannot judge a model; undefined if it can. */
export function likelihoodRefusal({ logLikelihood }: Fitted): string | undefined {
  return logLikelihood === undefined
    ? "such models are not fitted by maximising a likelihood over a number of free parameters"
    : undefined;
}

/** −2 ln L + price · k, for the k free parameters of a model that maximises the likelihood. */
export function informationScore(
  { logLikelihood = Number.NEGATIVE_INFINITY, complexity }: Fitted,
  price: number,
): Score {
  const { freeParameters = 0 } = complexity;
  const value = -2 * logLikelihood + price * freeParameters;
  const terms = { logLikelihood, freeParameters };
  if (value < Number.POSITIVE_INFINITY) return { value, terms };
  return { value, terms, reason: "a training row has a class to which the model gives the probability 0" };
}
