import { alignUp } from "./heap.js";
import { attachKernelMemory, type Block, kernelMemory } from "./memory.js";
import { type Descriptor, Resident } from "./resident.js";
import { VouchError } from "./vouch-error.js";

/** An arena as it is sent to another thread: structured-cloneable. */
export type ArenaDescriptor = Descriptor<Block>;

/** A typed part of an arena. */
export interface Slice<View> {
  /** The address that kernels take. */
  readonly pointer: number;
  readonly length: number;
  /** A new view at each access, valid until the memory grows next: take it once per loop, do not keep it. */
  readonly view: View;
}

/**
 * A block of kernel memory that is handed out from front to back, as scratch of one piece of work. The thread that
 * owns the memory allocates the arena; the thread that does the work attaches it and takes slices.
 */
export class Arena extends Resident<Block> {
  #taken = 0;

  /** An arena for slices of so many bytes in all, each slice rounded up to 64 bytes. */
  static allocate(bytes: number, memory = kernelMemory()): Arena {
    const block = memory.allocate(bytes);
    return new Arena(memory, block, [block]);
  }

  /** The arena that another thread, or this one, has allocated; all of it is free to be taken. */
  static attach({ memory, ...block }: ArenaDescriptor): Arena {
    return new Arena(attachKernelMemory(memory), block, []);
  }

  /** Room for n elements, not cleared. */
  f32(n: number): Slice<Float32Array> {
    return this.#slice(n, 4, (pointer) => this.memory.f32(pointer, n));
  }

  f64(n: number): Slice<Float64Array> {
    return this.#slice(n, 8, (pointer) => this.memory.f64(pointer, n));
  }

  i32(n: number): Slice<Int32Array> {
    return this.#slice(n, 4, (pointer) => this.memory.i32(pointer, n));
  }

  u8(n: number): Slice<Uint8Array> {
    return this.#slice(n, 1, (pointer) => this.memory.u8(pointer, n));
  }

  /** Makes the whole arena free again: slices taken before must not be used any more. */
  reset(): void {
    this.#taken = 0;
  }

  #slice<View>(length: number, elementBytes: number, viewAt: (pointer: number) => View): Slice<View> {
    if (!Number.isSafeInteger(length) || length < 0)
      throw new RangeError(`A slice cannot have ${length} elements.`);
    const bytes = length * elementBytes;
    const left = this.parts.bytes - this.#taken;
    if (bytes > left) {
      throw new VouchError(
        "memory/exhausted",
        `${bytes} bytes are taken from an arena of ${this.parts.bytes} bytes of which ${Math.max(left, 0)} are left.`,
        { hint: "Allocate a larger arena." },
      );
    }
    const pointer = this.parts.pointer + this.#taken;
    this.#taken += alignUp(bytes);
    return {
      pointer,
      length,
      get view() {
        return viewAt(pointer);
      },
    };
  }
}

/** What has to be given back after use. */
interface Releasable {
  release(): void;
}

/** Kernel memory that one piece of work holds, to be given back together, the last first. */
export class HeldMemory {
  readonly #held: Releasable[] = [];

  /** Takes charge of it and gives it back to the caller for use. */
  hold<Kind extends Releasable>(held: Kind): Kind {
    this.#held.push(held);
    return held;
  }

  release(): void {
    for (const held of this.#held.reverse()) held.release();
    this.#held.length = 0;
  }
}

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
