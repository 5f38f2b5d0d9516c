/** Random key of this run. Without knowing it, nobody can construct collisions. */
const KEY = crypto.getRandomValues(new Int32Array(2));

/**
 * Hashes bytes `from` to `to` to 32 bits by HalfSipHash-1-3 (Aumasson and Bernstein, 2012), the keyed hash of Linux for
 * hash tables. Without a key, a file of a few megabytes could put all its strings into one slot of a table, and every
 * look-up would scan all of them. The hash differs in each run, so it must not determine an order or be stored.
 */
export function keyedHash(bytes: Uint8Array, from: number, to: number): number {
  let v0 = KEY[0];
  let v1 = KEY[1];
  let v2 = KEY[0] ^ 0x6c796765;
  let v3 = KEY[1] ^ 0x74656462;
  const words = (to - from) >> 2;
  // One round for each word of four bytes, one for the rest and the length, and three to finish.
  for (let round = 0; round < words + 4; round++) {
    const p = from + 4 * round;
    let word = 0;
    if (round < words) word = bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16) | (bytes[p + 3] << 24);
    else if (round === words) word = lastWord(bytes, p, to, to - from);
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
    if (round === words) v2 ^= 0xff;
  }
  return v1 ^ v3;
}

/** Packs the last zero to three bytes, and the length. */
function lastWord(bytes: Uint8Array, from: number, to: number, length: number): number {
  let word = length << 24;
  for (let p = from; p < to; p++) word |= bytes[p] << (8 * (p - from));
  return word;
}
