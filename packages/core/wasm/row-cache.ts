import { compactRow } from "./compact";
import { SparseSample, sparseKernelRow, sparseValues } from "./kernel-sparse";
import { CHI_SQUARE, kernelRow, kernelSums, kernelValues } from "./kernel-values";
import { PANEL_STEP, panelWidth } from "./panels";
import { multiplyPanels } from "./product";

/**
 * A least-recently-used cache of the rows of a kernel matrix that does not fit in memory. Rows are computed on demand and kept
 * in slots, which form a list from the newest to the oldest. `src/learners/svm/` allocates its memory.
 */
@unmanaged export class RowCache {
  // The sample, packed into panels of f32, or of f64 if `wide`. For sparse rows `panels` lists the rows of the problem.
  panels: usize;
  norms: usize;
  /** The address of a `SparseSample`; 0 if the sample is packed. */
  sparse: usize;
  /** Scratch for a row of a sparse sample: a number for each column, all zero. */
  vector: usize;
  /** Number of panels, or of sparse rows. */
  count: i32;
  depth: i32;
  wide: bool;
  kind: i32;
  degree: i32;
  factor: f64;
  /** Scratch for the sums of a few panels, ROW_SCRATCH bytes. */
  scratch: usize;
  /** Scratch for a batch of rows, `batchBytes`. */
  batch: usize;

  // The slots, each with a row of `stride` values.
  slots: usize;
  stride: i32;
  capacity: i32;
  used: i32;
  newest: i32;
  oldest: i32;

  /** The slot of each row, or −1. */
  slotOf: usize;
  /** The row in each slot, and its neighbours in the list. */
  rowIn: usize;
  newer: usize;
  older: usize;
}

/** Assigns the memory: `lists` has four numbers per row. */
export function layOutCache(
  cache: RowCache, lists: usize, rows: i32,
  scratch: usize, batch: usize, slots: usize,
): void {
  const listBytes = <usize>rows << 2;
  cache.slotOf = lists;
  cache.rowIn = lists + listBytes;
  cache.newer = lists + 2 * listBytes;
  cache.older = lists + 3 * listBytes;
  cache.scratch = scratch;
  cache.batch = batch;
  cache.slots = slots;
  cache.sparse = 0;
}

/** Sets the kernel. */
export function setKernel(cache: RowCache, kind: i32, degree: i32, factor: f64): void {
  cache.kind = kind;
  cache.degree = degree;
  cache.factor = factor;
}

/** Sets the sample. Cached rows must be cleared or compacted, too. */
export function setSample(cache: RowCache, panels: usize, norms: usize, count: i32, depth: i32, wide: bool): void {
  cache.panels = panels;
  cache.norms = norms;
  cache.count = count;
  cache.depth = depth;
  cache.wide = wide;
}

/** Makes the sample sparse. */
export function setSparse(cache: RowCache, sample: usize, vector: usize): void {
  cache.sparse = sample;
  cache.vector = vector;
}

/** Clears the cache; rows have `stride` values from now on. */
export function clearCache(cache: RowCache, rows: i32, stride: i32, bytes: usize): void {
  cache.stride = stride;
  cache.capacity = <i32>min<usize>(bytes / (<usize>stride << 2), rows);
  cache.used = 0;
  cache.newest = -1;
  cache.oldest = -1;
  memory.fill(cache.slotOf, 0xff, <usize>rows << 2);
}

/** Returns the address of a row's values; the rows requested just before stay in place. */
export function cachedRow(cache: RowCache, row: i32): usize {
  const slot = item(cache.slotOf, row);
  if (slot >= 0) return useSlot(cache, slot);
  const values = takeSlot(cache, row);
  computeRow(cache, row, values);
  return values;
}

/** Returns the address of the values in a slot, which becomes the newest. */
export function useSlot(cache: RowCache, slot: i32): usize {
  if (slot != cache.newest) {
    unlink(cache, slot);
    linkAsNewest(cache, slot);
  }
  return slotAddress(cache, slot);
}

