import { decodeUtf8 } from "../bytes.js";
import { MISSING_MARKERS } from "../cell.js";

const FIRST_SLOTS = 16;
const FIRST_BYTES = 64;

/** Codes the distinct texts of a column by order of first appearance, straight from UTF-8 bytes. */
export class LevelDictionary {
  readonly levels: string[] = [];
  /** Hash table with open addressing: a slot holds an entry + 1, or 0 if free. At most half of the slots are taken. */
  #slots = new Int32Array(FIRST_SLOTS);
  readonly #hashes: number[] = [];
  readonly #codes: number[] = [];
  /** The bytes of entry e are ends[e] to ends[e + 1] of the arena. */
  readonly #ends: number[] = [0];
  #arena = new Uint8Array(FIRST_BYTES);

  /** Returns the code of the text in bytes `from` to `to`; −1 for a missing marker. */
  code(bytes: Uint8Array, from: number, to: number): number {
    // FNV-1a.
    let hash = -2128831035;
    for (let p = from; p < to; p++) hash = Math.imul(hash ^ bytes[p], 16777619);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let entry = slots[slot] - 1; entry >= 0; entry = slots[slot] - 1) {
      if (this.#hashes[entry] === hash && this.#holds(entry, bytes, from, to)) return this.#codes[entry];
      slot = (slot + 1) & mask;
    }
    slots[slot] = this.#hashes.length + 1;
    return this.#add(hash, bytes, from, to);
  }

  #holds(entry: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#ends[entry];
    if (this.#ends[entry + 1] - start !== to - from) return false;
    const arena = this.#arena;
    for (let p = from; p < to; p++) if (arena[start + p - from] !== bytes[p]) return false;
    return true;
  }

  #add(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const start = this.#ends[this.#hashes.length];
    const end = start + to - from;
    if (end > this.#arena.length) {
      const longer = new Uint8Array(2 * end);
      longer.set(this.#arena.subarray(0, start));
      this.#arena = longer;
    }
    this.#arena.set(bytes.subarray(from, to), start);
    this.#ends.push(end);
    this.#hashes.push(hash);
    const text = decodeUtf8(this.#arena, start, end);
    const code = MISSING_MARKERS.has(text) ? -1 : this.levels.push(text) - 1;
    this.#codes.push(code);
    if (2 * this.#hashes.length > this.#slots.length) this.#rehash();
    return code;
  }

  #rehash(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    this.#hashes.forEach((hash, entry) => {
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry + 1;
    });
    this.#slots = slots;
  }
}
