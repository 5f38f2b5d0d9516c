/** log₂ e, and ln 2 as a part with few bits plus a remainder, so that n · ln 2 is exact for small n. */
@inline const LOG2_E: f64 = 1.4426950408889634;
@inline const LN2_HIGH: f64 = 0.6931471803691238;
@inline const LN2_LOW: f64 = 1.9082149292705877e-10;

/** Below this the result would not be a normal number. */
@inline const LEAST: f64 = -708;

/** Computes exp(x) for two x ≤ 0, with x clipped at −708: exp(n·ln 2 + r) = 2ⁿ · Σ rᵏ/k! up to k = 12. */
@inline export function exponentials(x: v128): v128 {
  x = f64x2.max(x, f64x2.splat(LEAST));
  const n = f64x2.nearest(f64x2.mul(x, f64x2.splat(LOG2_E)));
  const r = f64x2.sub(f64x2.sub(x, f64x2.mul(n, f64x2.splat(LN2_HIGH))), f64x2.mul(n, f64x2.splat(LN2_LOW)));
  let p = f64x2.splat(1.0 / 479001600);
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 39916800));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 3628800));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 362880));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 40320));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 5040));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 720));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 120));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 24));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 6));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(0.5));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1));
  const power = i64x2.shl(i64x2.extend_low_i32x4_s(i32x4.add(i32x4.trunc_sat_f64x2_s_zero(n), i32x4.splat(1023))), 52);
  return f64x2.mul(p, power);
}

/** Computes log(x) for two x ≥ 1: with x = 2ⁿ · (1 + f), n·ln 2 + log(1 + f). */
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
  let p = f64x2.splat(1.0 / 31);
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 29));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 27));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 25));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 23));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 21));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 19));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 17));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 15));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 13));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 11));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 9));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 7));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 5));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1.0 / 3));
  p = f64x2.add(f64x2.mul(p, z), f64x2.splat(1));
  return f64x2.mul(f64x2.add(s, s), p);
}
