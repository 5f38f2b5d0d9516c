import { i32, Scope, type Slice } from "../../runtime/wasm/arena.js";
import type { TreeColumns } from "../tree/tree-columns.js";

/** The sum of a decrease of 1; decreases are below 12, and there are at most 100,000 trees. */
export const DECREASE_UNITS = 2 ** 42;

/**
 * Sums of the decreases of impurity by the splits of each column, over the trees of a forest, in WebAssembly memory. They are integers,
 * i64, which threads add up in any order with the same result. The owner releases them.
 */
export class ImpurityDecreases {
  readonly #scope = new Scope();
  /** Two words for each column. */
  readonly #sums: Slice<Int32Array>;

  constructor({ columns, memory }: TreeColumns) {
    this.#sums = this.#scope.take({ sums: i32(2 * columns) }, memory).sums;
    this.#sums.view.fill(0);
  }

  /** The address of the sums. */
  get pointer(): number {
    return this.#sums.pointer;
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
    return Int32Array.from(this.#sums.view);
  }

  release(): void {
    this.#scope.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Adds sums that are given as pairs of words to other sums. */
export function addDecreases(to: Int32Array, more: Int32Array): void {
  const [sums, added] = [
    new BigInt64Array(Int32Array.from(to).buffer),
    new BigInt64Array(Int32Array.from(more).buffer),
  ];
  for (let j = 0; j < sums.length; j++) sums[j] += added[j];
  to.set(new Int32Array(sums.buffer));
}
