/** Histograms of the rows of a node: for each bin of a feature the sums of gradients and Hessians. */
import { addPatterns, clearPatterns, foldPatterns, isTwoValued } from "./boosted-patterns";
import {
  BATCH, blockAt, Boosted, CELL_SHIFT, FEATURE_BYTES, Features, gatheredOf, GROUP, pairsOf,
} from "./boosted-state";
import { Column, columnAt, MISSING } from "./tree-column";

/** With fewer rows counting patterns does not pay. */
@inline const FEWEST_PATTERN_ROWS: i32 = 512;

/** Divides the features into blocks. */
export function formBlocks(tree: Boosted): void {
  tree.blockCount = 0;
  for (let first = 0; first < tree.columns; ) {
    const twoValued = isTwoValued(columnAt(tree.table, first));
    let width = 1;
    while (width < 8 && first + width < tree.columns) {
      if (isTwoValued(columnAt(tree.table, first + width)) != twoValued) break;
      width++;
    }
    const block = blockAt(tree, tree.blockCount++);
    block.first = first;
    block.width = width;
    block.twoValued = twoValued ? 1 : 0;
    first += width;
  }
}

/**
 * Fills the histograms of the features of some blocks with rows begin … end − 1 of the list. `histograms` is the place for
 * feature 0. Blocks without a feature that the tree may split are left out.
 */
export function buildHistograms(
  tree: Boosted, begin: i32, end: i32, histograms: usize,
  firstBlock: i32, endBlock: i32, worker: i32,
): void {
  const hasPatterns = end - begin >= FEWEST_PATTERN_ROWS;
  for (let first = firstBlock; first < endBlock; ) {
    const last = groupEnd(tree, first, endBlock);
    for (let b = first; b < last; b++) clearBlock(tree, blockAt(tree, b), histograms, hasPatterns);
    for (let from = begin; from < end; from += BATCH) {
      addBatch(tree, from, min(end, from + BATCH), histograms, first, last, worker, hasPatterns);
    }
    for (let b = first; b < last && hasPatterns; b++) foldBlock(tree, blockAt(tree, b), histograms);
    first = last;
  }
}

/** Returns the end of the blocks whose cells are gathered together with those of a first one. */
export function groupEnd(tree: Boosted, first: i32, endBlock: i32): i32 {
  const begin = blockAt(tree, first).first & ~7;
  let last = first + 1;
  while (last < endBlock) {
    const block = blockAt(tree, last);
    if (block.first + block.width - begin > GROUP) break;
    last++;
  }
  return last;
}

/** Returns whether the tree may split a feature of a block. */
function isWanted(tree: Boosted, block: Features): bool {
  const mask = tree.treeMask + block.first;
  for (let j: usize = 0; j < <usize>block.width; j++) if (load<u8>(mask + j)) return true;
  return false;
}

function clearBlock(tree: Boosted, block: Features, histograms: usize, hasPatterns: bool): void {
  const own = histograms + <usize>block.first * FEATURE_BYTES;
  if (!isWanted(tree, block)) return;
  if (block.twoValued && hasPatterns) {
    clearPatterns(own, block.width);
    return;
  }
  for (let j = 0; j < block.width; j++) {
    clearHistogram(columnAt(tree.table, block.first + j), own + <usize>j * FEATURE_BYTES);
  }
}

function foldBlock(tree: Boosted, block: Features, histograms: usize): void {
  if (block.twoValued && isWanted(tree, block)) foldPatterns(histograms + <usize>block.first * FEATURE_BYTES, block.width);
}

/** Adds up to `BATCH` rows to the histograms of some blocks. */
function addBatch(
  tree: Boosted, begin: i32, end: i32, histograms: usize,
  firstBlock: i32, endBlock: i32, worker: i32, hasPatterns: bool,
): void {
  const from = blockAt(tree, firstBlock).first & ~7, last = blockAt(tree, endBlock - 1);
  const span = ((last.first + last.width + 7) & ~7) - from;
  let pairs: usize, cells: usize, stride: usize;
  if (tree.isEveryRow) {
    pairs = tree.gradients + (<usize>begin << 3);
    stride = <usize>tree.stride;
    cells = tree.cells + <usize>begin * stride + from;
  } else {
    pairs = pairsOf(tree, worker);
    cells = gatheredOf(tree, worker);
    // Eight bytes more, so that the rows do not all begin at the same places of the cache.
    stride = <usize>span + 8;
    gather(tree, begin, end, pairs, cells, <usize>from, <usize>span);
  }
  const count = end - begin;
  for (let b = firstBlock; b < endBlock; b++) {
    const block = blockAt(tree, b);
    if (!isWanted(tree, block)) continue;
    const own = histograms + <usize>block.first * FEATURE_BYTES, place = cells + (block.first - from);
    if (block.twoValued && hasPatterns) addTwoValued(count, pairs, place, stride, own, block.width, block.first + 8 - from - span);
    else addBlock(count, pairs, place, stride, own, block.width);
  }
}

