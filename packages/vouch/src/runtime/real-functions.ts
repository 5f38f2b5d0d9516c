/**
 * Exponentials, logarithms and angles that give the same bits on every machine. The functions of `Math` do not: browsers and versions
 * of Node differ in the last bit of `Math.exp` or `Math.log`, and a training would end in other bytes. These are the algorithms of
 * FreeBSD's msun, which need nothing but additions, multiplications, divisions and bits; errors are below 1 ulp.
 *
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunPro, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.
 */

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
/** Every machine that runs WebAssembly stores the low word first. */
const HIGH = 1;

/** Returns the sign, the exponent and the first 20 bits of a number, as a signed integer. */
function highWord(x: number): number {
  number[0] = x;
  return words[HIGH] | 0;
}

/** Returns a number with another high word. */
function withHighWord(x: number, high: number): number {
  number[0] = x;
  words[HIGH] = high;
  return number[0];
}

/** Returns 2^k for −1022 ≤ k ≤ 1023. */
function powerOfTwo(k: number): number {
  return withHighWord(0, (0x3ff + k) << 20);
}

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const INVERSE_LN2 = Math.LOG2E;
const MOST = 709.782712893384;

/** Computes eˣ. */
export function exp(x: number): number {
  const size = highWord(x) & 0x7fffffff;
  if (size >= 0x40862e42) {
    if (Number.isNaN(x)) return x;
    if (x > MOST) return Number.POSITIVE_INFINITY;
    if (x < -745.1332191019411) return 0;
  }
  let k = 0;
  let high = x;
  let low = 0;
  let rest = x;
  if (size > 0x3fd62e42) {
    if (x === 1) return Math.E;
    if (size < 0x3ff0a2b2) k = x < 0 ? -1 : 1;
    else k = Math.trunc(INVERSE_LN2 * x + (x < 0 ? -0.5 : 0.5));
    high = x - k * LN2_HIGH;
    low = k * LN2_LOW;
    rest = high - low;
  } else if (size < 0x3e300000) return 1 + x;
  const t = rest * rest;
  const c =
    rest -
    t *
      (0.16666666666666602 +
        t *
          (-0.0027777777777015593 +
            t * (6.613756321437934e-5 + t * (-1.6533902205465252e-6 + t * 4.1381367970572385e-8))));
  if (k === 0) return 1 - ((rest * c) / (c - 2) - rest);
  const y = 1 - (low - (rest * c) / (2 - c) - high);
  if (k === 1024) return y * 2 * powerOfTwo(1023);
  return k >= -1021 ? y * powerOfTwo(k) : y * powerOfTwo(k + 1000) * powerOfTwo(-1000);
}

/** Computes eˣ − 1. */
export function expm1(x: number): number {
  const size = highWord(x) & 0x7fffffff;
  if (size >= 0x4043687a) {
    if (Number.isNaN(x)) return x;
    if (x > MOST) return Number.POSITIVE_INFINITY;
    if (x < 0) return -1;
  }
  let k = 0;
  let c = 0;
  let rest = x;
  if (size > 0x3fd62e42) {
    if (size < 0x3ff0a2b2) k = x < 0 ? -1 : 1;
    else k = Math.trunc(INVERSE_LN2 * x + (x < 0 ? -0.5 : 0.5));
    const high = x - k * LN2_HIGH;
    const low = k * LN2_LOW;
    rest = high - low;
    c = high - rest - low;
  } else if (size < 0x3c900000) return x;
  const half = 0.5 * rest;
  const square = rest * half;
  const r =
    1 +
    square *
      (-0.03333333333333313 +
        square *
          (0.0015873015872548146 +
            square *
              (-7.93650757867488e-5 + square * (4.008217827329362e-6 + square * -2.0109921818362437e-7))));
  const t = 3 - r * half;
  let e = square * ((r - t) / (6 - rest * t));
  if (k === 0) return rest - (rest * e - square);
  e = rest * (e - c) - c - square;
  if (k === -1) return 0.5 * (rest - e) - 0.5;
  if (k === 1) return rest < -0.25 ? -2 * (e - (rest + 0.5)) : 1 + 2 * (rest - e);
  if (k <= -2 || k > 56) {
    const y = 1 - (e - rest);
    return (k === 1024 ? y * 2 * powerOfTwo(1023) : y * powerOfTwo(k)) - 1;
  }
  const small = powerOfTwo(-k);
  return (k < 20 ? 1 - small - (e - rest) : rest - (e + small) + 1) * powerOfTwo(k);
}

const LG1 = 0.6666666666666735;
const LG2 = 0.3999999999940942;
const LG3 = 0.2857142874366239;
const LG4 = 0.22222198432149784;
const LG5 = 0.1818357216161805;
const LG6 = 0.15313837699209373;
const LG7 = 0.14798198605116586;

/** Computes R(z) of log(1 + f) = f − (f²/2 − s(f²/2 + R)), where s = f / (2 + f). */
function logarithmSeries(s: number): number {
  const z = s * s;
  const w = z * z;
  return z * (LG1 + w * (LG3 + w * (LG5 + w * LG7))) + w * (LG2 + w * (LG4 + w * LG6));
}

