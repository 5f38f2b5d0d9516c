/** The bins that occur in a node, and the order in which they are moved from right to left. */
import { MISSING } from "./tree-column";
import { BINS, Grower } from "./tree-state";

/** Marks that a bin occurs, in a byte each: bits would wait for each other. */
@inline export function noteBin(flags: usize, bin: usize): void {
  store<u8>(flags + bin, 1);
}

/** Lists the marked bins, ascending, in `order`, clears the marks, and returns their number. */
export function listBins(grower: Grower, highest: i32): i32 {
  const flags = grower.flags, order = grower.order;
  const none = i8x16.splat(0);
  let count = 0;
  for (let first = 0; first <= highest; first += 16) {
    const some = v128.load(flags + first);
    if (!v128.any_true(some)) continue;
    v128.store(flags + first, none);
    let bits = i8x16.bitmask(i8x16.neg(some));
    for (; bits; bits &= bits - 1) {
      store<u8>(order + count, <u8>(first + ctz(bits)));
      count++;
    }
  }
  return count;
}

@inline export function binAt(order: usize, place: i32): i32 {
  return load<u8>(order + place);
}

/** Moves missing cells, the last bin, to the front. */
export function moveMissingToFront(grower: Grower, count: i32): void {
  for (let place = count - 1; place > 0; place--) {
    store<u8>(grower.order + place, load<u8>(grower.order + place - 1));
  }
  store<u8>(grower.order, MISSING);
}
