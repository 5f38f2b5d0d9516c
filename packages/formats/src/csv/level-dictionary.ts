import { reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { isMissingMarker } from "@vouch/core/internal/table/missing-markers";
import { decodeUtf8 } from "../bytes.js";
import { checkLevels } from "../column-memory.js";
import { keyedHash } from "./keyed-hash.js";

const FIRST_SLOTS = 8;
const FIRST_BYTES = 32;
const MOST_BYTES = 2 ** 31 - 1;

/**
 * Words per entry: the start of its bytes in the arena, its hash and its code. Its bytes end where the next entry
 * starts.
 */
const WORDS = 3;

/**
 * The strings of a dictionary in the order of their codes, as UTF-8. String i ends at `ends[i]`, where the next one
 * starts.
 */
export interface PackedLevels {
  readonly bytes: Uint8Array;
  readonly ends: Int32Array;
}

/** Assigns codes to the distinct strings of a column by order of first appearance, directly from UTF-8 bytes. */
export class LevelDictionary {
  readonly levels: string[] = [];
  readonly #column: string;
  readonly #missing: ReadonlySet<string>;
  /**
   * Hash table with open addressing. A slot contains an entry + 1, or 0 if it is free; at most half of the slots are
   * taken.
   */
  #slots = new Int32Array(FIRST_SLOTS);
  #size = 0;
  #entries = new Int32Array((WORDS * FIRST_SLOTS) / 2 + 1);
  #arena = new Uint8Array(FIRST_BYTES);

  /**
   * Creates a dictionary; errors name the column.
   *
   * @param missing additional words for missing values
   */
  constructor(column: string, missing: ReadonlySet<string> = new Set()) {
    this.#column = column;
    this.#missing = missing;
  }

  /** Returns the code of the string in bytes `from` to `to`; −1 for a missing marker. */
  code(bytes: Uint8Array, from: number, to: number): number {
    const hash = keyedHash(bytes, from, to);
    const slots = this.#slots;
    const entries = this.#entries;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let taken = slots[slot]; taken > 0; taken = slots[slot]) {
      const entry = WORDS * (taken - 1);
      if (entries[entry + 1] === hash && this.#holds(entry, bytes, from, to)) return entries[entry + 2];
      slot = (slot + 1) & mask;
    }
    slots[slot] = this.#size + 1;
    return this.#add(hash, bytes, from, to);
  }

  /** Packs the levels, so that another thread can add them to its own. */
  pack(): PackedLevels {
    const bytes = new Uint8Array(this.#entries[WORDS * this.#size]);
    const ends = new Int32Array(this.levels.length);
    let length = 0;
    for (let entry = 0; entry < WORDS * this.#size; entry += WORDS) {
      const code = this.#entries[entry + 2];
      if (code < 0) continue;
      const text = this.#arena.subarray(this.#entries[entry], this.#entries[entry + WORDS]);
      bytes.set(text, length);
      length += text.length;
      ends[code] = length;
    }
    return { bytes: bytes.subarray(0, length), ends };
  }

  /** Adds packed levels; returns the code of each. */
  addAll({ bytes, ends }: PackedLevels): Int32Array {
    let from = 0;
    return ends.map((end) => {
      const code = this.code(bytes, from, end);
      from = end;
      return code;
    });
  }

  #holds(entry: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#entries[entry];
    if (this.#entries[entry + WORDS] - start !== to - from) return false;
    const arena = this.#arena;
    for (let p = from; p < to; p++) if (arena[start + p - from] !== bytes[p]) return false;
    return true;
  }

  #add(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const entry = WORDS * this.#size++;
    const start = this.#entries[entry];
    const end = start + to - from;
    if (end > this.#arena.length) this.#growArena(end);
    this.#arena.set(bytes.subarray(from, to), start);
    const text = decodeUtf8(this.#arena, start, end);
    const code = isMissingMarker(text) || this.#missing.has(text) ? -1 : this.levels.push(text) - 1;
    this.#entries[entry + 1] = hash;
    this.#entries[entry + 2] = code;
    this.#entries[entry + WORDS] = end;
    if (2 * this.#size === this.#slots.length) this.#growTable();
    return code;
  }

  #growTable(): void {
    checkLevels(this.#column, this.#size);
    const slots = new Int32Array(2 * this.#slots.length);
    const entries = new Int32Array(WORDS * this.#slots.length + 1);
    entries.set(this.#entries);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = entries[WORDS * number + 1] & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
    this.#entries = entries;
  }

  #growArena(length: number): void {
    if (length > MOST_BYTES) {
      throw new VouchError(
        "data/too-large",
        `Column "${this.#column}" has more than 2 GB of different texts.`,
        {
          hint: "Leave the column out with --ignore.",
        },
      );
    }
    const longer = new Uint8Array(Math.min(2 * length, MOST_BYTES));
    reserveMemory(`the text of column "${this.#column}"`, longer.length);
    longer.set(this.#arena);
    this.#arena = longer;
  }
}
