import { formatRoundPercent } from "../number-format.js";
import type { Certificate } from "./certificate.js";
import { riskOfFailure } from "./held-out.js";
import { SETTLED_LEARNER } from "./training-certificate.js";

/** The confidence 1 − δ/k that a bound needs which is to hold with 1 − δ for whichever of k candidates is chosen. */
export function confidenceOfEach(confidence: number, candidates: number): number {
  return 1 - riskOfFailure(confidence) / candidates;
}

/**
 * A bound from the training rows for a learner that these rows chose among k candidates, given the bound for that learner
 * at confidence 1 − δ/k. By the union bound those of all k candidates hold together with probability ≥ 1 − δ, and so does
 * that of the chosen one. The list of candidates must not depend on the labels.
 */
export function chosenAmong(certificate: Certificate, candidates: number, confidence: number): Certificate {
  const settled = {
    ...SETTLED_LEARNER,
    statement: `The learner was chosen among ${candidates} candidates that were settled before the training rows were seen: each has a share of δ.`,
  };
  const { premises, terms, statement } = certificate;
  const others = premises.filter((premise) => premise.statement !== SETTLED_LEARNER.statement);
  return {
    ...certificate,
    confidence,
    premises: [...others, settled],
    terms: { ...terms, "candidates to choose from": candidates },
    statement: statement.replace(
      /^With \S+ % confidence/,
      `With ${formatRoundPercent(confidence)} confidence`,
    ),
  };
}
