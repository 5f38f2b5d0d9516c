/**
 * Exponentials, logarithms and angles that give the same bits on every machine. The functions of `Math` do not: browsers and versions of Node differ
 * in the last bit of `Math.exp` or `Math.log`, and a training would end in other bytes. These need nothing but additions, multiplications,
 * divisions and bits, which IEEE 754 defines exactly: a power of two is split off, and a Taylor series does the rest. Relative errors are below 2⁻⁵¹.
 */

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
/** Every machine that runs WebAssembly stores the low word first. */
const HIGH = 1;

/** Returns 2^k for −1022 ≤ k ≤ 1023. */
function powerOfTwo(k: number): number {
  words[1 - HIGH] = 0;
  words[HIGH] = (k + 1023) << 20;
  return number[0];
}

/** ln 2 in two parts. The first has 32 bits, so that its product with an exponent is exact; `Math.LN2` is too small by 2.3e-17. */
const LN2_HIGH = Math.round(Math.LN2 * 4294967296) / 4294967296;
const LN2_LOW = Math.LN2 - LN2_HIGH + 2.3190468138462996e-17;

/** 1/2!, 1/3!, …, 1/16!: factorials up to 18! are exact. */
const INVERSE_FACTORIALS = inverseFactorials(16);

function inverseFactorials(most: number): number[] {
  let factorial = 1;
  return Array.from({ length: most - 1 }, (_, i) => {
    factorial *= i + 2;
    return 1 / factorial;
  });
}

/** Evaluates c₀ + c₁x + c₂x² + … by Horner's rule. */
function polynomial(coefficients: readonly number[], x: number): number {
  let value = 0;
  for (let i = coefficients.length - 1; i >= 0; i--) value = coefficients[i] + x * value;
  return value;
}

/** Computes e^(r + tail) − 1 for |r| ≤ ½ and a tail far below the last digit of r. */
function smallExpm1(r: number, tail: number): number {
  return r + (r * r * polynomial(INVERSE_FACTORIALS, r) + tail);
}

/** An exponent as k ln 2 + r + tail; |r| is at most ½ ln 2, and the tail is far below its last digit. */
interface ReducedExponent {
  readonly r: number;
  readonly tail: number;
}

function reducedExponent(x: number, k: number): ReducedExponent {
  const high = x - k * LN2_HIGH;
  const low = k * LN2_LOW;
  const r = high - low;
  return { r, tail: high - r - low };
}

/** Computes y·2^k, also where 2^k is too large or too small to be a number. */
function scaled(y: number, k: number): number {
  if (k >= -1022 && k <= 1023) return y * powerOfTwo(k);
  return k > 0 ? y * powerOfTwo(1023) * powerOfTwo(k - 1023) : y * powerOfTwo(k + 1000) * powerOfTwo(-1000);
}

/** Beyond these, the exponential is infinite or 0. */
const LARGEST_EXPONENT = 709.782712893384;
const SMALLEST_EXPONENT = -745.1332191019412;

/** Computes eˣ. */
export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > LARGEST_EXPONENT) return Number.POSITIVE_INFINITY;
  if (x < SMALLEST_EXPONENT) return 0;
  const k = Math.round(x * Math.LOG2E);
  const { r, tail } = reducedExponent(x, k);
  const sum = 1 + r;
  // 1 − sum + r is what rounding took from the sum.
  const y = sum + (1 - sum + r + (r * r * polynomial(INVERSE_FACTORIALS, r) + tail));
  return scaled(y, k);
}

/** Computes eˣ − 1. */
export function expm1(x: number): number {
  if (Number.isNaN(x)) return x;
  if (Math.abs(x) <= 0.5) return smallExpm1(x, 0);
  if (x < -40) return -1;
  if (x > 40) return exp(x);
  const k = Math.round(x * Math.LOG2E);
  const { r, tail } = reducedExponent(x, k);
  const power = powerOfTwo(k);
  // For these exponents the first difference is exact, or the second term below its last digit.
  return power - 1 + power * smallExpm1(r, tail);
}

/** 2/3, 2/5, 2/7, …: log((1 + s)/(1 − s)) is 2s + 2s³/3 + 2s⁵/5 + …. */
const LOGARITHM_SERIES = Array.from({ length: 11 }, (_, i) => 2 / (2 * i + 3));

/** Computes the part of log(1 + f) by which f is too large, for √½ ≤ 1 + f ≤ √2: with s = f/(2 + f), 2s is f − sf. */
function belowLinear(f: number): number {
  const s = f / (2 + f);
  const z = s * s;
  return s * (f - z * polynomial(LOGARITHM_SERIES, z));
}

/** A positive number as (1 + f)·2^k with √½ ≤ 1 + f ≤ √2. */
interface Decomposed {
  readonly f: number;
  readonly k: number;
}

function decomposed(x: number): Decomposed {
  const isSmall = x < 2.2250738585072014e-308;
  number[0] = isSmall ? x * 18014398509481984 : x;
  const k = (words[HIGH] >>> 20) - 1023 - (isSmall ? 54 : 0);
  words[HIGH] = (words[HIGH] & 0xfffff) | 0x3ff00000;
  const mantissa = number[0];
  return mantissa > Math.SQRT2 ? { f: mantissa / 2 - 1, k: k + 1 } : { f: mantissa - 1, k };
}

/** Computes the natural logarithm. */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  const { f, k } = decomposed(x);
  return k * LN2_HIGH - (belowLinear(f) - k * LN2_LOW - f);
}

/** Computes log(1 + x). */
export function log1p(x: number): number {
  if (x > -0.29 && x < 0.41) return x - belowLinear(x);
  if (x === Number.POSITIVE_INFINITY) return x;
  const sum = 1 + x;
  if (!(sum > 0)) return log(sum);
  // What rounding took from the sum.
  const lost = x > 1 ? 1 - (sum - x) : x - (sum - 1);
  return log(sum) + lost / sum;
}

/** Computes the logarithm to base 2; that of a power of two is exact. */
export function log2(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  const { f, k } = decomposed(x);
  return k + (f - belowLinear(f)) * Math.LOG2E;
}

/** Computes the hyperbolic tangent. */
export function tanh(x: number): number {
  const size = Math.abs(x);
  if (size > 22) return Math.sign(x);
  const t = expm1(2 * size);
  const value = size < 1 ? t / (t + 2) : 1 - 2 / (t + 2);
  return x < 0 ? -value : value;
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

// Sine, cosine and arc tangent, by Taylor series after a reduction of the argument.

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
