import * as real from "../../runtime/maths/portable-math.js";
import { formatCount, formatNumber, formatPercent } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { allHold, type Certificate, checkedPremise, type Premise, riskOfFailure } from "../certificate.js";
import { marginStatistics } from "../margins/margin-statistics.js";
import { FIXED_LEARNER, INDEPENDENT_ROWS } from "../training-certificate.js";

/** A layer of mdDF, the margin distribution deep forest, as Theorem 1 sees it. */
export interface MddfLayer {
  /** α_t ≥ 0, normalised or not. */
  readonly alpha: number;
  /** ln|H_t| ≥ 0, from `logFamilySizes`; Infinity if unknown. */
  readonly logFamilySize: number;
}

/** A trained deep forest as Theorem 1 sees it. */
export interface MddfMarginEvidence {
  /** At least one of them with α > 0. */
  readonly layers: readonly MddfLayer[];
  /** yF(x) in [−1, 1] of the m training rows; for more than two classes, the lead of the true class over all others. */
  readonly margins: ArrayLike<number>;
  readonly classes: number;
  /** Whether the margin of a row comes from the forests that did not see it, instead of F itself. */
  readonly outOfFold: boolean;
  /** 1 − δ: the probability with which the bound must hold, in (0, 1). */
  readonly confidence: number;
}

/**
 * Evaluates the margin distribution bound of mdDF, Theorem 1 of Lyu, Yang and Zhou (2019), as printed: with probability ≥ 1 − δ
 * over the m training rows
 *
 *     Pr_D[yF(x) < 0] ≤ inf_{r ∈ (0,1]} [ Pr_S[yF(x) < r] + m^{−d} + 3√μ/m^{3/2} + 7μ/3m + λ √(3μ/m) ],
 *
 *     d = 2/(1 − E_S²[yF] + r/9),   μ = ln m · ln(2 Σ_t α_t|H_t|)/r² + ln(2/δ),   λ = √(Var_S[yF]/E_S²[yF]),
 *
 * with Σ_t α_t = 1; the sum is computed as its logarithm. The paper has "> 2" after d, which holds if E_S² > r/9, and does not
 * say over what Var is taken: here over S, like the rest.
 *
 * The infimum is exact. Between two neighbouring margins Pr_S[yF < r] is constant and the rest falls as r grows: with
 * u = 1 − E_S² + r/9 ≤ 10/9, m^{−2/u} grows at a rate of at most ln m · (2/9)/u² · m^{−2/u} ≤ 0.2 ln m/m, while 7μ/3m
 * falls at a rate of at least (14/3) ln 2 · ln m/m, as the α_t sum to 1 and |H_t| ≥ 1. Rows at r itself are not below r, so the
 * infimum is attained at a positive margin, or at 1.
 *
 * This is not a guarantee, whatever its value: see the premises, and docs/guarantees-forests.md for the missing steps.
 */
export function mddfMargin(evidence: MddfMarginEvidence): Certificate {
  const { confidence, layers } = evidence;
  const delta = riskOfFailure(confidence);
  const margins = checkedMargins(evidence.margins);
  const { mean, variance, ratio } = marginStatistics(margins);
  const logFamilies = Math.LN2 + logWeightedSum(layers);
  const fixed = { rows: margins.length, mean, ratio, logFamilies, delta };
  const best = smallest(margins, fixed);
  const premises = premisesOf(evidence);
  const reason = reasonOf(best.value, margins.length, premises);
  const parts = {
    "Pr_S[yF < r]": best.below,
    "m^−d": best.power,
    "3√μ / m^(3/2)": best.root,
    "7μ / 3m": best.linear,
    "λ √(3μ/m)": best.ratioTerm,
  };
  return {
    name: "margin-forest-theorem-1",
    measure: "error",
    reference: "Lyu, Yang and Zhou (2019), Theorem 1, as printed",
    value: best.value,
    confidence,
    holds: allHold(premises),
    reason,
    premises,
    terms: {
      ...parts,
      r: best.r,
      d: best.d,
      μ: best.mu,
      λ: ratio,
      "E_S[yF]": mean,
      "Var_S[yF]": variance,
      "ln(2 Σ α|H|)": logFamilies,
      m: margins.length,
      delta,
    },
    parts,
    statement: `No guarantee: ${reason}`,
    role: "comparison",
  };
}

/** The terms of the bound at one r. */
interface MarginTerms {
  readonly r: number;
  /** Pr_S[yF(x) < r]. */
  readonly below: number;
  readonly d: number;
  readonly mu: number;
  /** m^{−d}. */
  readonly power: number;
  /** 3√μ / m^{3/2}. */
  readonly root: number;
  /** 7μ / 3m. */
  readonly linear: number;
  /** λ √(3μ/m). */
  readonly ratioTerm: number;
  readonly value: number;
}

