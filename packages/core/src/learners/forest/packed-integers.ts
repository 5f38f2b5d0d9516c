/** Integers that take as few bytes as they need: 1, 2 or 4 each, without the bits at their end that are 0 in all of them. */
export interface PackedIntegers {
  readonly shift: number;
  readonly values: Uint8Array | Uint16Array | Int32Array;
}

/** Packs integers. Sums of votes of trees with pure leaves take one byte each: a vote is a power of two. */
export function packIntegers(integers: Int32Array): PackedIntegers {
  let bits = 0;
  for (let i = 0; i < integers.length; i++) bits |= integers[i];
  const shift = bits === 0 ? 0 : 31 - Math.clz32(bits & -bits);
  const most = bits >>> shift;
  if (most >= 2 ** 16) return { shift: 0, values: integers };
  const values = most < 2 ** 8 ? new Uint8Array(integers.length) : new Uint16Array(integers.length);
  for (let i = 0; i < integers.length; i++) values[i] = integers[i] >>> shift;
  return { shift, values };
}

/** Adds packed integers to others, one by one. */
export function addPacked(to: Int32Array, { shift, values }: PackedIntegers): void {
  for (let i = 0; i < to.length; i++) to[i] += values[i] << shift;
}
