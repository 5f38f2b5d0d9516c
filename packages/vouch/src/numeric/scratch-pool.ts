import { VouchError } from "../error.js";
import { Arena } from "./arena.js";
import { alignUp } from "./heap.js";
import {
  attachKernelMemory,
  type Block,
  type KernelMemory,
  type KernelMemoryHandle,
  kernelMemory,
} from "./memory.js";

/** A scratch pool as it is sent to another thread: structured-cloneable. */
export interface ScratchPoolDescriptor {
  readonly memory: KernelMemoryHandle;
  readonly pointer: number;
  readonly arenas: number;
  readonly bytes: number;
}

/**
 * As many arenas as tasks run at the same time. There may be many more tasks: each takes an arena that is free when it
 * starts and gives it back when it ends. The thread that owns the memory makes the pool and releases it.
 */
export class ScratchPool {
  readonly #memory: KernelMemory;
  readonly #parts: Omit<ScratchPoolDescriptor, "memory">;
  readonly #block: Block | undefined;

  private constructor(memory: KernelMemory, parts: Omit<ScratchPoolDescriptor, "memory">, block?: Block) {
    this.#memory = memory;
    this.#parts = parts;
    this.#block = block;
  }

  /** A pool of arenas of so many bytes each. */
  static allocate(arenas: number, bytes: number, memory = kernelMemory()): ScratchPool {
    const block = memory.allocate(alignUp(4 * arenas) + arenas * alignUp(bytes));
    memory.i32(block.pointer, arenas).fill(0);
    return new ScratchPool(memory, { pointer: block.pointer, arenas, bytes }, block);
  }

  /** What another thread needs to attach the pool. */
  descriptor(): ScratchPoolDescriptor {
    return { memory: this.#memory.handle, ...this.#parts };
  }

  /** The pool that another thread, or this one, has allocated. */
  static attach({ memory, ...parts }: ScratchPoolDescriptor): ScratchPool {
    return new ScratchPool(attachKernelMemory(memory), parts);
  }

  /** Does the work with an arena of the pool. */
  async with<Result>(work: (arena: Arena) => Promise<Result>): Promise<Result> {
    const { pointer, arenas, bytes } = this.#parts;
    const index = this.#take();
    try {
      const first = pointer + alignUp(4 * arenas);
      const arena = { memory: this.#memory.handle, pointer: first + index * alignUp(bytes), bytes };
      return await work(Arena.attach(arena));
    } finally {
      Atomics.store(this.#taken(), index, 0);
    }
  }

  /** Gives the memory back, if this object has allocated it. */
  release(): void {
    if (this.#block) this.#memory.release(this.#block);
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #taken(): Int32Array {
    return this.#memory.i32(this.#parts.pointer, this.#parts.arenas);
  }

  #take(): number {
    const taken = this.#taken();
    for (let index = 0; index < taken.length; index++) {
      if (Atomics.compareExchange(taken, index, 0, 1) === 0) return index;
    }
    throw new VouchError("memory/exhausted", `More than ${taken.length} tasks run on scratch for as many.`);
  }
}
