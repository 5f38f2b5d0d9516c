/** Shortest match; stored lengths count from it. */
const SHORTEST_MATCH = 4;

/** Decompresses an LZ4 block into an array of the right size; returns the part that it fills. */
export function lz4Decompress(input: Uint8Array, output: Uint8Array): Uint8Array {
  let at = 0;
  let to = 0;
  /** Reads the rest of a length whose first four bits are all ones. */
  const lengthOf = (bits: number): number => {
    let length = bits;
    for (let byte = bits === 15 ? 255 : 0; byte === 255; length += byte) {
      byte = input[at++] ?? 256;
      if (byte === 256) throw new Error("LZ4 data ends too early");
    }
    return length;
  };
  while (at < input.length) {
    const token = input[at++];
    const literals = lengthOf(token >> 4);
    if (at + literals > input.length || to + literals > output.length) throw new Error("LZ4 data is damaged");
    output.set(input.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    // The last sequence has no match.
    if (at === input.length) break;
    const offset = input[at] + 256 * input[at + 1];
    at += 2;
    const length = lengthOf(token & 15) + SHORTEST_MATCH;
    if (!(offset > 0 && offset <= to) || to + length > output.length) throw new Error("LZ4 data is damaged");
    // Matches may overlap themselves.
    for (const end = to + length; to < end; to++) output[to] = output[to - offset];
  }
  return output.subarray(0, to);
}