/** Computes the natural logarithm. */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  const isSmall = x < 2.2250738585072014e-308;
  const scaled = isSmall ? x * 18014398509481984 : x;
  const word = highWord(scaled);
  const bits = word & 0xfffff;
  const carry = (bits + 0x95f64) & 0x100000;
  const k = (isSmall ? -54 : 0) + (word >> 20) - 1023 + (carry >> 20);
  const f = withHighWord(scaled, bits | (carry ^ 0x3ff00000)) - 1;
  if ((0xfffff & (2 + bits)) < 3) {
    if (f === 0) return k === 0 ? 0 : k * LN2_HIGH + k * LN2_LOW;
    const r = f * f * (0.5 - 0.3333333333333333 * f);
    return k === 0 ? f - r : k * LN2_HIGH - (r - k * LN2_LOW - f);
  }
  const s = f / (2 + f);
  const r = logarithmSeries(s);
  if (((bits - 0x6147a) | (0x6b851 - bits)) > 0) {
    const half = 0.5 * f * f;
    if (k === 0) return f - (half - s * (half + r));
    return k * LN2_HIGH - (half - (s * (half + r) + k * LN2_LOW) - f);
  }
  return k === 0 ? f - s * (f - r) : k * LN2_HIGH - (s * (f - r) - k * LN2_LOW - f);
}

/** Computes log(1 + x). */
export function log1p(x: number): number {
  const word = highWord(x);
  const size = word & 0x7fffffff;
  let k = 1;
  let f = 0;
  let bits = 1;
  let c = 0;
  if (word < 0x3fda827a) {
    if (size >= 0x3ff00000) return x === -1 ? Number.NEGATIVE_INFINITY : Number.NaN;
    if (size < 0x3e200000) return size < 0x3c900000 ? x : x - x * x * 0.5;
    if (word > 0 || word <= (0xbfd2bec4 | 0)) {
      k = 0;
      f = x;
    }
  }
  if (word >= 0x7ff00000) return x;
  if (k !== 0) {
    const isLarge = word >= 0x43400000;
    const u = isLarge ? x : 1 + x;
    const high = highWord(u);
    k = (high >> 20) - 1023;
    if (!isLarge) c = (k > 0 ? 1 - (u - x) : x - (u - 1)) / u;
    bits = high & 0xfffff;
    if (bits < 0x6a09e) f = withHighWord(u, bits | 0x3ff00000) - 1;
    else {
      k += 1;
      f = withHighWord(u, bits | 0x3fe00000) - 1;
      bits = (0x100000 - bits) >> 2;
    }
  }
  const half = 0.5 * f * f;
  if (bits === 0) {
    if (f === 0) return k === 0 ? 0 : k * LN2_HIGH + (c + k * LN2_LOW);
    const r = half * (1 - 0.6666666666666666 * f);
    return k === 0 ? f - r : k * LN2_HIGH - (r - (k * LN2_LOW + c) - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const r = z * (LG1 + z * (LG2 + z * (LG3 + z * (LG4 + z * (LG5 + z * (LG6 + z * LG7))))));
  if (k === 0) return f - (half - s * (half + r));
  return k * LN2_HIGH - (half - (s * (half + r) + (k * LN2_LOW + c)) - f);
}

const INVERSE_LN2_HIGH = 1.4426950407214463;
const INVERSE_LN2_LOW = 1.6751713164886512e-10;

/** Computes the logarithm to base 2. */
export function log2(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY || x === 1) return x === 1 ? 0 : x;
  const isSmall = x < 2.2250738585072014e-308;
  const scaled = isSmall ? x * 18014398509481984 : x;
  const word = highWord(scaled);
  const bits = word & 0xfffff;
  const carry = (bits + 0x95f64) & 0x100000;
  const k = (isSmall ? -54 : 0) + (word >> 20) - 1023 + (carry >> 20);
  const f = withHighWord(scaled, bits | (carry ^ 0x3ff00000)) - 1;
  const half = 0.5 * f * f;
  const s = f / (2 + f);
  const r = s * (half + logarithmSeries(s));
  number[0] = f - half;
  words[1 - HIGH] = 0;
  const high = number[0];
  const low = f - high - half + r;
  const valueHigh = high * INVERSE_LN2_HIGH;
  const w = k + valueHigh;
  return (low + high) * INVERSE_LN2_LOW + low * INVERSE_LN2_HIGH + (k - w + valueHigh) + w;
}

/** Computes the hyperbolic tangent. */
export function tanh(x: number): number {
  const size = highWord(x) & 0x7fffffff;
  if (size >= 0x7ff00000) return Number.isNaN(x) ? x : Math.sign(x);
  if (size < 0x3e300000) return x;
  const absolute = Math.abs(x);
  let z = 1;
  if (size < 0x40360000) {
    const t = expm1(size >= 0x3ff00000 ? 2 * absolute : -2 * absolute);
    z = size >= 0x3ff00000 ? 1 - 2 / (t + 2) : -t / (t + 2);
  }
  return x < 0 ? -z : z;
}

/** Computes x^n for a whole number n ≥ 0 by repeated squaring. */
export function wholePower(x: number, n: number): number {
  let result = 1;
  let square = x;
  for (let left = n; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}
