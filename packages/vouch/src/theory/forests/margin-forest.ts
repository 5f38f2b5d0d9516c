import { formatCount, formatNumber, formatPercent } from "../../runtime/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Certificate, Premise } from "../certificate.js";
import { riskOfFailure } from "../held-out/held-out.js";
import { marginStatistics } from "../margins/margin-statistics.js";

/** What Theorem 1 asks of a layer. */
export interface MarginForestLayer {
  /** α_t ≥ 0, normalised or not. */
  readonly alpha: number;
  /** ln|H_t| ≥ 0: `logFamilySizes`; Infinity where it is not known. */
  readonly logFamilySize: number;
}

/** The facts of a trained deep forest that Theorem 1 speaks of. */
export interface MarginForestFacts {
  /** Of which not all α are 0. */
  readonly layers: readonly MarginForestLayer[];
  /** yF(x) in [−1, 1] of the m training rows; for more classes, how far the right one is ahead of the others. */
  readonly margins: ArrayLike<number>;
  readonly classes: number;
  /** Whether a row's margin comes from the forests that did not see it, and not from F itself. */
  readonly outOfFold: boolean;
}

/** The terms of the bound at one r. */
interface MarginForestTerms {
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

/** What does not depend on r. */
interface Fixed {
  readonly rows: number;
  readonly mean: number;
  readonly ratio: number;
  /** ln(2 Σ_t α_t|H_t|). */
  readonly logFamilies: number;
  readonly delta: number;
}

/**
 * Theorem 1 of Lyu, Yang and Zhou (2019), as printed: with probability ≥ 1 − δ over the m training rows
 *
 *     Pr_D[yF(x) < 0] ≤ inf_{r ∈ (0,1]} [ Pr_S[yF(x) < r] + m^{−d} + 3√μ/m^{3/2} + 7μ/3m + λ √(3μ/m) ],
 *
 *     d = 2/(1 − E_S²[yF] + r/9),   μ = ln m · ln(2 Σ_t α_t|H_t|)/r² + ln(2/δ),   λ = √(Var_S[yF]/E_S²[yF]),
 *
 * with Σ_t α_t = 1 and the sum by its logarithm. The poster has "> 2" behind d, which
 * is so where E_S² > r/9, and does not say over what Var is: it is over S here, as the rest.
 *
 * The infimum is exact. Between two neighbouring margins Pr_S[yF < r] is constant and the rest falls as r grows: with
 * u = 1 − E_S² + r/9 ≤ 10/9, m^{−2/u} grows at a rate of at most ln m · (2/9)/u² · m^{−2/u} ≤ 0.2 ln m/m, while 7μ/3m
 * falls at one of at least (14/3) ln 2 · ln m/m, as α_t sum to 1 and |H_t| ≥ 1. Rows at r itself are not below r, so
 * that the infimum is attained at one of the positive margins, or at 1.
 *
 * This is no guarantee, whatever it says: see the premises, and docs/guarantees-forests.md for what is missing.
 */
export function marginForestBound(
  facts: MarginForestFacts,
  { confidence }: { readonly confidence: number },
): Certificate {
  const delta = riskOfFailure(confidence);
  const margins = checkedMargins(facts.margins);
  const { mean, variance, ratio } = marginStatistics(margins);
  const logFamilies = Math.LN2 + logWeightedSum(facts.layers);
  const fixed = { rows: margins.length, mean, ratio, logFamilies, delta };
  const best = smallest(margins, fixed);
  const premises = premisesOf(facts);
  const reason = reasonOf(best.value, margins.length, premises);
  return {
    name: "margin-forest-theorem-1",
    reference: "Lyu, Yang and Zhou (2019), Theorem 1, as printed",
    value: best.value,
    confidence,
    holds: premises.every(({ holds }) => holds),
    reason,
    premises,
    terms: {
      "Pr_S[yF < r]": best.below,
      "m^−d": best.power,
      "3√μ / m^(3/2)": best.root,
      "7μ / 3m": best.linear,
      "λ √(3μ/m)": best.ratioTerm,
      r: best.r,
      d: best.d,
      μ: best.mu,
      λ: ratio,
      "E_S[yF]": mean,
      "Var_S[yF]": variance,
      "ln(2 Σ α|H|)": logFamilies,
      m: margins.length,
      δ: delta,
    },
    parts: {
      "Pr_S[yF < r]": best.below,
      "m^−d": best.power,
      "3√μ / m^(3/2)": best.root,
      "7μ / 3m": best.linear,
      "λ √(3μ/m)": best.ratioTerm,
    },
    statement: `No guarantee: ${reason}`,
  };
}

/** The bound with one r, which need not be the best one. */
function marginForestTerms(r: number, below: number, fixed: Fixed): MarginForestTerms {
  const { rows, mean, ratio, logFamilies, delta } = fixed;
  const d = 2 / (1 - mean * mean + r / 9);
  const mu = (rows === 1 ? 0 : Math.log(rows) * logFamilies) / (r * r) + Math.log(2 / delta);
  const power = rows ** -d;
  const root = (3 * Math.sqrt(mu)) / rows ** 1.5;
  const linear = (7 * mu) / (3 * rows);
  const ratioTerm = ratio === 0 ? 0 : ratio * Math.sqrt((3 * mu) / rows);
  return {
    r,
    below,
    d,
    mu,
    power,
    root,
    linear,
    ratioTerm,
    value: below + power + root + linear + ratioTerm,
  };
}

/** The terms at the best of the positive margins and 1. */
function smallest(margins: Float64Array, fixed: Fixed): MarginForestTerms {
  const rows = margins.length;
  const sorted = margins.slice().sort();
  const below1 = sorted.findLastIndex((margin) => margin < 1) + 1;
  let best = marginForestTerms(1, below1 / rows, fixed);
  for (let i = 0; i < rows; i++) {
    const r = sorted[i];
    if (!(r > 0) || r === sorted[i - 1]) continue;
    const terms = marginForestTerms(r, i / rows, fixed);
    if (terms.value < best.value) best = terms;
  }
  return best;
}

/** ln Σ_t α_t|H_t| with α_t/Σα for α_t: log-sum-exp, as |H_t| itself is far too large a number. */
export function logWeightedSum(layers: readonly MarginForestLayer[]): number {
  const total = layers.reduce((sum, { alpha }) => sum + alpha, 0);
  const valid = layers.every(({ alpha, logFamilySize }) => alpha >= 0 && logFamilySize >= 0);
  if (!valid || !(total > 0 && total < Number.POSITIVE_INFINITY)) {
    throw new VouchError(
      "option/invalid",
      "The weights and the logarithms of the family sizes of the layers must be at least 0, and not all weights 0.",
    );
  }
  const logs = layers
    .filter(({ alpha }) => alpha > 0)
    .map(({ alpha, logFamilySize }) => Math.log(alpha / total) + logFamilySize);
  const largest = Math.max(...logs);
  if (largest === Number.POSITIVE_INFINITY) return largest;
  return largest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - largest), 0));
}

