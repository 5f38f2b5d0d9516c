/**
 * Features with two values, such as flags of categories, are counted together: up to eight of them form one of 256 patterns, so
 * that a row is added once instead of eight times. Sums are exact, and so the same either way. Patterns are counted in the
 * histograms of the first two of the features, which get their own sums in the end.
 */
import { CELL_SHIFT, FEATURE_BYTES } from "./boosted-state";
import { Column, MISSING } from "./tree-column";

/** Returns whether a feature has at most two values and no missing cells. */
export function isTwoValued(column: Column): bool {
  return column.count <= 2 && column.missing == 0;
}

/** Multiplying by this gathers eight bytes of 0 or 1 in the highest byte: bit i comes from byte i, by 2 to the 56 − 7i. */
@inline const GATHER: u64 = 0x0102040810204080;

/** Clears the patterns of `width` features. */
export function clearPatterns(patterns: usize, width: i32): void {
  const bytes = <usize>1 << (width + <i32>CELL_SHIFT);
  memory.fill(patterns, 0, bytes);
  if (width > 1) memory.fill(patterns + FEATURE_BYTES, 0, bytes);
}

/**
 * Adds rows to the patterns of `width` features. Eight bytes at `cells`, in rows `stride` bytes apart, have the cells of these
 * features after `shift` bits.
 */
export function addPatterns(
  count: i32, pairs: usize, cells: usize, stride: usize,
  patterns: usize, width: i32, shift: u64,
): void {
  const mask = <u64>0x0101010101010101 >> <u64>((8 - width) << 3);
  // With two histograms neighbouring rows do not wait for each other.
  const other = width > 1 ? patterns + FEATURE_BYTES : patterns;
  const end = pairs + (<usize>count << 3);
  for (; pairs + 16 <= end; pairs += 16, cells += 2 * stride) {
    addPattern(v128.load64_zero(pairs), (load<u64>(cells) >> shift) & mask, patterns);
    addPattern(v128.load64_zero(pairs, 8), (load<u64>(cells + stride) >> shift) & mask, other);
  }
  if (pairs < end) addPattern(v128.load64_zero(pairs), (load<u64>(cells) >> shift) & mask, patterns);
}

@inline function addPattern(pair: v128, bins: u64, patterns: usize): void {
  const cell = patterns + (<usize>((bins * GATHER) >> 56) << CELL_SHIFT);
  v128.store(cell, f64x2.add(v128.load(cell), f64x2.convert_low_i32x4_s(pair)));
}

/** Turns patterns into the histograms of their features. */
export function foldPatterns(patterns: usize, width: i32): void {
  const count = <usize>1 << width;
  if (width > 1) {
    for (let at = patterns; at < patterns + (count << CELL_SHIFT); at += 16) {
      v128.store(at, f64x2.add(v128.load(at), v128.load(at, FEATURE_BYTES)));
    }
  }
  // The patterns are overwritten by the first feature, so it comes last.
  const total = sumOf(patterns, count);
  for (let j = width - 1; j >= 0; j--) {
    const ones = sumWithBit(patterns, count, <usize>1 << j), histogram = patterns + <usize>j * FEATURE_BYTES;
    v128.store(histogram, f64x2.sub(total, ones));
    v128.store(histogram, ones, 16);
    v128.store(histogram + (<usize>MISSING << CELL_SHIFT), f64x2.splat(0));
  }
}

function sumOf(patterns: usize, count: usize): v128 {
  let sum = f64x2.splat(0);
  for (let k: usize = 0; k < count; k++) sum = f64x2.add(sum, v128.load(patterns + (k << CELL_SHIFT)));
  return sum;
}

/** Sums the cells of the patterns with a bit. */
function sumWithBit(patterns: usize, count: usize, bit: usize): v128 {
  let sum = f64x2.splat(0);
  for (let from = bit; from < count; from += bit << 1) {
    for (let k = from; k < from + bit; k++) sum = f64x2.add(sum, v128.load(patterns + (k << CELL_SHIFT)));
  }
  return sum;
}
