import { VouchError } from "../error.js";
import { Arena } from "./arena.js";
import { alignUp } from "./heap.js";
import { attachKernelMemory, kernelMemory } from "./memory.js";
import { type Descriptor, Resident } from "./resident.js";

interface Parts {
  /** The address of a word for each arena, which says whether it is taken; the arenas are behind them. */
  readonly pointer: number;
  readonly arenas: number;
  /** Of each. */
  readonly bytes: number;
}

/** A scratch pool as it is sent to another thread: structured-cloneable. */
export type ScratchPoolDescriptor = Descriptor<Parts>;

/**
 * As many arenas as tasks run at the same time. There may be many more tasks: each takes an arena that is free when it
 * starts and gives it back when it ends. The thread that owns the memory makes the pool and releases it.
 */
export class ScratchPool extends Resident<Parts> {
  /** A pool of arenas of so many bytes each. */
  static allocate(arenas: number, bytes: number, memory = kernelMemory()): ScratchPool {
    const block = memory.allocate(alignUp(4 * arenas) + arenas * alignUp(bytes));
    memory.i32(block.pointer, arenas).fill(0);
    return new ScratchPool(memory, { pointer: block.pointer, arenas, bytes }, [block]);
  }

  /** The pool that another thread, or this one, has allocated. */
  static attach({ memory, ...parts }: ScratchPoolDescriptor): ScratchPool {
    return new ScratchPool(attachKernelMemory(memory), parts, []);
  }

  /** Does the work with an arena of the pool. */
  async with<Result>(work: (arena: Arena) => Promise<Result>): Promise<Result> {
    const { pointer, arenas, bytes } = this.parts;
    const index = this.#take();
    try {
      const first = pointer + alignUp(4 * arenas);
      const arena = { memory: this.memory.handle, pointer: first + index * alignUp(bytes), bytes };
      return await work(Arena.attach(arena));
    } finally {
      Atomics.store(this.#taken(), index, 0);
    }
  }

  #taken(): Int32Array {
    return this.memory.i32(this.parts.pointer, this.parts.arenas);
  }

  #take(): number {
    const taken = this.#taken();
    for (let index = 0; index < taken.length; index++) {
      if (Atomics.compareExchange(taken, index, 0, 1) === 0) return index;
    }
    throw new VouchError("memory/exhausted", `More than ${taken.length} tasks run on scratch for as many.`);
  }
}
