import type { Pausable } from "../parallel/pausable.js";
import { DIGIT_VALUES, DIGITS_PER_HALF, PAIR_BYTES } from "../wasm/wasm-exports.js";
import { type Block, type WasmMemory, wasmMemory } from "../wasm/wasm-memory.js";

/** Rows per kernel call: well below a millisecond of work. */
const ROWS_PER_CALL = 65536;

/**
 * Sorts the indices of up to `capacity` doubles by value, in linear time (radix sort). The sort is stable, and −0 equals 0. NaN
 * is not allowed. All sorts use the memory that the first one allocates; the owner releases it.
 */
export class IndexSorter {
  readonly #capacity: number;
  readonly #memory: WasmMemory;
  #block: Block | undefined;
  #counts = 0;
  /** Each pass moves the pairs from one of these to the other. */
  #pairs = 0;
  #target = 0;
  /** The high halves of the keys, finally the indices. */
  #words = 0;

  constructor(capacity: number, memory = wasmMemory()) {
    this.#capacity = capacity;
    this.#memory = memory;
  }

  /** Returns the indices in ascending order of the values. */
  sort(values: Float64Array): Uint32Array {
    for (const _ of this.#steps(values));
    return this.#indices(values.length);
  }

  /** Sorts with a pause after each millisecond or so. */
  *sortInSteps(values: Float64Array): Pausable<Uint32Array> {
    for (const _ of this.#steps(values)) yield;
    return this.#indices(values.length);
  }

  /** Sorts with a checkpoint after each millisecond or so. */
  async sortWithCheckpoints(
    values: Float64Array,
    checkpoint: () => Promise<void> | undefined,
  ): Promise<Uint32Array> {
    for (const _ of this.#steps(values)) await checkpoint();
    return this.#indices(values.length);
  }

  /** Frees the memory. */
  release(): void {
    if (this.#block) this.#memory.release(this.#block);
    this.#block = undefined;
  }

  #allocate(): Block {
    const countBytes = 4 * DIGIT_VALUES * DIGITS_PER_HALF;
    const block = this.#memory.allocate(countBytes + this.#capacity * (2 * PAIR_BYTES + 4));
    this.#counts = block.pointer;
    this.#pairs = this.#counts + countBytes;
    this.#target = this.#pairs + this.#capacity * PAIR_BYTES;
    this.#words = this.#target + this.#capacity * PAIR_BYTES;
    return block;
  }

  #indices(length: number): Uint32Array {
    return new Uint32Array(this.#memory.i32(this.#words, length));
  }

  *#steps(values: Float64Array): Generator<void, void> {
    const { exports } = this.#memory;
    const { length } = values;
    this.#block ??= this.#allocate();
    // The values are stored where the first pass will move the pairs to.
    this.#memory.f64(this.#target, length).set(values);
    yield* inCalls(length, (first, count) => {
      const pairs = this.#pairs + first * PAIR_BYTES;
      exports.splitKeys(this.#target + first * 8, first, count, pairs, this.#words + first * 4);
    });
    yield* this.#sortByHalf(length);
    yield* inCalls(length, (first, count) => {
      exports.fetchHighs(this.#pairs + first * PAIR_BYTES, count, this.#words);
    });
    yield* this.#sortByHalf(length);
    yield* inCalls(length, (first, count) => {
      exports.takeIndices(this.#pairs + first * PAIR_BYTES, count, this.#words + first * 4);
    });
  }

  /** Sorts the pairs by their half of the key. A digit that all pairs share needs no pass. */
  *#sortByHalf(length: number): Generator<void, void> {
    const { exports } = this.#memory;
    this.#memory.i32(this.#counts, DIGIT_VALUES * DIGITS_PER_HALF).fill(0);
    yield* inCalls(length, (first, count) => {
      exports.countDigits(this.#pairs + first * PAIR_BYTES, count, this.#counts);
    });
    for (let digit = 0; digit < DIGITS_PER_HALF; digit++) {
      const places = this.#counts + digit * DIGIT_VALUES * 4;
      const counts = this.#memory.i32(places, DIGIT_VALUES);
      if (counts.includes(length)) continue;
      countsToPlaces(counts);
      yield* inCalls(length, (first, count) => {
        exports.moveByDigit(this.#pairs + first * PAIR_BYTES, count, digit, places, this.#target);
      });
      [this.#pairs, this.#target] = [this.#target, this.#pairs];
    }
  }
}

/** Up to this many values are sorted at once: some milliseconds. */
const SORTED_AT_ONCE = 2 ** 16;

/** Sorts values in ascending order, with pauses if there are many. NaN is not allowed. */
export function* sortInSteps(values: Float64Array): Pausable<Float64Array> {
  if (values.length <= SORTED_AT_ONCE) return values.sort();
  const sorter = new IndexSorter(values.length);
  try {
    return valuesAt(values, yield* sorter.sortInSteps(values));
  } finally {
    sorter.release();
  }
}

/** Gathers the values at the given indices, four at a time, which takes half as long because the cache misses overlap. */
export function valuesAt(values: Float64Array, indices: Uint32Array): Float64Array {
  const taken = new Float64Array(indices.length);
  let k = 0;
  for (; k + 3 < indices.length; k += 4) {
    const a = values[indices[k]];
    const b = values[indices[k + 1]];
    const c = values[indices[k + 2]];
    const d = values[indices[k + 3]];
    taken[k] = a;
    taken[k + 1] = b;
    taken[k + 2] = c;
    taken[k + 3] = d;
  }
  for (; k < indices.length; k++) taken[k] = values[indices[k]];
  return taken;
}

/** Calls a kernel for some rows at a time, and yields after each call. */
function* inCalls(length: number, call: (first: number, count: number) => void): Generator<void, void> {
  for (let first = 0; first < length; first += ROWS_PER_CALL) {
    call(first, Math.min(ROWS_PER_CALL, length - first));
    yield;
  }
}

/** Turns the counts of a digit's values into the places of the first of each: after all smaller values. */
function countsToPlaces(counts: Int32Array): void {
  let place = 0;
  for (let value = 0; value < counts.length; value++) {
    const count = counts[value];
    counts[value] = place;
    place += count;
  }
}

/**
 * Counts the ascending values at indices [from, to) that are below x. The binary search does not branch on the comparison: it
 * cannot be predicted, and a misprediction costs more than the rest of the step.
 */
export function countBelow(ascending: Float64Array, from: number, to: number, x: number): number {
  let base = from;
  let length = to - from;
  if (length <= 0) return 0;
  while (length > 1) {
    const half = length >>> 1;
    base += half * Number(ascending[base + half - 1] < x);
    length -= half;
  }
  return base - from + Number(ascending[base] < x);
}