/** Assigns a slot to a row; its values have to be computed. */
function takeSlot(cache: RowCache, row: i32): usize {
  const slot = freeSlot(cache);
  setItem(cache.rowIn, slot, row);
  setItem(cache.slotOf, row, slot);
  linkAsNewest(cache, slot);
  return slotAddress(cache, slot);
}

@inline export function slotAddress(cache: RowCache, slot: i32): usize {
  return cache.slots + (<usize>slot * cache.stride << 2);
}

/** Computes the values of one row, followed by zeros up to the stride. */
function computeRow(cache: RowCache, row: i32, values: usize): void {
  if (cache.sparse != 0) computeSparse(cache, row, values);
  else if (cache.wide) computeValues<f64>(cache, row, values);
  else computeValues<f32>(cache, row, values);
}

function computeSparse(cache: RowCache, row: i32, values: usize): void {
  sparseKernelRow(
    cache.kind, cache.degree, cache.factor,
    changetype<SparseSample>(cache.sparse), item(cache.panels, row), cache.panels, cache.count, cache.norms,
    cache.vector, cache.scratch, values,
  );
  const present = (cache.count + 3) & ~3;
  memory.fill(values + (<usize>present << 2), 0, <usize>(cache.stride - present) << 2);
}

function computeValues<T>(cache: RowCache, row: i32, values: usize): void {
  kernelRow<T>(
    cache.kind, cache.degree, cache.factor,
    cache.panels, cache.count, cache.depth, cache.norms,
    row, cache.scratch, values,
  );
  clearTail<T>(cache, values);
}

/** Writes zeros after the last panel's values. */
@inline function clearTail<T>(cache: RowCache, values: usize): void {
  const present = cache.count * panelWidth<T>();
  memory.fill(values + (<usize>present << 2), 0, <usize>(cache.stride - present) << 2);
}

/** Returns an unused slot, or that of the oldest row. */
function freeSlot(cache: RowCache): i32 {
  if (cache.used < cache.capacity) return cache.used++;
  const slot = cache.oldest;
  unlink(cache, slot);
  setItem(cache.slotOf, item(cache.rowIn, slot), -1);
  return slot;
}

function unlink(cache: RowCache, slot: i32): void {
  const newer = item(cache.newer, slot), older = item(cache.older, slot);
  if (newer >= 0) setItem(cache.older, newer, older);
  else cache.newest = older;
  if (older >= 0) setItem(cache.newer, older, newer);
  else cache.oldest = newer;
}

export function linkAsNewest(cache: RowCache, slot: i32): void {
  setItem(cache.newer, slot, -1);
  setItem(cache.older, slot, cache.newest);
  if (cache.newest >= 0) setItem(cache.newer, cache.newest, slot);
  else cache.oldest = slot;
  cache.newest = slot;
}

// The diagonal

/** Computes K(xᵢ, xᵢ) of every row, in f64. */
export function cacheDiagonal(cache: RowCache, rows: i32, diagonal: usize): void {
  if (cache.sparse != 0) sparseDiagonal(cache, rows, diagonal);
  else if (cache.wide) computeDiagonal<f64>(cache, rows, diagonal);
  else computeDiagonal<f32>(cache, rows, diagonal);
}

/** The norm of a row is its sum with itself. */
function sparseDiagonal(cache: RowCache, rows: i32, diagonal: usize): void {
  const sums = cache.scratch, norms = sums + PANEL_STEP, values = norms + PANEL_STEP;
  memory.fill(sums, 0, 3 * PANEL_STEP);
  for (let i = 0; i < rows; i++) {
    const norm = load<f64>(cache.norms + (<usize>i << 3));
    store<f64>(sums, norm);
    store<f64>(norms, norm);
    sparseValues(cache.kind, cache.degree, cache.factor, sums, 4, norm, norms, values);
    store<f64>(diagonal + (<usize>i << 3), <f64>load<f32>(values));
  }
}

