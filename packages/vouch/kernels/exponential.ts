/** log₂ e, and ln 2 as a part with few bits plus a remainder, so that n · ln 2 is exact for small n. */
@inline const LOG2_E: f32 = 1.4426950408889634;
@inline const LN2_HIGH: f32 = 0.693359375;
@inline const LN2_LOW: f32 = -2.12194440e-4;

/** Below this the result is not a normal number, and counts as zero. */
@inline const LEAST: f32 = -87.33;

/**
 * Computes exp(x) for four x ≤ 0, within 2 units in the last place; 0 below the smallest normal number.
 *
 * x = n·ln 2 + r with |r| ≤ ½ ln 2; exp(r) by a polynomial of degree 7 (coefficients of Cephes, expf), and 2ⁿ by
 * writing n to the exponent bits.
 */
@inline export function exponential(x: v128): v128 {
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(LOG2_E)));
  const r = f32x4.sub(f32x4.sub(x, f32x4.mul(n, f32x4.splat(LN2_HIGH))), f32x4.mul(n, f32x4.splat(LN2_LOW)));
  let p = f32x4.splat(1.9875691500e-4);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.3981999507e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(8.3334519073e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(4.1665795894e-2));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.6666665459e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(5.0000001201e-1));
  p = f32x4.add(f32x4.add(f32x4.mul(p, f32x4.mul(r, r)), r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return v128.and(f32x4.mul(p, power), f32x4.gt(x, f32x4.splat(LEAST)));
}
