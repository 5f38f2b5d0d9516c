import { definePausableRangeTask, forRanges } from "../parallel/for-ranges.js";
import { type Pausable, runNow, runOnThreads, type Threads } from "../parallel/pausable.js";
import { Scope } from "../wasm/arena.js";
import { PANEL_WIDTH, type Precision } from "../wasm/wasm-exports.js";
import { type WasmMemory, wasmMemory } from "../wasm/wasm-memory.js";
import type { Matrix } from "./matrix.js";
import { type Panels, packRows, precisionOf } from "./product.js";
import { WasmMatrix } from "./wasm-matrix.js";

/** A range of panels; `end` is exclusive. */
export type PanelRange = readonly [begin: number, end: number];

/** Multiplications per kernel call: a millisecond or two. */
const WORK_PER_CALL = 2 ** 24;

/** Parts of equal work per thread, so that no thread waits long for the last one. */
export const PARTS_PER_THREAD = 8;

/** Counts the multiplications in the lower triangle of the first `count` panels. */
export function workUpTo(count: number, { depth, precision }: Panels): number {
  return ((count * (count + 1)) / 2) * PANEL_WIDTH[precision] ** 2 * depth;
}

/** Splits a range into ranges of about `work` multiplications, but of at least one panel. */
export function splitByWork(panels: Panels, [begin, end]: PanelRange, work: number): PanelRange[] {
  const ranges: PanelRange[] = [];
  let first = begin;
  for (let next = begin + 1; next <= end; next++) {
    if (next < end && workUpTo(next + 1, panels) - workUpTo(first, panels) <= work) continue;
    ranges.push([first, next]);
    first = next;
  }
  return ranges;
}

/** How to compute a Gram matrix. */
export interface GramOptions {
  /** Precision of the computation and of the result; the default is that of the matrix. */
  readonly precision?: Precision;
}

/** Rough operations of a multiplication, of many at a time. */
const MULTIPLICATION = { f32: 1 / 20, f64: 1 / 10 } as const;

/**
 * Computes the Gram matrix X · Xᵀ, the scalar products of all rows of X, on this thread. The result is symmetric to the last bit.
 * It stays in WebAssembly memory: read it through `.matrix`, and `.release()` it when done.
 */
export function gram(matrix: Matrix, options: GramOptions = {}): WasmMatrix {
  return runNow(gramInSteps(matrix, options));
}

/** Computes the same Gram matrix as `gram`, to the last bit, on all threads of the run. */
export async function gramOnThreads(
  matrix: Matrix,
  run: Threads,
  options: GramOptions = {},
): Promise<WasmMatrix> {
  return await runOnThreads(gramInSteps(matrix, options), run);
}

function* gramInSteps(
  matrix: Matrix,
  { precision = precisionOf(matrix) }: GramOptions,
): Pausable<WasmMatrix> {
  using scope = new Scope();
  const memory = wasmMemory();
  const result = scope.hold(WasmMatrix.allocate(matrix.rows, matrix.rows, precision, memory));
  const panels = packRows(matrix, precision, memory);
  scope.hold({ release: () => memory.release(panels.block) });
  const work = (end: number) => MULTIPLICATION[precision] * workUpTo(end, panels);
  yield* forRanges(gramTask, { count: panels.count, work }, (begin, end) => ({
    memory,
    panels,
    to: result.pointer,
    rows: matrix.rows,
    range: [begin, end] as const,
  }));
  return scope.leave(result);
}

interface GramInput {
  readonly memory: WasmMemory;
  readonly panels: Panels;
  /** The address of the Gram matrix, and its number of rows. */
  readonly to: number;
  readonly rows: number;
  readonly range: PanelRange;
}

/** Computes the rows of a range of panels up to the diagonal, and their mirror image above it. */
const gramTask = definePausableRangeTask(
  "runtime/maths/gram",
  function* ({ memory, panels, to, rows, range }: GramInput): Pausable<void> {
    const { gram32, gram64 } = memory.exports;
    const compute = panels.precision === "f32" ? gram32 : gram64;
    for (const [begin, end] of splitByWork(panels, range, WORK_PER_CALL)) {
      compute(panels.pointer, panels.depth, to, rows, rows, begin, end);
      yield;
    }
  },
);
