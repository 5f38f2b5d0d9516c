/**
 * Radix sort of the indices of doubles, in digits of 11 bits from the lowest to the highest.
 *
 * The key of a double is its bits, changed so that keys as unsigned integers are in the order of the doubles. Its two
 * halves are sorted by one after the other, as pairs of half a key and an index that move in one store: the low
 * halves first, then the high ones, which are fetched by the indices in between. Each pass keeps the order of equals.
 */

/** Bits of a digit, and how many values that gives. Three digits make half a key; the highest has ten bits. */
@inline const DIGIT_BITS: u32 = 11;
@inline const DIGIT_VALUES: u32 = 1 << DIGIT_BITS;

/** Bytes of a pair: the index, and half a key behind it. */
@inline const PAIR: usize = 8;
@inline const HALF_KEY: usize = 4;

/** Writes a pair with the low half for each of the doubles, whose indices count from `first`, and the high halves. */
export function splitKeys(values: usize, first: i32, length: i32, pairs: usize, highs: usize): void {
  const end = values + (<usize>length << 3);
  for (let index = <u32>first; values < end; index++, values += 8, pairs += PAIR, highs += 4) {
    // Adding zero turns minus zero into zero: both are the same number.
    const bits = reinterpret<u64>(load<f64>(values) + 0);
    // Negative numbers come before the others, those with the largest bits first.
    const key = bits ^ (<u64>(<i64>bits >> 63) | 0x8000000000000000);
    store<u32>(pairs, index);
    store<u32>(pairs, <u32>key, HALF_KEY);
    store<u32>(highs, <u32>(key >> 32));
  }
}

/** Adds to three tables of counts how often each value of each digit occurs. */
export function countDigits(pairs: usize, length: i32, counts: usize): void {
  const end = pairs + <usize>length * PAIR;
  for (; pairs < end; pairs += PAIR) {
    const half = load<u32>(pairs, HALF_KEY);
    increment(counts, half & (DIGIT_VALUES - 1));
    increment(counts, DIGIT_VALUES + ((half >>> DIGIT_BITS) & (DIGIT_VALUES - 1)));
    increment(counts, 2 * DIGIT_VALUES + (half >>> (2 * DIGIT_BITS)));
  }
}

@inline function increment(counts: usize, k: u32): u32 {
  const address = counts + (<usize>k << 2);
  const count = load<u32>(address);
  store<u32>(address, count + 1);
  return count;
}

/** Moves each pair to the place that its digit is to have next: `places` has one for each value of the digit. */
export function moveByDigit(pairs: usize, length: i32, digit: u32, places: usize, to: usize): void {
  const end = pairs + <usize>length * PAIR;
  const shift = digit * DIGIT_BITS;
  for (; pairs < end; pairs += PAIR) {
    const pair = load<u64>(pairs);
    const place = increment(places, (<u32>(pair >> 32) >>> shift) & (DIGIT_VALUES - 1));
    store<u64>(to + <usize>place * PAIR, pair);
  }
}

/** Puts the high half of each key in the place of the low half. */
export function fetchHighs(pairs: usize, length: i32, highs: usize): void {
  const end = pairs + <usize>length * PAIR;
  for (; pairs < end; pairs += PAIR) {
    store<u32>(pairs, load<u32>(highs + (<usize>load<u32>(pairs) << 2)), HALF_KEY);
  }
}

/** Writes the indices of the pairs. */
export function takeIndices(pairs: usize, length: i32, indices: usize): void {
  const end = pairs + <usize>length * PAIR;
  for (; pairs < end; pairs += PAIR, indices += 4) store<u32>(indices, load<u32>(pairs));
}
