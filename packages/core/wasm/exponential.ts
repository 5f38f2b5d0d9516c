import { exponentials } from "./boosted-exponential";

/** log₂ e, and ln 2 as a part with few bits plus a remainder, so that n · ln 2 is exact for small n. */
@inline const LOG2_E: f32 = 1.4426950408889634;
@inline const LN2_HIGH: f32 = 0.693359375;
@inline const LN2_LOW: f32 = -2.12194440e-4;

/** Below this the result is not a normal number, and counts as zero. */
@inline const LEAST: f32 = -87.33;

/**
 * Replaces `count` numbers x ≤ 0, a multiple of 4, by exp(x), within 2 units in the last place; 0 below the smallest normal
 * number.
 *
 * x = n·ln 2 + r with |r| ≤ ½ ln 2; exp(r) by a polynomial of degree 7 (coefficients of Cephes, expf), and 2ⁿ by
 * writing n to the exponent bits. Four registers at a time share each constant, which takes longer to load than to use, and do not
 * wait for each other. The rest gets the same bits.
 */
export function exponentials32(x: usize, count: i32): void {
  const end = x + (<usize>count << 2);
  for (; x + 64 <= end; x += 64) {
    const x0 = v128.load(x), x1 = v128.load(x, 16), x2 = v128.load(x, 32), x3 = v128.load(x, 48);
    const n0 = powerOf32(x0), n1 = powerOf32(x1), n2 = powerOf32(x2), n3 = powerOf32(x3);
    const r0 = restOf32(x0, n0), r1 = restOf32(x1, n1), r2 = restOf32(x2, n2), r3 = restOf32(x3, n3);
    let c = f32x4.splat(1.9875691500e-4);
    let p0 = c, p1 = c, p2 = c, p3 = c;
    c = f32x4.splat(1.3981999507e-3);
    p0 = step<f32>(p0, r0, c); p1 = step<f32>(p1, r1, c); p2 = step<f32>(p2, r2, c); p3 = step<f32>(p3, r3, c);
    c = f32x4.splat(8.3334519073e-3);
    p0 = step<f32>(p0, r0, c); p1 = step<f32>(p1, r1, c); p2 = step<f32>(p2, r2, c); p3 = step<f32>(p3, r3, c);
    c = f32x4.splat(4.1665795894e-2);
    p0 = step<f32>(p0, r0, c); p1 = step<f32>(p1, r1, c); p2 = step<f32>(p2, r2, c); p3 = step<f32>(p3, r3, c);
    c = f32x4.splat(1.6666665459e-1);
    p0 = step<f32>(p0, r0, c); p1 = step<f32>(p1, r1, c); p2 = step<f32>(p2, r2, c); p3 = step<f32>(p3, r3, c);
    c = f32x4.splat(5.0000001201e-1);
    p0 = step<f32>(p0, r0, c); p1 = step<f32>(p1, r1, c); p2 = step<f32>(p2, r2, c); p3 = step<f32>(p3, r3, c);
    v128.store(x, valueOf32(p0, r0, n0, x0)); v128.store(x, valueOf32(p1, r1, n1, x1), 16);
    v128.store(x, valueOf32(p2, r2, n2, x2), 32); v128.store(x, valueOf32(p3, r3, n3, x3), 48);
  }
  for (; x < end; x += 16) v128.store(x, exponential(v128.load(x)));
}

/** Computes exp(x) for four x ≤ 0, with the same bits. */
@inline export function exponential(x: v128): v128 {
  const n = powerOf32(x), r = restOf32(x, n);
  let p = f32x4.splat(1.9875691500e-4);
  p = step<f32>(p, r, f32x4.splat(1.3981999507e-3));
  p = step<f32>(p, r, f32x4.splat(8.3334519073e-3));
  p = step<f32>(p, r, f32x4.splat(4.1665795894e-2));
  p = step<f32>(p, r, f32x4.splat(1.6666665459e-1));
  p = step<f32>(p, r, f32x4.splat(5.0000001201e-1));
  return valueOf32(p, r, n, x);
}

@inline function powerOf32(x: v128): v128 {
  return f32x4.nearest(f32x4.mul(x, f32x4.splat(LOG2_E)));
}

