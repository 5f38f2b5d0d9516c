import { CHI_SQUARE } from "./kernel-values";
import { BATCH, cacheBatch, cachedRow, item, RowCache, setItem, useSlot } from "./row-cache";
import { singles, Smo } from "./smo-state";

/**
 * When a row must be computed, others that will be needed soon are computed with it: uncached rows that violate the optimality
 * conditions most, on either side. A batch reads the sample once for all its rows, and nine of ten prefetched rows are used.
 */

/** Returns the address of row i of a cached kernel. A computed row comes with some that can rise and some that can fall. */
export function fetchRow(smo: Smo, i: i32, risers: i32, fallers: i32): usize {
  const cache = changetype<RowCache>(smo.cache);
  const slot = item(cache.slotOf, i);
  if (slot >= 0) return useSlot(cache, slot);
  // Only products of packed rows are faster in batches.
  if (cache.kind >= CHI_SQUARE || cache.sparse != 0) return cachedRow(cache, i);
  const list = cache.scratch;
  setItem(list, 0, i);
  let count = appendViolators(smo, cache, true, list, 1, 1 + risers);
  count = appendViolators(smo, cache, false, list, count, min(count + fallers, BATCH));
  return cacheBatch(cache, list, count);
}

/** Appends to the list, up to length `end`, the rows with the largest G that can rise, or the smallest that can fall. */
function appendViolators(smo: Smo, cache: RowCache, rising: bool, list: usize, begin: i32, end: i32): i32 {
  let count = begin, threshold: f32 = -Infinity;
  const shift = f64x2.splat(smo.shift);
  for (let i = 0; i < smo.padded; i += 4) {
    const violations = rising ? risingValues(smo, i, shift) : f32x4.neg(v128.load(smo.falling + (<usize>i << 2)));
    if (!v128.any_true(f32x4.gt(violations, f32x4.splat(threshold)))) continue;
    for (let j = i; j < min(i + 4, smo.size); j++) {
      const violation = violationOf(smo, rising, j);
      if (!(violation > threshold) || item(cache.slotOf, j) >= 0 || contains(list, begin, j)) continue;
      // The list is sorted from `begin` on; the last entry is replaced.
      let place = count < end ? count++ : end - 1;
      while (place > begin && violationOf(smo, rising, item(list, place - 1)) < violation) {
        setItem(list, place, item(list, place - 1));
        place--;
      }
      setItem(list, place, j);
      if (count == end) threshold = violationOf(smo, rising, item(list, end - 1));
    }
  }
  return count;
}

/** Returns G − shift of four rows, −∞ where β cannot rise. */
@inline function risingValues(smo: Smo, i: i32, shift: v128): v128 {
  const g = smo.gradient + (<usize>i << 3);
  const shifted = singles(f64x2.sub(v128.load(g), shift), f64x2.sub(v128.load(g, 16), shift));
  return f32x4.add(shifted, v128.load(smo.rise + (<usize>i << 2)));
}

/** Returns the same of one row; negated for rows that are to fall. */
@inline function violationOf(smo: Smo, rising: bool, i: i32): f32 {
  if (!rising) return -load<f32>(smo.falling + (<usize>i << 2));
  return <f32>(load<f64>(smo.gradient + (<usize>i << 3)) - smo.shift) + load<f32>(smo.rise + (<usize>i << 2));
}

@inline function contains(list: usize, count: i32, row: i32): bool {
  for (let r = 0; r < count; r++) if (item(list, r) == row) return true;
  return false;
}