function computeDiagonal<T>(cache: RowCache, rows: i32, diagonal: usize): void {
  const width = panelWidth<T>(), panelBytes = <usize>cache.depth * PANEL_STEP;
  const sums = cache.scratch, values = cache.scratch + PANEL_STEP;
  for (let i = 0; i < rows; i++) {
    const lane = <usize>(i % width), panel = cache.panels + <usize>(i / width) * panelBytes;
    const norms = cache.norms + <usize>(i / width) * PANEL_STEP;
    kernelSums<T>(cache.kind, panel + lane * sizeof<T>(), panel, 1, cache.depth, sums);
    const norm = load<T>(norms + lane * sizeof<T>());
    kernelValues<T, f32>(cache.kind, cache.degree, <T>cache.factor, <T>1, sums, width, norm, norms, values);
    store<f64>(diagonal + (<usize>i << 3), <f64>load<f32>(values + (lane << 2)));
  }
}

// Rows in batches, which cost little more than one

/** Rows in a batch. */
@inline export const BATCH: i32 = 4;

/** Returns the bytes of `batch` for rows of this depth and padded length: a panel of rows, their sums in T and their values. */
export function batchBytes(depth: i32, stride: i32): usize {
  return <usize>depth * PANEL_STEP + <usize>stride * BATCH * (8 + 4);
}

/** Computes up to BATCH listed rows outside the cache, and returns their address. */
export function kernelBatch(cache: RowCache, list: usize, count: i32): usize {
  const values = cache.batch + <usize>cache.depth * PANEL_STEP + (<usize>cache.stride * BATCH << 3);
  if (cache.sparse != 0) {
    for (let r = 0; r < count; r++) computeSparse(cache, item(list, r), values + (<usize>r * cache.stride << 2));
    return values;
  }
  sumBatch(cache, list, count);
  for (let r = 0; r < count; r++) finishRow(cache, item(list, r), r, values + (<usize>r * cache.stride << 2));
  return values;
}

/** Computes up to BATCH listed rows that are not cached, and caches them; the first becomes the newest. */
export function cacheBatch(cache: RowCache, list: usize, count: i32): usize {
  sumBatch(cache, list, count);
  let values: usize = 0;
  for (let r = count - 1; r >= 0; r--) {
    values = takeSlot(cache, item(list, r));
    finishRow(cache, item(list, r), r, values);
  }
  return values;
}

/** Computes the sums of listed rows with all rows. */
function sumBatch(cache: RowCache, list: usize, count: i32): void {
  if (cache.wide) computeSums<f64>(cache, list, count);
  else computeSums<f32>(cache, list, count);
}

function computeSums<T>(cache: RowCache, list: usize, count: i32): void {
  const width = panelWidth<T>(), depth = cache.depth, stride = cache.stride;
  const panelBytes = <usize>depth * PANEL_STEP, panel = cache.batch, sums = panel + panelBytes;
  memory.fill(panel, 0, panelBytes);
  for (let r = 0; r < count; r++) {
    const i = item(list, r), to = sums + <usize>(r * stride) * sizeof<T>();
    const from = cache.panels + <usize>(i / width) * panelBytes + <usize>(i % width) * sizeof<T>();
    copyLane<T>(from, panel + <usize>r * sizeof<T>(), panelBytes);
    if (cache.kind >= CHI_SQUARE) kernelSums<T>(cache.kind, from, cache.panels, cache.count, depth, to);
  }
  if (cache.kind < CHI_SQUARE)
    multiplyPanels<T>(panel, cache.panels, depth, sums, stride, count, cache.count * width, 0, 1, false, false);
}

/** Turns the sums of row `index`, place r of the batch, into values. */
function finishRow(cache: RowCache, index: i32, r: i32, values: usize): void {
  if (cache.wide) turnSums<f64>(cache, index, r, values);
  else turnSums<f32>(cache, index, r, values);
}

function turnSums<T>(cache: RowCache, index: i32, r: i32, values: usize): void {
  const sums = cache.batch + <usize>cache.depth * PANEL_STEP + <usize>(r * cache.stride) * sizeof<T>();
  const norm = load<T>(cache.norms + <usize>index * sizeof<T>()), columns = cache.count * panelWidth<T>();
  kernelValues<T, f32>(cache.kind, cache.degree, <T>cache.factor, <T>1, sums, columns, norm, cache.norms, values);
  clearTail<T>(cache, values);
}

