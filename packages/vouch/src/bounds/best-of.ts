import { formatRoundPercent, formatUpperBound } from "../number-format.js";
import type { Certificate } from "./certificate.js";

/**
 * The smallest of k certificates that were computed with confidence 1 − δ/k each. By the union bound all of them are true
 * together with probability ≥ 1 − δ, and so is the smallest, whichever it is. Taking the smallest of certificates of
 * confidence 1 − δ each would be true with probability 1 − kδ only.
 *
 * @param candidates all that could have been chosen, each at confidence 1 − δ/k; those that do not hold count among the k
 */
export function bestOf(candidates: readonly Certificate[], confidence: number): Certificate {
  const holding = candidates.filter(({ holds }) => holds);
  const best = (holding.length > 0 ? holding : candidates).reduce((a, b) => (b.value < a.value ? b : a));
  const { reference, reason, premises, value, holds, parts } = best;
  const delta = 1 - best.confidence;
  return {
    name: "best-of",
    reference: `${best.name} with its share of δ: ${reference}`,
    value,
    confidence,
    holds,
    ...(reason !== undefined && { reason }),
    premises,
    terms: { candidates: candidates.length, "δ of each": Number(delta.toPrecision(12)), [best.name]: value },
    ...(parts && { parts }),
    statement: reason === undefined ? promise(best, candidates.length, confidence) : best.statement,
  };
}

function promise({ name, value }: Certificate, candidates: number, confidence: number): string {
  return `With ${formatRoundPercent(confidence)} confidence at most ${formatUpperBound(value)} of new cases like these are misclassified: the best of ${candidates} bounds, ${name}.`;
}
