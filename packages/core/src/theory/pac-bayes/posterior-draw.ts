import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, type Premise, partsAbove, riskOfFailure } from "../certificate.js";
import { KNOWN_SCALES } from "../encoding-premises.js";
import {
  FIXED_LEARNER,
  INDEPENDENT_ROWS,
  type SampleEvidence,
  trainingCertificate,
} from "../training-certificate.js";
import { pacBayesLoss } from "./pac-bayes.js";

/** One classifier h, drawn from a posterior ρ that may depend on all rows; the prior π depends on some of them only. */
export interface PosteriorDrawInputs {
  /** n: number of rows that the prior does not depend on. */
  readonly rows: number;
  /** Number of these rows that h misclassifies. */
  readonly errors: number;
  /** ln (dρ/dπ)(h): how much likelier the posterior was to draw h than the prior. May be negative. */
  readonly logRatio: number;
  /** k: number of draws, each from its own prior and posterior, among which the rows have chosen h. */
  readonly draws: number;
}

/** Evidence for a bound on a drawn classifier; `rows` of the sample are the training rows. */
export interface PosteriorDrawEvidence extends SampleEvidence {
  readonly draw: PosteriorDrawInputs;
}

/**
 * Bounds the error of a single classifier h that was drawn from a posterior ρ (Catoni 2007; Rivasplata, Kuzborskij, Szepesvári
 * and Shawe-Taylor 2020, Theorem 1): with probability ≥ 1 − δ over the rows and the draw of h
 *
 *     kl(L̂(h) ‖ L(h)) ≤ (ln (dρ/dπ)(h) + ln(2√n/δ)) / n.
 *
 * Proof: π does not depend on the n rows, so E_S E_{h∼π}[e^{n kl}] ≤ 2√n (Maurer 2004). By a change of measure
 * E_S E_{h∼ρ}[(dπ/dρ)(h) e^{n kl}] is no more than that, and by Markov's inequality (dπ/dρ)(h) e^{n kl} ≤ 2√n/δ with probability
 * ≥ 1 − δ. Take logarithms. ∎ The usual PAC-Bayes bound has the mean KL(ρ‖π) in place of the logarithm, and is about a
 * classifier that draws a new h for each row.
 *
 * If the rows choose h among k draws, each has δ/k.
 */
export function posteriorDraw(evidence: PosteriorDrawEvidence): Certificate {
  const { draw, rows } = evidence;
  checkDraw(draw);
  const delta = riskOfFailure(evidence.confidence);
  // A negative logarithm is worth nothing beyond 0: kl is not negative.
  const divergence = Math.max(0, draw.logRatio);
  const measured = draw.errors / draw.rows;
  const value = pacBayesLoss({ loss: measured, divergence, rows: draw.rows }, delta / draw.draws);
  const bound = {
    name: "posterior-draw",
    reference: "Catoni (2007); Rivasplata, Kuzborskij, Szepesvári and Shawe-Taylor (2020), Theorem 1",
    value,
    terms: {
      "error on rows that the prior has not seen": measured,
      "rows that the prior has not seen": draw.rows,
      "ln dρ/dπ": draw.logRatio,
      draws: draw.draws,
      rows,
      delta,
    },
    parts: partsAbove("error on rows that the prior has not seen", measured, value),
    premises: DRAW_PREMISES,
  };
  return trainingCertificate(bound, evidence);
}

function checkDraw({ rows, errors, logRatio, draws }: PosteriorDrawInputs): void {
  const counts = [rows, errors, draws].every(Number.isSafeInteger);
  if (counts && rows >= 1 && errors >= 0 && errors <= rows && draws >= 1 && Number.isFinite(logRatio)) return;
  throw new VouchError(
    "option/invalid",
    `Got ${errors} errors on ${rows} rows, ${draws} draws and a log ratio of ${logRatio}: the first three must be counts, with no more errors than rows.`,
  );
}

const DRAW_PREMISES: readonly Premise[] = [
  INDEPENDENT_ROWS,
  FIXED_LEARNER,
  { text: "The rows of the prior were chosen at random, without looking at them.", status: "checked" },
  { text: "The weights of the model are the draw itself.", status: "checked" },
  KNOWN_SCALES,
];
