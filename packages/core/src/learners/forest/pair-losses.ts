import type { TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { Arena, Scope } from "../../runtime/wasm/arena.js";
import { VOTE_LOSS_UNITS } from "../../runtime/wasm/wasm-exports.js";
import { attachWasmMemory, type WasmMemory, type WasmMemoryHandle } from "../../runtime/wasm/wasm-memory.js";
import { executorFor } from "../tree/tree-columns.js";
import { type OutOfBagPlaces, paddedRows } from "./tree-voter.js";

/** Trees whose products with all trees before them are one task: an even number. */
const TREES_PER_TASK = 8;

/** Products of losses that are summed in a millisecond, very roughly; only for estimates of time. */
const PRODUCTS_PER_MILLISECOND = 5_000_000;

/** For each pair of trees b ≤ a, at place a(a + 1) / 2 + b. */
export interface PairSums {
  /** The sum of the products of their losses, over the measured rows that neither has seen. */
  readonly products: Float64Array;
  /** The number of these rows. */
  readonly rows: ArrayLike<number>;
}

interface PairInput extends Pick<OutOfBagPlaces, "measured" | "losses" | "bits"> {
  readonly memory: WasmMemoryHandle;
  readonly begin: number;
  readonly end: number;
  readonly products: number;
  readonly rows: number;
}

/** Sums the products of the losses of all pairs of trees on the threads of the run; losses are integers, so sums are exact. */
export async function pairSums(
  { measured, losses, bits }: OutOfBagPlaces,
  trees: number,
  memory: WasmMemory,
  run: Run,
): Promise<PairSums> {
  const pairs = (trees * (trees + 1)) / 2;
  const held = new Scope();
  try {
    const products = held.hold(Arena.allocate(8 * pairs, memory)).f64(pairs);
    const rows = held.hold(Arena.allocate(4 * pairs, memory)).i32(pairs);
    products.view.fill(0);
    const common = { memory: memory.handle, measured, losses, bits };
    const inputs = Array.from({ length: Math.ceil(trees / TREES_PER_TASK) }, (_, k): PairInput => {
      const begin = k * TREES_PER_TASK;
      const end = Math.min(trees, begin + TREES_PER_TASK);
      return { ...common, begin, end, products: products.pointer, rows: rows.pointer };
    });
    // The last trees have the most pairs.
    await executorFor({ memory }, run).map(pairTask, inputs.reverse(), {
      ...(run.signal && { signal: run.signal }),
      milliseconds: (pairs * paddedRows(measured)) / PRODUCTS_PER_MILLISECOND,
    });
    return {
      products: products.view.map((sum) => sum / (VOTE_LOSS_UNITS * VOTE_LOSS_UNITS)),
      rows: rows.view.slice(),
    };
  } finally {
    held.release();
  }
}

const pairTask = defineTask(
  "forest/pairs",
  async (
    { memory, losses, bits, measured, begin, end, products, rows }: PairInput,
    context: TaskContext,
  ): Promise<void> => {
    const { exports } = attachWasmMemory(memory);
    for (let from = begin; from < end; from += 2) {
      exports.treePairLosses(losses, bits, measured, from, Math.min(end, from + 2), products, rows);
      await context.checkpoint();
    }
  },
);