/** More than rounding in single precision can put a margin beyond 1. */
const ROUNDING = 1e-6;

function checkedMargins(margins: ArrayLike<number>): Float64Array {
  return Float64Array.from(margins, (margin, row) => {
    if (Math.abs(margin) <= 1 + ROUNDING) return Math.max(-1, Math.min(1, margin));
    throw new VouchError(
      "option/invalid",
      `The margin of row ${row + 1} is ${margin}, but normalised margins lie from −1 to 1.`,
    );
  });
}

function premisesOf({ classes, outOfFold }: MarginForestFacts): Premise[] {
  return [
    {
      statement: "The training rows are independent draws from the distribution of future data.",
      holds: true,
      assumed: true,
    },
    { statement: "F is normalised: its weights sum to 1, and margins lie from −1 to 1.", holds: true },
    { statement: "There are two classes: the theorem is about the margin yF(x).", holds: classes === 2 },
    {
      statement: outOfFold
        ? "The margins are those of F. (Out of fold they come from k other functions, each of which saw other rows; and from the second layer on, these were trained on features from forests that did see the row.)"
        : "The margins are those of F.",
      holds: !outOfFold,
    },
    {
      statement:
        "The families of trees are finite and were fixed before the rows were seen. (They are finite, but the cuts between bins come from the rows.)",
      holds: false,
    },
    {
      statement: "The printed constants are those of a proof. (See docs/guarantees-forests.md.)",
      holds: false,
    },
  ];
}

function reasonOf(value: number, rows: number, premises: readonly Premise[]): string {
  if (!(value < 1)) {
    return `The theorem gives ${formatNumber(value)}, which is not below 1 and says nothing: ${formatCount(rows, "training row")} are too few for families of trees this large.`;
  }
  const failing = premises.filter(({ holds }) => !holds).length;
  return `The theorem as printed gives ${formatPercent(value)}, but ${formatNumber(failing)} of its premises do not hold.`;
}