@inline function restOf32(x: v128, n: v128): v128 {
  return f32x4.sub(f32x4.sub(x, f32x4.mul(n, f32x4.splat(LN2_HIGH))), f32x4.mul(n, f32x4.splat(LN2_LOW)));
}

/** Returns 2ⁿ · (1 + r + p·r²), or 0 if x is too small. */
@inline function valueOf32(p: v128, r: v128, n: v128, x: v128): v128 {
  const sum = f32x4.add(f32x4.add(f32x4.mul(p, f32x4.mul(r, r)), r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return v128.and(f32x4.mul(sum, power), f32x4.gt(x, f32x4.splat(LEAST)));
}

/** Makes a step of Horner's rule. */
@inline function step<T>(p: v128, r: v128, c: v128): v128 {
  return v128.add<T>(v128.mul<T>(p, r), c);
}

/** The same in f64: log₂ e, and ln 2 as a part whose last bits are zero plus a remainder. */
@inline const LOG2_E_64: f64 = 1.4426950408889634;
@inline const LN2_HIGH_64: f64 = 0.6931471803691238;
@inline const LN2_LOW_64: f64 = 1.9082149292705877e-10;
@inline const LEAST_64: f64 = -708;

/**
 * Replaces `count` numbers x ≤ 0, a multiple of 4, by exp(x), within 2 units in the last place; 0 below −708, NaN for NaN.
 *
 * As in `exponentials32`, with Σ rᵏ/k! up to k = 12.
 */
export function exponentials64(x: usize, count: i32): void {
  const end = x + (<usize>count << 3);
  for (; x + 64 <= end; x += 64) {
    const x0 = v128.load(x), x1 = v128.load(x, 16), x2 = v128.load(x, 32), x3 = v128.load(x, 48);
    const n0 = powerOf64(x0), n1 = powerOf64(x1), n2 = powerOf64(x2), n3 = powerOf64(x3);
    const r0 = restOf64(x0, n0), r1 = restOf64(x1, n1), r2 = restOf64(x2, n2), r3 = restOf64(x3, n3);
    let c = f64x2.splat(1.0 / 479001600);
    let p0 = c, p1 = c, p2 = c, p3 = c;
    c = f64x2.splat(1.0 / 39916800);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    c = f64x2.splat(1.0 / 3628800);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    c = f64x2.splat(1.0 / 362880);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    c = f64x2.splat(1.0 / 40320);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    c = f64x2.splat(1.0 / 5040);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    c = f64x2.splat(1.0 / 720);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    c = f64x2.splat(1.0 / 120);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    c = f64x2.splat(1.0 / 24);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    c = f64x2.splat(1.0 / 6);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    c = f64x2.splat(0.5);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    c = f64x2.splat(1);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    p0 = step<f64>(p0, r0, c); p1 = step<f64>(p1, r1, c); p2 = step<f64>(p2, r2, c); p3 = step<f64>(p3, r3, c);
    v128.store(x, scaled64(p0, n0, x0)); v128.store(x, scaled64(p1, n1, x1), 16);
    v128.store(x, scaled64(p2, n2, x2), 32); v128.store(x, scaled64(p3, n3, x3), 48);
  }
  for (; x < end; x += 16) {
    const tail = v128.load(x);
    v128.store(x, v128.andnot(exponentials(tail), f64x2.lt(tail, f64x2.splat(LEAST_64))));
  }
}

@inline function powerOf64(x: v128): v128 {
  return f64x2.nearest(f64x2.mul(x, f64x2.splat(LOG2_E_64)));
}

@inline function restOf64(x: v128, n: v128): v128 {
  return f64x2.sub(f64x2.sub(x, f64x2.mul(n, f64x2.splat(LN2_HIGH_64))), f64x2.mul(n, f64x2.splat(LN2_LOW_64)));
}

@inline function scaled64(p: v128, n: v128, x: v128): v128 {
  const exponent = i64x2.extend_low_i32x4_s(i32x4.add(i32x4.trunc_sat_f64x2_s_zero(n), i32x4.splat(1023)));
  return v128.andnot(f64x2.mul(p, i64x2.shl(exponent, 52)), f64x2.lt(x, f64x2.splat(LEAST_64)));
}