/** Copies one row from panel to panel. */
function copyLane<T>(from: usize, to: usize, panelBytes: usize): void {
  for (const end = from + panelBytes; from < end; from += PANEL_STEP, to += PANEL_STEP) store<T>(to, load<T>(from));
}

// Shrinking

/** Takes the listed rows of a list of sparse rows, [begin, end) of `count`, and their norms, padded with zeros. */
export function compactSparse(
  from: usize, fromNorms: usize, list: usize, count: i32,
  to: usize, toNorms: usize, begin: i32, end: i32,
): void {
  for (let a = begin; a < end; a++) {
    const i = a < count ? item(list, a) : -1;
    if (i >= 0) setItem(to, a, item(from, i));
    store<f64>(toNorms + (<usize>a << 3), i >= 0 ? load<f64>(fromNorms + (<usize>i << 3)) : 0);
  }
}

/** Packs the panels [begin, end) of the listed rows and their norms, padded with zeros. */
export function compactPanels<T>(
  from: usize, fromNorms: usize, depth: i32, list: usize, count: i32,
  to: usize, toNorms: usize, begin: i32, end: i32,
): void {
  const width = panelWidth<T>(), panelBytes = <usize>depth * PANEL_STEP;
  for (let p = begin; p < end; p++) {
    for (let lane = 0; lane < width; lane++) {
      const a = p * width + lane, target = to + <usize>p * panelBytes + <usize>lane * sizeof<T>();
      const norm = toNorms + <usize>a * sizeof<T>();
      if (a >= count) {
        clearLane<T>(target, panelBytes);
        store<T>(norm, <T>0);
        continue;
      }
      const i = item(list, a);
      copyLane<T>(from + <usize>(i / width) * panelBytes + <usize>(i % width) * sizeof<T>(), target, panelBytes);
      store<T>(norm, load<T>(fromNorms + <usize>i * sizeof<T>()));
    }
  }
}

function clearLane<T>(to: usize, panelBytes: usize): void {
  for (const end = to + panelBytes; to < end; to += PANEL_STEP) store<T>(to, <T>0);
}

/** Starts to shrink the cache from `rows` rows to the listed ones: slotOf becomes the new number or −1. */
export function beginCompactCache(cache: RowCache, rows: i32, list: usize, count: i32): void {
  memory.fill(cache.slotOf, 0xff, <usize>rows << 2);
  for (let a = 0; a < count; a++) setItem(cache.slotOf, item(list, a), a);
}

/** Moves the rows in the slots [begin, end) to the front, where `kept` are already; returns the new `kept`. */
export function compactSlots(
  cache: RowCache, list: usize, count: i32, stride: i32,
  begin: i32, end: i32, kept: i32,
): i32 {
  const rowBytes = <usize>stride << 2;
  for (let slot = begin; slot < end; slot++) {
    const row = item(cache.slotOf, item(cache.rowIn, slot));
    if (row < 0) continue;
    const target = cache.slots + <usize>kept * rowBytes;
    compactRow(slotAddress(cache, slot), list, list + (<usize>count << 2), target, target + rowBytes);
    setItem(cache.rowIn, kept, row);
    kept++;
  }
  return kept;
}

/** Finishes shrinking: the cache then has `kept` rows of the new length. */
export function endCompactCache(cache: RowCache, rows: i32, stride: i32, bytes: usize, kept: i32): void {
  clearCache(cache, rows, stride, bytes);
  cache.used = kept;
  for (let slot = kept - 1; slot >= 0; slot--) {
    setItem(cache.slotOf, item(cache.rowIn, slot), slot);
    linkAsNewest(cache, slot);
  }
}

@inline export function item(list: usize, index: i32): i32 {
  return load<i32>(list + (<usize>index << 2));
}

@inline export function setItem(list: usize, index: i32, value: i32): void {
  store<i32>(list + (<usize>index << 2), value);
}
