import type { Task } from "#core/runtime/executor.js";
import type { KernelMemoryHandle } from "#core/runtime/memory.js";

interface CountInput {
  memory: KernelMemoryHandle;
  team: number;
  counters: number;
  jobs: number;
  workers: number;
  worker: number;
}

export declare const countTogether: Task<CountInput, { own: number; isComplete: boolean }>;
