/**
 * Sine, cosine and arc tangent that give the same bits on every machine; see real-functions.ts. The algorithms are those of FreeBSD's
 * msun, for angles of moderate size.
 *
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunPro, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.
 */

/** π/2 in parts: the first 33 bits, the next 33, and the rest. */
const HALF_PI_1 = 1.5707963267341256;
const HALF_PI_1_REST = 6.077100506506192e-11;
const HALF_PI_2 = 6.077100506303966e-11;
const HALF_PI_2_REST = 2.0222662487959506e-21;
const INVERSE_HALF_PI = 0.6366197723675814;

/** An angle as n·π/2 + high + low, where |high| ≤ π/4. */
interface ReducedAngle {
  readonly quarter: number;
  readonly high: number;
  readonly low: number;
}

/** Angles beyond this would need more digits of π. */
const LARGEST_ANGLE = 1e5;

function reduced(x: number): ReducedAngle {
  if (Math.abs(x) <= Math.PI / 4) return { quarter: 0, high: x, low: 0 };
  if (!(Math.abs(x) <= LARGEST_ANGLE)) throw new RangeError(`The angle ${x} is too large.`);
  const n = Math.round(x * INVERSE_HALF_PI);
  const first = x - n * HALF_PI_1;
  let rest = n * HALF_PI_1_REST;
  let start = first;
  let high = start - rest;
  // Near a multiple of π/2 the first part leaves too few digits.
  if (Math.abs(high) < Math.abs(x) * 2 ** -16) {
    const second = n * HALF_PI_2;
    start = first - second;
    rest = n * HALF_PI_2_REST - (first - start - second);
    high = start - rest;
  }
  return { quarter: ((n % 4) + 4) % 4, high, low: start - high - rest };
}

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/** Returns a quarter of a number, with the first 20 bits only. */
function quarterOf(x: number): number {
  number[0] = x;
  words[0] = 0;
  words[1] -= 0x200000;
  return number[0];
}

function cosineNearZero(x: number, tail: number): number {
  const z = x * x;
  const r =
    z *
    (0.0416666666666666 +
      z *
        (-0.001388888888887411 +
          z *
            (2.480158728947673e-5 +
              z * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11)))));
  const size = Math.abs(x);
  if (size < 0.3) return 1 - (0.5 * z - (z * r - x * tail));
  // A quarter of the angle, without its last digits, keeps the difference exact.
  const part = size > 0.78125 ? 0.28125 : quarterOf(size);
  return 1 - part - (0.5 * z - part - (z * r - x * tail));
}

const THIRD_ORDER = -0.16666666666666632;

function sineNearZero(x: number, tail: number): number {
  const z = x * x;
  const v = z * x;
  const r =
    0.00833333333332249 +
    z *
      (-0.0001984126982985795 +
        z * (2.7557313707070068e-6 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10)));
  if (tail === 0) return x + v * (THIRD_ORDER + z * r);
  return x - (z * (0.5 * tail - v * r) - tail - v * THIRD_ORDER);
}

/** Computes the cosine of an angle of at most 10⁵. */
export function cos(x: number): number {
  const { quarter, high, low } = reduced(x);
  if (quarter === 0) return cosineNearZero(high, low);
  if (quarter === 1) return -sineNearZero(high, low);
  return quarter === 2 ? -cosineNearZero(high, low) : sineNearZero(high, low);
}

/** Computes the sine of an angle of at most 10⁵. */
export function sin(x: number): number {
  const { quarter, high, low } = reduced(x);
  if (quarter === 0) return sineNearZero(high, low);
  if (quarter === 1) return cosineNearZero(high, low);
  return quarter === 2 ? -sineNearZero(high, low) : -cosineNearZero(high, low);
}

/** Arc tangents of 0.5, 1, 1.5 and ∞, each as the nearest number and what is missing. */
const ARC_TANGENTS = [
  [0.4636476090008061, 2.2698777452961687e-17],
  [0.7853981633974483, 3.061616997868383e-17],
  [0.982793723247329, 1.3903311031230998e-17],
  [1.5707963267948966, 6.123233995736766e-17],
] as const;

/** Computes the arc tangent. */
export function atan(x: number): number {
  if (Number.isNaN(x)) return x;
  const size = Math.abs(x);
  if (size < 0.4375) return x - x * arcSeries(x);
  const [near, t] =
    size < 0.6875
      ? [ARC_TANGENTS[0], (2 * size - 1) / (2 + size)]
      : size < 1.1875
        ? [ARC_TANGENTS[1], (size - 1) / (size + 1)]
        : size < 2.4375
          ? [ARC_TANGENTS[2], (size - 1.5) / (1 + 1.5 * size)]
          : [ARC_TANGENTS[3], -1 / size];
  const z = near[0] - (t * arcSeries(t) - near[1] - t);
  return x < 0 ? -z : z;
}

/** Computes 1 − atan(x) / x for small x. */
function arcSeries(x: number): number {
  const z = x * x;
  const w = z * z;
  const odd =
    z *
    (0.3333333333333293 +
      w *
        (0.14285714272503466 +
          w *
            (0.09090887133436507 +
              w * (0.06661073137387531 + w * (0.049768779946159324 + w * 0.016285820115365782)))));
  const even =
    w *
    (-0.19999999999876483 +
      w *
        (-0.11111110405462356 +
          w * (-0.0769187620504483 + w * (-0.058335701337905735 + w * -0.036531572744216916))));
  return odd + even;
}
