/** Histograms of the rows of a node: for each bin of a feature the sums of gradients and Hessians. */
import { countPatterns } from "./boosted-patterns";
import { Boosted, CELL_SHIFT, FEATURE_BYTES, Node, patternsOf } from "./boosted-state";
import { Column, columnAt, MISSING } from "./tree-column";

/** In smaller nodes counting patterns does not pay. */
@inline const FEWEST_PATTERN_ROWS: i32 = 512;

/**
 * Fills the histograms of `width` features from `first` on. Widths are 8, 4 or 1; or, if all of the features have two
 * values, −1 … −8 for 1 … 8 of them.
 */
export function buildHistograms(
  tree: Boosted, node: Node, histograms: usize,
  first: i32, width: i32, worker: i32,
): void {
  const own = histograms + <usize>first * FEATURE_BYTES;
  if (width < 0) {
    if (node.end - node.begin >= FEWEST_PATTERN_ROWS) {
      countPatterns(tree, node, own, first, -width, patternsOf(tree, worker));
      return;
    }
    width = -width;
    while (width > 0) {
      const part = width >= 8 ? 8 : width >= 4 ? 4 : 1;
      buildHistograms(tree, node, histograms, first, part, worker);
      first += part;
      width -= part;
    }
    return;
  }
  for (let j = 0; j < width; j++) clearHistogram(columnAt(tree.table, first + j), own + <usize>j * FEATURE_BYTES);
  const begin = tree.list + (<usize>node.begin << 2), end = tree.list + (<usize>node.end << 2);
  const cells = tree.cells + first;
  if (width == 8) addEight(begin, end, tree.gradients, cells, tree.stride, own);
  else if (width == 4) addFour(begin, end, tree.gradients, cells, tree.stride, own);
  else addOne(begin, end, tree.gradients, columnAt(tree.table, first).bins, own);
}

/** Returns the end of the cells of a histogram, except that of missing cells, which is the last. */
@inline export function cellsEnd(column: Column, histogram: usize): usize {
  return histogram + (<usize>column.count << CELL_SHIFT);
}

@inline export function missingCell(histogram: usize): usize {
  return histogram + (<usize>MISSING << CELL_SHIFT);
}

function clearHistogram(column: Column, histogram: usize): void {
  const end = cellsEnd(column, histogram), zero = f64x2.splat(0);
  for (let cell = histogram; cell < end; cell += 16) v128.store(cell, zero);
  v128.store(missingCell(histogram), zero);
}

/** Subtracts a histogram: the parent without one child is the other child. */
export function subtractHistogram(column: Column, from: usize, histogram: usize): void {
  const end = cellsEnd(column, from);
  const missing = missingCell(from);
  v128.store(missing, f64x2.sub(v128.load(missing), v128.load(missingCell(histogram))));
  for (let cell = from; cell < end; cell += 16, histogram += 16) {
    v128.store(cell, f64x2.sub(v128.load(cell), v128.load(histogram)));
  }
}

@inline function pairOf(gradients: usize, row: usize): v128 {
  return f64x2.convert_low_i32x4_s(v128.load64_zero(gradients + (row << 3)));
}

function addEight(row: usize, end: usize, gradients: usize, cells: usize, stride: usize, histogram: usize): void {
  for (; row < end; row += 4) {
    const number = <usize>load<u32>(row), pair = pairOf(gradients, number);
    const low = load<u32>(cells + number * stride), high = load<u32>(cells + number * stride, 4);
    addToFour(histogram, low, pair);
    addToFour(histogram + 4 * FEATURE_BYTES, high, pair);
  }
}

function addFour(row: usize, end: usize, gradients: usize, cells: usize, stride: usize, histogram: usize): void {
  for (; row < end; row += 4) {
    const number = <usize>load<u32>(row);
    addToFour(histogram, load<u32>(cells + number * stride), pairOf(gradients, number));
  }
}

function addOne(row: usize, end: usize, gradients: usize, bins: usize, histogram: usize): void {
  for (; row < end; row += 4) {
    const number = <usize>load<u32>(row), cell = histogram + (<usize>load<u8>(bins + number) << CELL_SHIFT);
    v128.store(cell, f64x2.add(v128.load(cell), pairOf(gradients, number)));
  }
}

/** Adds a row to the histograms of four features; `bins` has a byte for each. */
@inline function addToFour(histogram: usize, bins: u32, pair: v128): void {
  const a = histogram + ((bins << 4) & 0xff0), b = histogram + ((bins >> 4) & 0xff0);
  const c = histogram + ((bins >> 12) & 0xff0), d = histogram + ((bins >> 20) & 0xff0);
  v128.store(a, f64x2.add(v128.load(a), pair));
  v128.store(b, f64x2.add(v128.load(b, FEATURE_BYTES), pair), FEATURE_BYTES);
  v128.store(c, f64x2.add(v128.load(c, 2 * FEATURE_BYTES), pair), 2 * FEATURE_BYTES);
  v128.store(d, f64x2.add(v128.load(d, 3 * FEATURE_BYTES), pair), 3 * FEATURE_BYTES);
}