/** Copies gradients and cells of rows, so that the processor waits for many rows at once, and once for all features. */
function gather(tree: Boosted, begin: i32, end: i32, pairs: usize, cells: usize, from: usize, span: usize): void {
  const gradients = tree.gradients, source = tree.cells + from, stride = <usize>tree.stride;
  const last = tree.list + (<usize>end << 2);
  for (let at = tree.list + (<usize>begin << 2); at < last; at += 4, pairs += 8, cells += span + 8) {
    const row = <usize>load<u32>(at), own = source + row * stride;
    store<u64>(pairs, load<u64>(gradients + (row << 3)));
    let k: usize = 0;
    for (; k + 16 <= span; k += 16) v128.store(cells + k, v128.load(own + k));
    if (k < span) store<u64>(cells + k, load<u64>(own + k));
  }
}

/** Adds rows to patterns; `excess` is how many of the eight bytes from the first cell on are beyond the cells of the row. */
function addTwoValued(
  count: i32, pairs: usize, cells: usize, stride: usize,
  patterns: usize, width: i32, excess: i32,
): void {
  const back = max(0, excess);
  addPatterns(count, pairs, cells - back, stride, patterns, width, <u64>(back << 3));
}

function addBlock(count: i32, pairs: usize, cells: usize, stride: usize, histogram: usize, width: i32): void {
  if (width == 8) {
    addEight(count, pairs, cells, stride, histogram);
    return;
  }
  if (width >= 4) {
    addFour(count, pairs, cells, stride, histogram);
    cells += 4;
    histogram += 4 * FEATURE_BYTES;
    width -= 4;
  }
  for (; width > 0; width--, cells++, histogram += FEATURE_BYTES) addOne(count, pairs, cells, stride, histogram);
}

/** Returns the end of the cells of a histogram, except that of missing cells, which is the last. */
@inline export function cellsEnd(column: Column, histogram: usize): usize {
  return histogram + (<usize>column.count << CELL_SHIFT);
}

@inline export function missingCell(histogram: usize): usize {
  return histogram + (<usize>MISSING << CELL_SHIFT);
}

function clearHistogram(column: Column, histogram: usize): void {
  memory.fill(histogram, 0, <usize>column.count << CELL_SHIFT);
  v128.store(missingCell(histogram), f64x2.splat(0));
}

/** Adds a histogram of other rows. */
export function addHistogram(column: Column, to: usize, histogram: usize): void {
  const end = cellsEnd(column, to), missing = missingCell(to);
  v128.store(missing, f64x2.add(v128.load(missing), v128.load(missingCell(histogram))));
  for (let cell = to; cell < end; cell += 16, histogram += 16) {
    v128.store(cell, f64x2.add(v128.load(cell), v128.load(histogram)));
  }
}

/** Subtracts a histogram: the parent without one child is the other child. */
export function subtractHistogram(column: Column, from: usize, histogram: usize): void {
  const end = cellsEnd(column, from), missing = missingCell(from);
  v128.store(missing, f64x2.sub(v128.load(missing), v128.load(missingCell(histogram))));
  for (let cell = from; cell < end; cell += 16, histogram += 16) {
    v128.store(cell, f64x2.sub(v128.load(cell), v128.load(histogram)));
  }
}

@inline function pairAt(pairs: usize): v128 {
  return f64x2.convert_low_i32x4_s(v128.load64_zero(pairs));
}

function addEight(count: i32, pairs: usize, cells: usize, stride: usize, histogram: usize): void {
  const end = pairs + (<usize>count << 3);
  for (; pairs < end; pairs += 8, cells += stride) {
    const pair = pairAt(pairs), low = load<u32>(cells), high = load<u32>(cells, 4);
    addToFour(histogram, low, pair);
    addToFour(histogram + 4 * FEATURE_BYTES, high, pair);
  }
}

function addFour(count: i32, pairs: usize, cells: usize, stride: usize, histogram: usize): void {
  const end = pairs + (<usize>count << 3);
  for (; pairs < end; pairs += 8, cells += stride) addToFour(histogram, load<u32>(cells), pairAt(pairs));
}

function addOne(count: i32, pairs: usize, cells: usize, stride: usize, histogram: usize): void {
  const end = pairs + (<usize>count << 3);
  for (; pairs < end; pairs += 8, cells += stride) {
    const cell = histogram + (<usize>load<u8>(cells) << CELL_SHIFT);
    v128.store(cell, f64x2.add(v128.load(cell), pairAt(pairs)));
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
