/**
 * Features with two values, such as flags of categories, are counted together: up to eight of them form one of 256 patterns, so
 * that a row is added once instead of eight times. Sums are exact, and so the same either way.
 */
import { Boosted, CELL_SHIFT, FEATURE_BYTES, Node } from "./boosted-state";
import { Column, MISSING } from "./tree-column";

/** Tells whether a feature has at most two values and no missing cells. */
export function isTwoValued(column: Column): bool {
  return column.count <= 2 && column.missing == 0;
}

/** Multiplying by this gathers eight bytes of 0 or 1 in the highest byte: bit i comes from byte i, by 2 to the 56 − 7i. */
@inline const GATHER: u64 = 0x0102040810204080;

/** Bytes between the two histograms of patterns; with two, neighbouring rows do not wait for each other. */
@inline const OTHER: usize = 4096;

/** Fills the histograms of up to eight features from `first` on, the first of which is at `histogram`. */
export function countPatterns(
  tree: Boosted, node: Node, histogram: usize,
  first: i32, width: i32, patterns: usize,
): void {
  const count = <usize>1 << width;
  clear(patterns, count);
  clear(patterns + OTHER, count);
  // Eight bytes that end within the row; after a shift the first feature comes first.
  const offset = min(first, tree.stride - 8), shift = <u64>((first - offset) << 3);
  const mask = <u64>0x0101010101010101 >> <u64>((8 - width) << 3);
  const begin = tree.list + (<usize>node.begin << 2), end = tree.list + (<usize>node.end << 2);
  addRows(begin, end, tree.gradients, tree.cells + offset, tree.stride, shift, mask, patterns);
  for (let k: usize = 0; k < count << CELL_SHIFT; k += 16) {
    v128.store(patterns + k, f64x2.add(v128.load(patterns + k), v128.load(patterns + k + OTHER)));
  }
  const total = v128.load(changetype<usize>(node));
  for (let j = 0; j < width; j++, histogram += FEATURE_BYTES) {
    const ones = sumWithBit(patterns, count, <usize>1 << j);
    v128.store(histogram, f64x2.sub(total, ones));
    v128.store(histogram, ones, 16);
    v128.store(histogram + (<usize>MISSING << CELL_SHIFT), f64x2.splat(0));
  }
}

function clear(patterns: usize, count: usize): void {
  for (let k: usize = 0; k < count; k++) v128.store(patterns + (k << CELL_SHIFT), f64x2.splat(0));
}

function addRows(
  row: usize, end: usize, gradients: usize, cells: usize, stride: usize,
  shift: u64, mask: u64, patterns: usize,
): void {
  for (; row + 8 <= end; row += 8) {
    addRow(load<u32>(row), gradients, cells, stride, shift, mask, patterns);
    addRow(load<u32>(row, 4), gradients, cells, stride, shift, mask, patterns + OTHER);
  }
  if (row < end) addRow(load<u32>(row), gradients, cells, stride, shift, mask, patterns);
}

@inline function addRow(
  row: usize, gradients: usize, cells: usize, stride: usize,
  shift: u64, mask: u64, patterns: usize,
): void {
  const bins = (load<u64>(cells + row * stride) >> shift) & mask;
  const cell = patterns + (<usize>((bins * GATHER) >> 56) << CELL_SHIFT);
  const pair = f64x2.convert_low_i32x4_s(v128.load64_zero(gradients + (row << 3)));
  v128.store(cell, f64x2.add(v128.load(cell), pair));
}

/** Sums the cells of the patterns with a bit. */
function sumWithBit(patterns: usize, count: usize, bit: usize): v128 {
  let sum = f64x2.splat(0);
  for (let from = bit; from < count; from += bit << 1) {
    for (let k = from; k < from + bit; k++) sum = f64x2.add(sum, v128.load(patterns + (k << CELL_SHIFT)));
  }
  return sum;
}
