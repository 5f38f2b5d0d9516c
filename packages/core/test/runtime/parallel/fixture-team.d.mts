import type { Task } from "#core/runtime/parallel/executor.js";
import type { WasmMemoryHandle } from "#core/runtime/wasm/wasm-memory.js";

interface CountInput {
  memory: WasmMemoryHandle;
  team: number;
  counters: number;
  jobs: number;
  workers: number;
  worker: number;
}

export declare const countTogether: Task<CountInput, { own: number; isComplete: boolean }>;
