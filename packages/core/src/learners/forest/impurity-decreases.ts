import { Arena } from "../../runtime/wasm/arena.js";
import type { TreeColumns } from "../tree/tree-columns.js";

/** The sum of a decrease of 1; decreases are below 12, and there are at most 100,000 trees. */
export const DECREASE_UNITS = 2 ** 42;

/**
 * Sums of the decreases of impurity by the splits of each column, over the trees of a forest, in WebAssembly memory. They are integers,
 * i64, which threads add up in any order with the same result. The owner releases them.
 */
export class ImpurityDecreases {
  /** The address of the sums. */
  readonly pointer: number;
  readonly #columns: TreeColumns;
  readonly #arena: Arena;

  constructor(columns: TreeColumns) {
    this.#columns = columns;
    this.#arena = Arena.allocate(8 * columns.columns, columns.memory);
    const { pointer, view } = this.#arena.u8(8 * columns.columns);
    view.fill(0);
    this.pointer = pointer;
  }

  /** Returns the mean over the trees. */
  mean(trees: number): Float64Array {
    const words = this.words();
    return Float64Array.from({ length: words.length / 2 }, (_, j) => {
      const sum = words[2 * j + 1] * 2 ** 32 + (words[2 * j] >>> 0);
      return sum / DECREASE_UNITS / trees;
    });
  }

  /** Copies the sums, two words each. */
  words(): Int32Array {
    return Int32Array.from(this.#columns.memory.i32(this.pointer, 2 * this.#columns.columns));
  }

  release(): void {
    this.#arena.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Adds sums that are given as pairs of words to others. */
export function addDecreases(to: Int32Array, more: Int32Array): void {
  const [sums, own] = [
    new BigInt64Array(Int32Array.from(to).buffer),
    new BigInt64Array(Int32Array.from(more).buffer),
  ];
  for (let j = 0; j < sums.length; j++) sums[j] += own[j];
  to.set(new Int32Array(sums.buffer));
}