/** The quantities that do not depend on r. */
interface Fixed {
  readonly rows: number;
  readonly mean: number;
  readonly ratio: number;
  /** ln(2 Σ_t α_t|H_t|). */
  readonly logFamilies: number;
  readonly delta: number;
}

/** Finds the terms at the best of the positive margins and 1. */
function smallest(margins: Float64Array, fixed: Fixed): MarginTerms {
  const rows = margins.length;
  const sorted = margins.slice().sort();
  const below1 = sorted.findLastIndex((margin) => margin < 1) + 1;
  let best = termsAt(1, below1 / rows, fixed);
  for (let i = 0; i < rows; i++) {
    const r = sorted[i];
    if (!(r > 0) || r === sorted[i - 1]) continue;
    const terms = termsAt(r, i / rows, fixed);
    if (terms.value < best.value) best = terms;
  }
  return best;
}

function termsAt(r: number, below: number, fixed: Fixed): MarginTerms {
  const { rows, mean, ratio, logFamilies, delta } = fixed;
  const d = 2 / (1 - mean * mean + r / 9);
  const mu = (rows === 1 ? 0 : real.log(rows) * logFamilies) / (r * r) + real.log(2 / delta);
  const power = real.exp(-d * real.log(rows));
  const root = (3 * Math.sqrt(mu)) / (rows * Math.sqrt(rows));
  const linear = (7 * mu) / (3 * rows);
  const ratioTerm = ratio === 0 ? 0 : ratio * Math.sqrt((3 * mu) / rows);
  const value = below + power + root + linear + ratioTerm;
  return { r, below, d, mu, power, root, linear, ratioTerm, value };
}

/** Computes ln Σ_t α_t|H_t| with normalised α_t by log-sum-exp, because |H_t| itself is far too large a number. */
function logWeightedSum(layers: readonly MddfLayer[]): number {
  const total = layers.reduce((sum, { alpha }) => sum + alpha, 0);
  const valid = layers.every(({ alpha, logFamilySize }) => alpha >= 0 && logFamilySize >= 0);
  if (!valid || !(total > 0 && total < Number.POSITIVE_INFINITY)) {
    throw new VouchError(
      "option/invalid",
      "The weights and the logarithms of the family sizes of the layers must be at least 0, and at least one weight above 0.",
    );
  }
  const logs = layers
    .filter(({ alpha }) => alpha > 0)
    .map(({ alpha, logFamilySize }) => real.log(alpha / total) + logFamilySize);
  const largest = Math.max(...logs);
  if (largest === Number.POSITIVE_INFINITY) return largest;
  return largest + real.log(logs.reduce((sum, log) => sum + real.exp(log - largest), 0));
}

/** More than rounding in single precision can put a margin beyond 1. */
const ROUNDING = 1e-6;

function checkedMargins(margins: ArrayLike<number>): Float64Array {
  return Float64Array.from(margins, (margin, row) => {
    if (Math.abs(margin) <= 1 + ROUNDING) return Math.max(-1, Math.min(1, margin));
    throw new VouchError(
      "option/invalid",
      `The margin of row ${row + 1} is ${margin}, but normalised margins lie between −1 and 1.`,
    );
  });
}

function premisesOf({ classes, outOfFold }: MddfMarginEvidence): Premise[] {
  return [
    INDEPENDENT_ROWS,
    FIXED_LEARNER,
    { text: "F is normalised: its weights sum to 1, and margins lie between −1 and 1.", status: "checked" },
    checkedPremise("There are two classes: the theorem is about the margin yF(x).", classes === 2),
    checkedPremise(
      outOfFold
        ? "The margins are those of F. (Out-of-fold margins come from k other functions, each of which saw other rows; from the second layer on, these were trained on features from forests that did see the row.)"
        : "The margins are those of F.",
      !outOfFold,
    ),
    {
      text: "The families of trees are finite and were fixed before the rows were seen. (They are finite, but the bin boundaries come from the rows.)",
      status: "violated",
    },
    {
      text: "The printed constants are those of a proof. (See docs/guarantees-forests.md.)",
      status: "violated",
    },
  ];
}

function reasonOf(value: number, rows: number, premises: readonly Premise[]): string {
  if (!(value < 1)) {
    return `The theorem gives ${formatNumber(value)}, which is vacuous (not below 1): ${formatCount(rows, "training row is", "training rows are")} too few for families of trees this large.`;
  }
  const failing = premises.filter(({ status }) => status === "violated").length;
  return `The theorem as printed gives ${formatPercent(value)}, but ${formatNumber(failing)} of its premises do not hold.`;
}
