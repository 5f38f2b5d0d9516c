import * as real from "../../runtime/maths/portable-math.js";
import { formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, checkedPremise } from "../certificate.js";
import { FAMILY_PREMISES } from "../encoding-premises.js";
import { checkTraining, type TrainingEvidence, trainingCertificate } from "../training-certificate.js";
import { growthPenalty } from "../vc/growth-function.js";
import { checkVcDimension, enoughRows, logSauerPower, tooFewRows } from "../vc/vc-bound.js";
import { shareUpTo } from "./margin-statistics.js";

/** A committee with the normalised margins of its training rows. */
export interface MarginEvidence extends TrainingEvidence {
  /** Quantiles of the margins M(y, f(x)) ∈ [−1, 1] at 0%, 1%, … 100%, from `marginQuantiles`. */
  readonly margins: readonly number[];
}

/** A committee of classifiers from a family of known VC dimension. */
export interface MarginVcEvidence extends MarginEvidence {
  /** V ≥ 1 of the family that each member comes from, or an upper bound on it. */
  readonly vcDimension: number;
}

/**
 * Bounds the error of a committee by its margins, for a family of VC dimension V (Triviño 2017, Theorem 3.5): with probability
 * ≥ 1 − δ, for all θ > √(8V ln(em/V)/m) simultaneously and n = ⌈(4/θ²) ln(mθ²/(8V ln(em/V)))⌉,
 *
 *     L(H) ≤ P_S(M ≤ θ) + 4e^{−nθ²/8} + √(32 (ln(n(n+1)²) + nV ln(em/V) + ln(8/δ)) / m).
 *
 * It holds for all θ together, so the best θ may be taken. P_S(M ≤ θ), as known from the quantiles, jumps at the quantiles, and the
 * rest falls as θ grows, so it is enough to try θ just below each quantile. The bound is vacuous if no margin is above the smallest
 * θ.
 */
export function marginVc(evidence: MarginVcEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, margins, vcDimension } = evidence;
  checkVcDimension(vcDimension);
  if (margins.length < 2 || !margins.every((margin) => margin >= -1 && margin <= 1)) {
    throw new VouchError(
      "option/invalid",
      "The margin bound needs at least two quantiles of margins, all between −1 and 1.",
    );
  }
  const least = smallestTheta(vcDimension, rows);
  const candidates = margins
    .map((margin) => margin * JUST_BELOW)
    .filter((theta) => theta > least)
    .map((theta) => marginTerms(theta, evidence, delta));
  const best =
    candidates.length > 0 ? candidates.reduce((a, b) => (sum(b) < sum(a) ? b : a)) : allRows(least);
  const fault = findFault(evidence, least, candidates.length);
  const bound = {
    name: "adaboost-margin",
    reference: "Triviño (2017), Theorem 3.5",
    value: sum(best),
    terms: {
      θ: best.theta,
      "smallest θ": least,
      n: best.n,
      "P(M ≤ θ)": best.share,
      "4e^(−nθ²/8)": best.sampling,
      penalty: best.penalty,
      V: vcDimension,
      rows,
      delta,
    },
    parts: { "P(M ≤ θ)": best.share, "4e^(−nθ²/8)": best.sampling, penalty: best.penalty },
    premises: [...FAMILY_PREMISES, enoughRows(rows, vcDimension)],
    ...(fault !== undefined && { fault }),
    role: "comparison" as const,
  };
  return trainingCertificate(bound, evidence);
}

/**
 * Computes the smallest θ of Theorem 3.5, √(8V ln(em/V) / m); Infinity for m < V. The printed condition lacks the "/m". With it,
 * m = 600 and V = 7, the stumps on 12 features, give the θ = 0.7133 that §5.4.1 quotes.
 */
export function smallestTheta(vcDimension: number, rows: number): number {
  return Math.sqrt((8 * logSauerPower(rows, vcDimension)) / rows);
}

/** Takes a margin to one so close below it that only the margin itself lies between. */
const JUST_BELOW = 1 - 1e-12;

/** The terms of the theorem at one θ. */
interface MarginTerms {
  readonly theta: number;
  readonly n: number;
  readonly share: number;
  readonly sampling: number;
  readonly penalty: number;
}

function marginTerms(theta: number, evidence: MarginVcEvidence, delta: number): MarginTerms {
  const { rows, margins, vcDimension } = evidence;
  const logPower = logSauerPower(rows, vcDimension);
  const square = theta * theta;
  const n = Math.max(1, Math.ceil((4 / square) * real.log((rows * square) / (8 * logPower))));
  const logGrowth = real.log(n) + 2 * real.log(n + 1) + n * logPower;
  return {
    theta,
    n,
    share: shareUpTo(theta, margins, rows),
    sampling: 4 * real.exp((-n * square) / 8),
    penalty: growthPenalty(logGrowth, rows, delta),
  };
}

function sum({ share, sampling, penalty }: MarginTerms): number {
  return share + sampling + penalty;
}

/** Returns the terms if all margins are below the smallest θ: P_S(M ≤ θ) = 1. Infinity if there is no θ, for m < V. */
function allRows(theta: number): MarginTerms {
  return { theta, n: 0, share: 1, sampling: 0, penalty: Number.isFinite(theta) ? 0 : theta };
}

function findFault(
  { rows, vcDimension }: Pick<MarginVcEvidence, "rows" | "vcDimension">,
  least: number,
  candidates: number,
): string | undefined {
  const shattering = tooFewRows(rows, vcDimension);
  if (shattering || candidates > 0) return shattering;
  return `No margin is above ${formatNumber(least)}, the smallest θ that the theorem allows for so few rows.`;
}

/**
 * Evaluates the margin bound for a finite class (Triviño 2017, Theorem 3.4, eq. 3.13) up to its constant, which the O hides: for
 * θ > √(ln|H| / 4m)
 *
 *     P_S(M ≤ θ) + √( ln|H|/(mθ²) · ln(mθ²/ln|H|) + ln(1/δ)/m ).
 *
 * The constant is unknown, so this ranks committees but is not a bound; it is marked as not holding. The inner logarithm is
 * replaced by 0 if it is negative.
 */
export function marginFinite(
  evidence: MarginEvidence & { readonly logSize: number },
  theta: number,
): Certificate {
  const delta = checkTraining(evidence);
  const { rows, margins, logSize } = evidence;
  if (!(theta > 0)) throw new VouchError("option/invalid", `The margin θ must be above 0, not ${theta}.`);
  const least = Math.sqrt(logSize / (4 * rows));
  const share = shareUpTo(theta, margins, rows);
  const scaled = (rows * theta * theta) / logSize;
  const penalty = Math.sqrt(Math.max(0, real.log(scaled)) / scaled - real.log(delta) / rows);
  const fault =
    theta > least
      ? "The constant in O(…) of Theorem 3.4 is not given: the value ranks committees and bounds nothing."
      : `Theorem 3.4 is about margins θ above ${least}.`;
  const bound = {
    name: "adaboost-margin-finite",
    reference: "Triviño (2017), eq. 3.13, up to its constant",
    value: theta > least ? share + penalty : Number.POSITIVE_INFINITY,
    terms: { θ: theta, "P(M ≤ θ)": share, "ln|H|": logSize, penalty, rows, delta },
    ...(theta > least && { parts: { "P(M ≤ θ)": share, penalty } }),
    premises: [...FAMILY_PREMISES, checkedPremise("All constants of the theorem are known.", false)],
    fault,
  };
  return trainingCertificate(bound, evidence);
}
