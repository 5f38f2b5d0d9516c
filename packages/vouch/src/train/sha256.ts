/** A SHA-256 digest of bytes that come in blocks. */
export interface Sha256 {
  update(block: Uint8Array): void;
  /** Returns the digest of all blocks as 64 hexadecimal digits. */
  hex(): Promise<string>;
}

/** Bytes that are hashed, read or written at once: little enough that signals and timers are soon heard in between. */
const BLOCK_BYTES = 1 << 22;

/** Yields consecutive views of at most 4 MiB on part of a buffer, which may be too large for one view. */
export function* blocksOf(buffer: ArrayBufferLike, start: number, length: number): Generator<Uint8Array> {
  for (let done = 0; done < length; done += BLOCK_BYTES) {
    yield new Uint8Array(buffer, start + done, Math.min(BLOCK_BYTES, length - done));
  }
}

/** Begins a digest. Node computes it block by block; browsers can only hash one array, so they collect the blocks first. */
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
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    },
  };
}
