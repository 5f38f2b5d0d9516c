import * as real from "../../runtime/maths/portable-math.js";
import type { Random } from "../../runtime/maths/random.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { riskOfFailure } from "../certificate.js";

/**
 * Computes sup_h Σ_i σ_i h(x_i) over a family of functions, for one vector σ of signs ±1: how well the family fits random signs
 * on the sample. Not divided by the number of rows.
 */
export type Supremum = (signs: Int8Array) => number;

/**
 * Computes the supremum for many vectors of signs together, for families that are cheaper to traverse once than once per draw.
 */
export type Suprema = (draws: readonly Int8Array[]) => ArrayLike<number>;

/** Converts a `Supremum` to `Suprema`, which computes one draw after the other. */
export function oneByOne(supremum: Supremum): Suprema {
  return (draws) => draws.map(supremum);
}

/** For more rows, the 2^m vectors of signs are too many to enumerate. */
const MOST_ROWS_TO_ENUMERATE = 20;

/**
 * Computes the empirical Rademacher complexity of a family on a sample S of m rows by its definition (Bartlett and Mendelson
 * 2002; Mohri, Rostamizadeh and Talwalkar 2012, definition 3.1), as a mean over all 2^m vectors of signs:
 *
 *     R̂_S(H) = (1/m) E_σ[ sup_{h ∈ H} Σ_i σ_i h(x_i) ].
 */
export function exactRademacher(rows: number, supremum: Supremum): number {
  if (!(Number.isInteger(rows) && rows >= 1 && rows <= MOST_ROWS_TO_ENUMERATE)) {
    throw new VouchError(
      "option/invalid",
      `Cannot enumerate all signs of ${rows} rows: there must be 1 to ${MOST_ROWS_TO_ENUMERATE} rows.`,
      { hint: "Use monteCarloRademacher for larger samples." },
    );
  }
  const signs = new Int8Array(rows);
  const vectors = 2 ** rows;
  let sum = 0;
  for (let bits = 0; bits < vectors; bits++) {
    for (let i = 0; i < rows; i++) signs[i] = (bits >>> i) & 1 ? 1 : -1;
    sum += supremum(signs);
  }
  return sum / vectors / rows;
}

/** How to estimate a Rademacher complexity. */
export interface MonteCarloOptions {
  /** Number of vectors of signs to draw. */
  readonly draws: number;
  readonly random: Random;
  /** The probability with which the complexity is at most `upper`, in (0, 1). */
  readonly confidence: number;
  /** √(Σ_i max_h h(x_i)² / m): 1, the default, for functions with values in [−1, 1]. */
  readonly magnitude?: number;
}

/** An estimate of an empirical Rademacher complexity. */
export interface RademacherEstimate {
  readonly mean: number;
  /** How far above the mean the complexity may be, except with probability 1 − confidence; the same holds below. */
  readonly deviation: number;
  /** mean + deviation. */
  readonly upper: number;
  readonly draws: number;
}

/**
 * Estimates R̂_S(H) as the mean over n random vectors of signs. Changing one of the n·m signs changes the mean by at most
 * 2·max_h |h(x_i)|/(nm), so by McDiarmid's inequality, with probability ≥ 1 − δ over the signs,
 *
 *     R̂_S(H) ≤ mean + M √(2 ln(1/δ) / (nm)),   M² = (1/m) Σ_i max_h h(x_i)².
 */
export function monteCarloRademacher(
  rows: number,
  suprema: Suprema,
  options: MonteCarloOptions,
): RademacherEstimate {
  const { draws, random, confidence, magnitude = 1 } = options;
  const delta = riskOfFailure(confidence);
  checkCount("rows", rows);
  checkCount("draws", draws);
  const values = suprema(Array.from({ length: draws }, () => randomSigns(rows, random)));
  let sum = 0;
  for (let d = 0; d < draws; d++) sum += values[d];
  const mean = sum / draws / rows;
  const deviation = magnitude * Math.sqrt((-2 * real.log(delta)) / (draws * rows));
  return { mean, deviation, upper: mean + deviation, draws };
}

function randomSigns(rows: number, random: Random): Int8Array {
  const signs = new Int8Array(rows);
  let bits = 0;
  for (let i = 0; i < rows; i++) {
    if (i % 32 === 0) bits = random.bits();
    signs[i] = (bits >>> (i % 32)) & 1 ? 1 : -1;
  }
  return signs;
}

function checkCount(name: string, count: number): void {
  if (Number.isSafeInteger(count) && count >= 1) return;
  throw new VouchError(
    "option/invalid",
    `The number of ${name} must be a whole number of at least 1, not ${count}.`,
  );
}
