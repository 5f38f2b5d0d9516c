/** 10⁰ … 10²², the powers of ten that a double holds exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const LARGEST_POWER = POWERS.length - 1;
/** Digits that fit an int32 whatever they are. */
const INT_DIGITS = 9;
/** Digits that a double holds exactly whatever they are. */
const EXACT_DIGITS = 15;
/** 2²⁷ + 1: splits a double into two halves of 26 bits (Dekker, 1971). */
const SPLITTER = 134217729;
/** Far above the relative error of the quotient's correction (about 2⁻⁵⁰), far below what matters to a double. */
const DOUBT = 2 ** -45;

/**
 * Reads plain decimal numbers, `-12.5` or `3e-4`, from bytes, several times faster than by way of a string
 * and with the same result as `Number`: correctly rounded.
 */
export class DecimalReader {
  /** Where the last number ended; where it began if it is not a plain decimal number. */
  end = 0;

  /** The number that starts at `at`, NaN if there is none. The bytes must hold a non-digit after it. */
  read(bytes: Uint8Array, at: number): number {
    let p = at;
    let c = bytes[p];
    const negative = c === 45;
    if (negative || c === 43) c = bytes[++p];
    let high = 0;
    let low = 0;
    let highDigits = 0;
    let lowDigits = 0;
    let digitsFrom = p;
    let point = -1;
    for (;;) {
      const digit = c - 48;
      if (digit >= 0 && digit <= 9) {
        if (highDigits < INT_DIGITS) {
          high = (high * 10 + digit) | 0;
          // Leading zeros do not count.
          if (high !== 0) highDigits++;
        } else {
          low = lowDigits < INT_DIGITS ? (low * 10 + digit) | 0 : low;
          lowDigits++;
        }
      } else if (c === 46 && point < 0) {
        point = p;
        digitsFrom++;
      } else break;
      c = bytes[++p];
    }
    this.end = at;
    if (p === digitsFrom || lowDigits > INT_DIGITS) return Number.NaN;
    let exponent = point < 0 ? 0 : point + 1 - p;
    if (c === 101 || c === 69) {
      const first = p + 1;
      p = exponentEnd(bytes, first);
      if (p < 0) return Number.NaN;
      exponent += exponentValue(bytes, first, p);
    }
    const value = scaled(high, low, highDigits, lowDigits, exponent);
    if (!Number.isNaN(value)) this.end = p;
    return negative ? -value : value;
  }
}

/** Where the exponent ends that starts at `at`; −1 if there is none or it is beyond all doubles. */
function exponentEnd(bytes: Uint8Array, at: number): number {
  const first = bytes[at] === 45 || bytes[at] === 43 ? at + 1 : at;
  let p = first;
  while (bytes[p] >= 48 && bytes[p] <= 57) p++;
  return p === first || p - first > 3 ? -1 : p;
}

function exponentValue(bytes: Uint8Array, at: number, end: number): number {
  let value = 0;
  for (let p = bytes[at] === 45 || bytes[at] === 43 ? at + 1 : at; p < end; p++) {
    value = value * 10 + bytes[p] - 48;
  }
  return bytes[at] === 45 ? -value : value;
}

/** (high · 10^lowDigits + low) · 10^exponent, correctly rounded, or NaN where that takes more than this. */
function scaled(high: number, low: number, highDigits: number, lowDigits: number, exponent: number): number {
  if (exponent < -LARGEST_POWER || exponent > LARGEST_POWER) return high === 0 ? 0 : Number.NaN;
  if (highDigits + lowDigits <= EXACT_DIGITS) {
    // Both operands are exact, so the one rounding of IEEE arithmetic is the right one (Clinger, 1990).
    const digits = high * POWERS[lowDigits] + low;
    return exponent < 0 ? digits / POWERS[-exponent] : digits * POWERS[exponent];
  }
  return exponent > 0 ? Number.NaN : longQuotient(high, low, POWERS[lowDigits], POWERS[-exponent]);
}

/**
 * (high · shift + low) / divisor for 16 to 18 digits: the quotient q of the leading parts, corrected by what
 * its exact remainder adds. Rounding is right unless an error of the correction could change it (Ziv's test);
 * then NaN.
 */
function longQuotient(high: number, low: number, shift: number, divisor: number): number {
  const product = high * shift;
  const lead = product + low;
  // `low` is smaller than the product, so this difference is exact (Dekker's fast two-sum).
  const rest = productError(high, shift, product) + (low - (lead - product));
  const quotient = lead / divisor;
  const back = quotient * divisor;
  const remainder = lead - back - productError(quotient, divisor, back) + rest;
  const correction = remainder / divisor;
  const value = quotient + correction * (1 + DOUBT);
  return value === quotient + correction * (1 - DOUBT) ? value : Number.NaN;
}

/** a · b − product, exactly, where product is a · b rounded (Dekker, 1971). */
function productError(a: number, b: number, product: number): number {
  const aCut = SPLITTER * a;
  const aHigh = aCut - (aCut - a);
  const aLow = a - aHigh;
  const bCut = SPLITTER * b;
  const bHigh = bCut - (bCut - b);
  const bLow = b - bHigh;
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}
