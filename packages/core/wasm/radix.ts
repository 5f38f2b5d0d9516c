/**
 * Radix sort of the indices of doubles, in digits of 11 bits from the lowest to the highest.
 *
 * The key of a double is its bits, changed so that keys as unsigned integers have the order of the doubles. Pairs of half a key
 * and an index, which move in one store, are sorted by the low halves first, then by the high ones, which are fetched by the
 * indices in between. Each pass is stable.
 */

/** Bits and values of a digit. Three digits make half a key; the highest has ten bits. */
@inline const DIGIT_BITS: u32 = 11;
@inline export const DIGIT_VALUES: u32 = 1 << DIGIT_BITS;

@inline export const HALF_KEY_DIGITS: i32 = 3;

/** Bytes of a pair: the index, then half a key. */
@inline export const PAIR: usize = 8;
@inline const HALF_KEY: usize = 4;

/** Writes a pair with the low half for each double, with indices from `first` on, and the high halves. */
export function splitKeys(values: usize, first: i32, length: i32, pairs: usize, highs: usize): void {
  const end = values + (<usize>length << 3);
  for (let index = <u32>first; values < end; index++, values += 8, pairs += PAIR, highs += 4) {
    // Adding zero turns −0 into 0: both are the same number.
    const bits = reinterpret<u64>(load<f64>(values) + 0);
    // Negative numbers come first, those with the largest bits before the others.
    const key = bits ^ (<u64>(<i64>bits >> 63) | 0x8000000000000000);
    store<u32>(pairs, index);
    store<u32>(pairs, <u32>key, HALF_KEY);
    store<u32>(highs, <u32>(key >> 32));
  }
}

/** Counts the values of each of three digits. */
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

/** Moves each pair to the next place of its digit; `places` has one for each value of the digit. */
export function moveByDigit(pairs: usize, length: i32, digit: u32, places: usize, to: usize): void {
  const end = pairs + <usize>length * PAIR;
  const shift = digit * DIGIT_BITS;
  for (; pairs < end; pairs += PAIR) {
    const pair = load<u64>(pairs);
    const place = increment(places, (<u32>(pair >> 32) >>> shift) & (DIGIT_VALUES - 1));
    store<u64>(to + <usize>place * PAIR, pair);
  }
}

/** Replaces the low half of each key by the high half. */
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
