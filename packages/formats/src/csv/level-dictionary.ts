import { reserveMemory } from "vouch/errors";
import { decodeUtf8 } from "../bytes.js";
import { MISSING_MARKERS } from "../cell.js";
import { checkLevels } from "../column-memory.js";
import { keyedHash } from "./keyed-hash.js";

const FIRST_SLOTS = 16;
const FIRST_BYTES = 64;

/** Codes the distinct texts of a column by order of first appearance, straight from UTF-8 bytes. */
export class LevelDictionary {
  readonly levels: string[] = [];
  readonly #column: string;
  /** Hash table with open addressing: a slot holds an entry + 1, or 0 if free. At most half of the slots are taken. */
  #slots = new Int32Array(FIRST_SLOTS);
  #entries = 0;
  #hashes = new Int32Array(FIRST_SLOTS / 2);
  #codes = new Int32Array(FIRST_SLOTS / 2);
  /** The bytes of entry e are ends[e] to ends[e + 1] of the arena. */
  #ends = new Float64Array(FIRST_SLOTS / 2 + 1);
  #arena = new Uint8Array(FIRST_BYTES);

  /** Starts a dictionary; errors name the column. */
  constructor(column: string) {
    this.#column = column;
  }

  /** Returns the code of the text in bytes `from` to `to`; −1 for a missing marker. */
  code(bytes: Uint8Array, from: number, to: number): number {
    const hash = keyedHash(bytes, from, to);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let entry = slots[slot] - 1; entry >= 0; entry = slots[slot] - 1) {
      if (this.#hashes[entry] === hash && this.#holds(entry, bytes, from, to)) return this.#codes[entry];
      slot = (slot + 1) & mask;
    }
    slots[slot] = this.#entries + 1;
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
    const entry = this.#entries++;
    const start = this.#ends[entry];
    const end = start + to - from;
    if (end > this.#arena.length) {
      reserveMemory(`the text of column "${this.#column}"`, 2 * end);
      this.#arena = longer(this.#arena, new Uint8Array(2 * end));
    }
    this.#arena.set(bytes.subarray(from, to), start);
    this.#ends[entry + 1] = end;
    this.#hashes[entry] = hash;
    const text = decodeUtf8(this.#arena, start, end);
    const code = MISSING_MARKERS.has(text) ? -1 : this.levels.push(text) - 1;
    this.#codes[entry] = code;
    if (2 * this.#entries === this.#slots.length) this.#grow();
    return code;
  }

  #grow(): void {
    checkLevels(this.#column, this.#entries);
    const size = 2 * this.#slots.length;
    const slots = new Int32Array(size);
    const mask = size - 1;
    for (let entry = 0; entry < this.#entries; entry++) {
      let slot = this.#hashes[entry] & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry + 1;
    }
    this.#slots = slots;
    this.#hashes = longer(this.#hashes, new Int32Array(size / 2));
    this.#codes = longer(this.#codes, new Int32Array(size / 2));
    this.#ends = longer(this.#ends, new Float64Array(size / 2 + 1));
  }
}

/** Copies the old elements to the start of a longer array. */
function longer<A extends Uint8Array | Int32Array | Float64Array>(old: A, empty: A): A {
  empty.set(old);
  return empty;
}
