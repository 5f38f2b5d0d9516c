import { polynomial } from "./real-functions.js";

/**
 * Sine, cosine and arc tangent that give the same bits on every machine, by Taylor series after a reduction of the argument; see
 * real-functions.ts.
 */

/** π/2 in three parts, so that products of the first two with a number of quarter turns are exact. */
const HALF_PI_1 = Math.round((Math.PI / 2) * 4294967296) / 4294967296;
const HALF_PI_2 = Math.PI / 2 - HALF_PI_1;
const HALF_PI_3 = 6.123233995736766e-17;

/** An angle as a number of quarter turns and the rest, high + low, where |high| ≤ π/4. */
interface ReducedAngle {
  readonly quarter: number;
  readonly high: number;
  readonly low: number;
}

/** With more quarter turns than these have, the products would not be exact. */
const LARGEST_ANGLE = 1e5;

function reduced(x: number): ReducedAngle {
  if (!(Math.abs(x) <= LARGEST_ANGLE)) throw new RangeError(`The angle ${x} is too large.`);
  const n = Math.round(x / (Math.PI / 2));
  const first = x - n * HALF_PI_1;
  const second = n * HALF_PI_2;
  const high = first - second;
  return { quarter: ((n % 4) + 4) % 4, high, low: first - high - second - n * HALF_PI_3 };
}

/** −1/3!, 1/5!, −1/7!, …, and 1/4!, −1/6!, 1/8!, …: factorials up to 18! are exact, and the last one is nearly. */
const SINE_SERIES = alternating(-1, [3, 5, 7, 9, 11, 13, 15, 17, 19]);
const COSINE_SERIES = alternating(1, [4, 6, 8, 10, 12, 14, 16, 18]);

function alternating(sign: number, orders: readonly number[]): number[] {
  return orders.map((order, i) => (i % 2 === 0 ? sign : -sign) / factorial(order));
}

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1);
}

function sineNearZero(x: number, tail: number): number {
  const z = x * x;
  return x + (x * z * polynomial(SINE_SERIES, z) + tail * (1 - 0.5 * z));
}

function cosineNearZero(x: number, tail: number): number {
  const z = x * x;
  return 1 - (0.5 * z - (z * z * polynomial(COSINE_SERIES, z) - x * tail));
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

/** −1/3, 1/5, −1/7, …: atan(t) is t − t³/3 + t⁵/5 − …. */
const ARC_SERIES = Array.from({ length: 13 }, (_, i) => (i % 2 === 0 ? -1 : 1) / (2 * i + 3));

/** The series needs few terms below the first; the second is a little above tan(π/8). */
const SMALL_TANGENT = 0.22;
const MIDDLE_TANGENT = 0.45;

/** Computes the arc tangent: of a number above 1 from its inverse, of one near 1 from its distance to 1, then from half the angle. */
export function atan(x: number): number {
  const size = Math.abs(x);
  const value = size > 1 ? Math.PI / 2 - (upToOne(1 / size) - HALF_PI_3) : upToOne(size);
  return x < 0 ? -value : value;
}

function upToOne(t: number): number {
  if (t > MIDDLE_TANGENT) return Math.PI / 4 - (upToOne((1 - t) / (1 + t)) - HALF_PI_3 / 2);
  if (t > SMALL_TANGENT) return 2 * upToOne(t / (1 + Math.sqrt(1 + t * t)));
  const z = t * t;
  return t + t * z * polynomial(ARC_SERIES, z);
}
