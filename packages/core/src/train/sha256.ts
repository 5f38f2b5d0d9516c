import * as real from "../runtime/maths/portable-math.js";

/** A SHA-256 digest of bytes that come in blocks. */
export interface Sha256 {
  update(block: Uint8Array): void;
  /** Returns the digest of all blocks as 64 hexadecimal digits. */
  hex(): Promise<string>;
}

/** Number of bytes to hash, read or write at once: few enough that signals and timers are handled soon. */
const BLOCK_BYTES = 1 << 22;

/** Yields consecutive views of at most 4 MiB on part of a buffer, which may be too large for one view. */
export function* blocksOf(buffer: ArrayBufferLike, start: number, length: number): Generator<Uint8Array> {
  for (let done = 0; done < length; done += BLOCK_BYTES) {
    yield new Uint8Array(buffer, start + done, Math.min(BLOCK_BYTES, length - done));
  }
}

/**
 * Starts a digest. Node computes it block by block; browsers can only hash one array, so they collect the blocks first.
 */
export function sha256(): Sha256 {
  const hash = globalThis.process?.getBuiltinModule?.("node:crypto").createHash("sha256");
  if (!hash) return collectedSha256();
  return { update: (block) => void hash.update(block), hex: async () => hash.digest("hex") };
}

function collectedSha256(): Sha256 {
  const blocks: Uint8Array[] = [];
  return {
    update: (block) => void blocks.push(block),
    async hex() {
      const all = new Uint8Array(blocks.reduce((length, block) => length + block.length, 0));
      let place = 0;
      for (const block of blocks) {
        all.set(block, place);
        place += block.length;
      }
      // Pages on plain http have no `subtle`.
      const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
      const digest = subtle ? new Uint8Array(await subtle.digest("SHA-256", all)) : sha256Digest(all);
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    },
  };
}

/** Computes the digest of bytes without platform support (FIPS 180-4, sections 5.1.1 and 6.2.2). */
export function sha256Digest(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(64 * Math.ceil((message.length + 9) / 64));
  padded.set(message);
  padded[message.length] = 0x80;
  const words = new DataView(padded.buffer);
  words.setBigUint64(padded.length - 8, 8n * BigInt(message.length));
  const hash = FRACTIONS.roots.slice();
  const schedule = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let t = 0; t < 16; t++) schedule[t] = words.getInt32(block + 4 * t);
    for (let t = 16; t < 64; t++) {
      const [w15, w2] = [schedule[t - 15], schedule[t - 2]];
      const s0 = rotated(w15, 7) ^ rotated(w15, 18) ^ (w15 >>> 3);
      const s1 = rotated(w2, 17) ^ rotated(w2, 19) ^ (w2 >>> 10);
      schedule[t] = schedule[t - 16] + s0 + schedule[t - 7] + s1;
    }
    compress(hash, schedule);
  }
  const digest = new DataView(new ArrayBuffer(32));
  hash.forEach((word, i) => {
    digest.setInt32(4 * i, word);
  });
  return new Uint8Array(digest.buffer);
}

/** Adds a block to the hash. */
function compress(hash: Int32Array, schedule: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = hash;
  for (let t = 0; t < 64; t++) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const first = (h + s1 + ((e & f) ^ (~e & g)) + FRACTIONS.cubeRoots[t] + schedule[t]) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    hash[i] += word;
  });
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits of the fractions of square roots of the first 8 primes, and of cube roots of the first 64. */
const FRACTIONS = fractionsOfRoots();

function fractionsOfRoots() {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
  return {
    roots: Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    cubeRoots: Int32Array.from(primes, (prime) => fraction(real.exp(real.log(prime) / 3))),
  };
}
