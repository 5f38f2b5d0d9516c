import type { Task } from "#core/runtime/parallel/executor.js";
import type { RangeTask } from "#core/runtime/parallel/for-ranges.js";
import type { WasmMemory, WasmMemoryHandle } from "#core/runtime/wasm/wasm-memory.js";

export interface Source {
  readonly memory: WasmMemory;
  readonly pointer: number;
  readonly length: number;
}

export const square: RangeTask<
  { values: Float64Array; squares: Float64Array; begin: number; end: number },
  number[]
>;
export const sumLayout: (length: number) => {
  partial: ReturnType<typeof import("#core/runtime/wasm/arena.js").f64>;
};
export const sumUp: RangeTask<{ source: Source; begin: number; end: number }, { sum: number; left: number }>;
export const inspect: Task<
  { first: Source; second: Source[]; names: string[]; handle: WasmMemoryHandle },
  { same: boolean; read: number[]; kind: string; names: string[]; handle: string }
>;
