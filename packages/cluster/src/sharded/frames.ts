import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Size of a header: the lengths of key and content. */
const HEADER = 8;

/** Maximum length of a key, in bytes. */
const MOST_KEY = 256;

/** Maximum length of the content of a message, in bytes. */
const MOST_CONTENT = 500 * 2 ** 20;

export function frameHeader(key: string, content: number): Buffer {
  if (content > MOST_CONTENT) {
    throw new VouchError("data/too-large", `A message of ${content} bytes is too long for shards.`);
  }
  const name = Buffer.from(key);
  const header = Buffer.allocUnsafe(HEADER + name.length);
  header.writeUInt32LE(name.length, 0);
  header.writeUInt32LE(content, 4);
  header.set(name, HEADER);
  return header;
}

/** Parses a stream of messages in pieces of any size. */
export class FrameReader {
  readonly #deliver: (key: string, content: Uint8Array) => void;
  /** The current header, or the current key and content, received so far. */
  #open: Buffer | undefined;
  #filled = 0;
  #header: { readonly key: number; readonly bytes: number } | undefined;

  constructor(deliver: (key: string, content: Uint8Array) => void) {
    this.#deliver = deliver;
  }

  /** Reads a piece of the stream. Throws if a length is too large. */
  read(piece: Buffer): void {
    for (let at = 0; at < piece.length || this.#header?.bytes === 0; ) {
      const wanted = this.#header?.bytes ?? HEADER;
      const left = piece.length - at;
      if (!this.#open && left >= wanted) {
        this.#take(piece.subarray(at, at + wanted));
        at += wanted;
        continue;
      }
      this.#open ??= Buffer.allocUnsafeSlow(wanted);
      const copied = piece.copy(this.#open, this.#filled, at);
      this.#filled += copied;
      at += copied;
      if (this.#filled < wanted) return;
      const whole = this.#open;
      this.#open = undefined;
      this.#filled = 0;
      this.#take(whole);
    }
  }

  /** Processes a complete header, or a complete key with its content. */
  #take(bytes: Buffer): void {
    if (this.#header) {
      const { key } = this.#header;
      this.#header = undefined;
      // Slices of a Buffer would share its memory.
      const content = new Uint8Array(bytes.buffer, bytes.byteOffset + key, bytes.length - key);
      this.#deliver(bytes.toString("utf8", 0, key), content);
      return;
    }
    const [key, content] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
    if (key > MOST_KEY || content > MOST_CONTENT) {
      throw new VouchError("cluster/malformed", "A message between shards is too long.");
    }
    this.#header = { key, bytes: key + content };
  }
}
