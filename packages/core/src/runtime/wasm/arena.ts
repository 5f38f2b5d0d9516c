import { VouchError } from "../vouch-error.js";
import { alignUp } from "./heap.js";
import { attachWasmMemory, type Block, wasmMemory } from "./wasm-memory.js";
import { type Descriptor, WasmStructure } from "./wasm-structure.js";

/** An arena as it is sent to another thread; structured-cloneable. */
export type ArenaDescriptor = Descriptor<Block>;

/** A typed slice of an arena. */
export interface Slice<View> {
  /** Address for kernels. */
  readonly pointer: number;
  readonly length: number;
  /** A new view at each access, valid until the memory grows: take it once per loop and do not keep it. */
  readonly view: View;
}

/**
 * Scratch memory of one task: a block of WebAssembly memory that is handed out from front to back. The thread that owns the memory
 * allocates the arena; the thread that does the work attaches it and takes slices.
 */
export class Arena extends WasmStructure<Block> {
  #taken = 0;

  /** Allocates an arena; `bytes` is the total of all slices, each rounded up to 64 bytes. */
  static allocate(bytes: number, memory = wasmMemory()): Arena {
    const block = memory.allocate(bytes);
    return new Arena(memory, block, [block]);
  }

  /** Attaches an arena that this or another thread allocated; all of it is free. */
  static attach({ memory, ...block }: ArenaDescriptor): Arena {
    return new Arena(attachWasmMemory(memory), block, []);
  }

  /** Bytes of all slices together. */
  get bytes(): number {
    return this.parts.bytes;
  }

  /** Takes a slice of n elements, not cleared. */
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

  /** Frees the whole arena: slices taken before must not be used again. */
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
        `Cannot take ${bytes} bytes from an arena of ${this.parts.bytes} bytes with ${Math.max(left, 0)} left.`,
        { hint: "Allocate a larger arena." },
      );
    }
    const pointer = this.parts.pointer + this.#taken;
    this.#taken += alignUp(bytes);
    return new ArenaSlice(pointer, length, viewAt);
  }
}

/** A class, because solvers of small problems take many slices: objects with a getter of their own are slow to make. */
class ArenaSlice<View> implements Slice<View> {
  readonly pointer: number;
  readonly length: number;
  readonly #viewAt: (pointer: number) => View;

  constructor(pointer: number, length: number, viewAt: (pointer: number) => View) {
    this.pointer = pointer;
    this.length = length;
    this.#viewAt = viewAt;
  }

  get view(): View {
    return this.#viewAt(this.pointer);
  }
}

interface Releasable {
  release(): void;
}

/** WebAssembly memory of one piece of work, released together, the last allocation first. */
export class Scope {
  readonly #held: Releasable[] = [];

  /** Adds an allocation to the scope and returns it. */
  hold<Kind extends Releasable>(held: Kind): Kind {
    this.#held.push(held);
    return held;
  }

  release(): void {
    for (const held of this.#held.reverse()) held.release();
    this.#held.length = 0;
  }
}

interface PoolParts {
  /** Address of one word per arena, 1 while it is in use; the arenas follow. */
  readonly pointer: number;
  readonly arenas: number;
  /** Size of each arena. */
  readonly bytes: number;
}

/** A scratch pool as it is sent to another thread; structured-cloneable. */
export type ArenaPoolDescriptor = Descriptor<PoolParts>;

/**
 * As many arenas as tasks run at the same time. There may be many more tasks: each takes a free arena when it starts and gives
 * it back when it ends. The thread that owns the memory allocates and releases the pool.
 */
export class ArenaPool extends WasmStructure<PoolParts> {
  /** Allocates a pool of arenas of `bytes` each. */
  static allocate(arenas: number, bytes: number, memory = wasmMemory()): ArenaPool {
    const block = memory.allocate(alignUp(4 * arenas) + arenas * alignUp(bytes));
    memory.i32(block.pointer, arenas).fill(0);
    return new ArenaPool(memory, { pointer: block.pointer, arenas, bytes }, [block]);
  }

  /** Attaches a pool that this or another thread allocated. */
  static attach({ memory, ...parts }: ArenaPoolDescriptor): ArenaPool {
    return new ArenaPool(attachWasmMemory(memory), parts, []);
  }

  /** Runs work with an arena of the pool. */
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
    throw new VouchError(
      "memory/exhausted",
      `More than ${taken.length} tasks share a scratch pool of ${taken.length} arenas.`,
    );
  }
}
