import { VouchError } from "../error.js";
import { largestProbabilityByLog, logBinomialCoefficient } from "../numeric/log-binomial.js";
import { type Certificate, type Premise, partsAbove } from "./certificate.js";
import {
  checkTraining,
  SETTLED_LEARNER,
  TRAINING_DRAWS,
  type TrainingEvidence,
  trainingCertificate,
} from "./training-certificate.js";

/** A classifier that some of its training rows alone determine. */
export interface CompressionEvidence extends TrainingEvidence {
  /** d: how many rows determine it. */
  readonly kept: number;
  /** How many of the other rows it misclassifies. */
  readonly errors: number;
  /** ln of how many classifiers the same d rows could stand for, where they need a message beside them; 0 otherwise. */
  readonly logMessages?: number;
  /** What else must be so for the kept rows to determine the classifier. */
  readonly premises: readonly Premise[];
  /** Why these premises fail, where they do. */
  readonly fault?: string;
}

/**
 * Sample compression (Littlestone and Warmuth 1986; Floyd and Warmuth 1995) with the exact binomial tail (Langford 2005,
 * section 5). If d of the m training rows determine the classifier, and one of M messages where that is not enough, then
 * with probability ≥ 1 − δ
 *
 *     L ≤ max { p : P(Binomial(m − d, p) ≤ k) ≥ δ / (m C(m, d) M) },   k = errors on the m − d other rows.
 *
 * Proof. Fix which d rows and which message. The classifier that they determine has not seen the other m − d rows, so its
 * errors there are Binomial(m − d, L), and the bound fails with probability at most δ/(m C(m, d) M), as for held-out rows.
 * Summed over the M messages, the C(m, d) choices of rows and d = 0 … m − 1, that is δ. So it holds for all of them
 * together, and for the one that training chose. ∎ How rows and message determine the classifier may depend on which places
 * in the sample the rows have, since the places are fixed.
 */
export function sampleCompression(evidence: CompressionEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, kept, logMessages = 0, premises, fault } = evidence;
  if (!(Number.isSafeInteger(kept) && kept >= 0 && kept + errors <= rows && logMessages >= 0)) {
    throw new VouchError(
      "option/invalid",
      `${kept} of ${rows} rows cannot determine a classifier with ${errors} errors on the others.`,
    );
  }
  const logSubsets = logBinomialCoefficient(rows, kept);
  const logTail = Math.log(delta) - Math.log(rows) - logSubsets - logMessages;
  const value = kept === rows ? 1 : largestProbabilityByLog(errors, rows - kept, logTail);
  const bound = {
    name: "compression",
    reference: "Littlestone and Warmuth (1986); Floyd and Warmuth (1995); Langford (2005), section 5",
    value,
    terms: {
      "rows that determine it": kept,
      "other rows": rows - kept,
      "errors on them": errors,
      "ln C(m, d)": logSubsets,
      "ln m": Math.log(rows),
      ...(logMessages > 0 && { "ln(messages)": logMessages }),
      delta,
    },
    ...(kept < rows && { parts: partsAbove("error on the other rows", errors / (rows - kept), value) }),
    premises: [TRAINING_DRAWS, SETTLED_LEARNER, ...premises],
    ...(fault !== undefined && { fault }),
  };
  return trainingCertificate(bound, evidence);
}
