/** log₂ e, and ln 2 as a part with few bits plus a remainder, so that n · ln 2 is exact for small n. */
@inline const LOG2_E: f64 = 1.4426950408889634;
@inline const LN2_HIGH: f64 = 0.6931471803691238;
@inline const LN2_LOW: f64 = 1.9082149292705877e-10;

// Coefficients in memory: a constant in the code takes three instructions.
/** 1/12!, 1/11!, …, 1/2! */
const FACTORIALS = memory.data<f64>([
  1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
  1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5,
]);

/** 1/31, 1/29, …, 1/3 */
const ODDS = memory.data<f64>([
  1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17,
  1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3,
]);

/** 1.5 · 2⁵²: adding it rounds a number below 2⁵¹ to an integer, which is in the low bits of the sum. */
@inline export const TO_INTEGER: f64 = 6755399441055744;

/** Below this the result would not be a normal number. */
@inline const LEAST: f64 = -708;

/** Computes exp(x) for two x ≤ 0, with x clipped at −708: exp(n·ln 2 + r) = 2ⁿ · Σ rᵏ/k! up to k = 12. */
@inline export function exponentials(x: v128): v128 {
  x = f64x2.pmax(x, f64x2.splat(LEAST));
  const shifted = f64x2.add(f64x2.mul(x, f64x2.splat(LOG2_E)), f64x2.splat(TO_INTEGER));
  const n = f64x2.sub(shifted, f64x2.splat(TO_INTEGER));
  const r = f64x2.sub(f64x2.sub(x, f64x2.mul(n, f64x2.splat(LN2_HIGH))), f64x2.mul(n, f64x2.splat(LN2_LOW)));
  let p = v128.load64_splat(FACTORIALS);
  p = f64x2.add(f64x2.mul(p, r), v128.load64_splat(FACTORIALS, 8));
  p = f64x2.add(f64x2.mul(p, r), v128.load64_splat(FACTORIALS, 16));
  p = f64x2.add(f64x2.mul(p, r), v128.load64_splat(FACTORIALS, 24));
  p = f64x2.add(f64x2.mul(p, r), v128.load64_splat(FACTORIALS, 32));
  p = f64x2.add(f64x2.mul(p, r), v128.load64_splat(FACTORIALS, 40));
  p = f64x2.add(f64x2.mul(p, r), v128.load64_splat(FACTORIALS, 48));
  p = f64x2.add(f64x2.mul(p, r), v128.load64_splat(FACTORIALS, 56));
  p = f64x2.add(f64x2.mul(p, r), v128.load64_splat(FACTORIALS, 64));
  p = f64x2.add(f64x2.mul(p, r), v128.load64_splat(FACTORIALS, 72));
  p = f64x2.add(f64x2.mul(p, r), v128.load64_splat(FACTORIALS, 80));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1));
  const power = i64x2.shl(i64x2.add(shifted, i64x2.splat(1023)), 52);
  return f64x2.mul(p, power);
}

/** Computes log(x) for two normal x > 0: with x = 2ⁿ · (1 + f), n·ln 2 + log(1 + f), which cancels just below 1. */
@inline export function logarithms(x: v128): v128 {
  const n = i64x2.sub(i64x2.shr_u(x, 52), i64x2.splat(1023));
  const fraction = v128.or(v128.and(x, i64x2.splat((1 << 52) - 1)), f64x2.splat(1));
  // The exponents are small: their low halves suffice.
  const exponents = f64x2.convert_low_i32x4_s(v128.shuffle<i32>(n, n, 0, 2, 0, 2));
  const rest = logarithmsOfMore(f64x2.sub(fraction, f64x2.splat(1)));
  return f64x2.add(f64x2.mul(exponents, f64x2.splat(LN2_HIGH + LN2_LOW)), rest);
}

/** Computes log(1 + x) for two x in [0, 1]: 2 · artanh(s) = 2 · Σ s²ᵏ⁺¹ / (2k + 1) with s = x / (2 + x) ≤ ⅓, up to k = 15. */
@inline export function logarithmsOfMore(x: v128): v128 {
  const s = f64x2.div(x, f64x2.add(x, f64x2.splat(2))), z = f64x2.mul(s, s);
  let p = v128.load64_splat(ODDS);
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 8));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 16));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 24));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 32));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 40));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 48));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 56));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 64));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 72));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 80));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 88));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 96));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 104));
  p = f64x2.add(f64x2.mul(p, z), v128.load64_splat(ODDS, 112));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1));
  return f64x2.mul(f64x2.add(s, s), p);
}
