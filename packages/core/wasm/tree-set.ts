/** Sets of bins, 256 bits. */

@inline export function clearSet(set: usize): void {
  v128.store(set, i32x4.splat(0));
  v128.store(set, i32x4.splat(0), 16);
}

@inline export function copySet(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
}

@inline export function addToSet(set: usize, bin: i32): void {
  const word = set + ((bin >> 5) << 2);
  store<u32>(word, load<u32>(word) | (1 << (bin & 31)));
}

/** Returns 1 if a bin is in the set. */
@inline export function isInSet(set: usize, bin: i32): i32 {
  return <i32>(load<u32>(set + ((bin >> 5) << 2)) >> (bin & 31)) & 1;
}
