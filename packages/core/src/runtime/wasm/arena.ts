import { VouchError } from "../vouch-error.js";
import { alignUp } from "./heap.js";
import { type Block, type WasmMemory, wasmMemory } from "./wasm-memory.js";
import { type Releasable, WasmStructure } from "./wasm-structure.js";

/** Views of the element types of a layout. */
interface Views {
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly i32: Int32Array;
  readonly u16: Uint16Array;
  readonly u8: Uint8Array;
}

const ELEMENT_SIZES = { f32: 4, f64: 8, i32: 4, u16: 2, u8: 1 } as const;

/** An array of a layout: made by `f32`, `f64`, `i32`, `u16` and `bytes`. */
class ArrayLayout<Kind extends keyof Views> {
  readonly kind: Kind;
  readonly length: number;

  constructor(kind: Kind, length: number) {
    this.kind = kind;
    this.length = length;
  }
}

type AnyArray = { [Kind in keyof Views]: ArrayLayout<Kind> }[keyof Views];

/**
 * The arrays of a structure in memory, by name: `{ matrix: f64(rows * stride), list: i32(rows), state: bytes(SMO_BYTES) }`. It
 * may contain other layouts, also in lists. One description measures (`bytesOf`) and allocates (`arena.take`).
 */
export type Layout = { readonly [name: string]: AnyArray | Layout } | readonly (AnyArray | Layout)[];

/** The slices of the arrays of a layout, under the same names. */
export type Taken<Kind> =
  Kind extends ArrayLayout<infer Element>
    ? Slice<Views[Element]>
    : { readonly [Name in keyof Kind]: Taken<Kind[Name]> };

export const f32 = (length: number) => new ArrayLayout("f32", length);
export const f64 = (length: number) => new ArrayLayout("f64", length);
export const i32 = (length: number) => new ArrayLayout("i32", length);
export const u16 = (length: number) => new ArrayLayout("u16", length);
export const bytes = (length: number) => new ArrayLayout("u8", length);

/** Returns the size of the arena that a layout fills to the last byte. */
export function bytesOf(layout: Layout): number {
  let total = 0;
  for (const part of Object.values<AnyArray | Layout>(layout))
    total += part instanceof ArrayLayout ? alignUp(part.length * ELEMENT_SIZES[part.kind]) : bytesOf(part);
  return total;
}

/** A typed slice of an arena. */
export interface Slice<View> {
  /** Address for kernels. */
  readonly pointer: number;
  readonly length: number;
  /** A new view at each access, valid until the memory grows: take it once per loop and do not keep it. */
  readonly view: View;
}

/** What tasks get of an arena. */
export interface ArenaFields {
  readonly memory: WasmMemory;
  readonly pointer: number;
  /** Bytes of all slices together. */
  readonly bytes: number;
}

/** A block of WebAssembly memory that is handed out from front to back: scratch of one task, or the arrays of a structure. */
export class Arena extends WasmStructure implements ArenaFields {
  readonly pointer: number;
  readonly bytes: number;
  #taken = 0;

  /** A view of an arena that another object owns; all of it is free. */
  constructor({ memory, pointer, bytes }: ArenaFields, owned?: Releasable) {
    super(memory, owned);
    this.pointer = pointer;
    this.bytes = bytes;
  }

  /** Allocates an arena; `bytes` is the total of all slices, each rounded up to 64 bytes. */
  static allocate(bytes: number, memory = wasmMemory()): Arena {
    const block = memory.allocate(bytes);
    return new Arena({ memory, ...block }, { release: () => memory.release(block) });
  }

  /** Bytes that are not taken yet: 0 if layouts have used up the arena exactly. */
  get left(): number {
    return this.bytes - this.#taken;
  }

  /** Takes the slices of a layout, not cleared, in the order of its names. */
  take<Kind extends Layout>(layout: Kind): Taken<Kind>;
  take(layout: Layout): unknown {
    return this.#take(layout);
  }

  #take(layout: Layout): unknown {
    const slices: [string, unknown][] = [];
    for (const [name, part] of Object.entries<AnyArray | Layout>(layout))
      slices.push([name, part instanceof ArrayLayout ? this.#array(part) : this.#take(part)]);
    return Array.isArray(layout) ? slices.map(([, slice]) => slice) : Object.fromEntries(slices);
  }

  #array({ kind, length }: AnyArray): Slice<Views[keyof Views]> {
    return this.#slice<Views[keyof Views]>(length, ELEMENT_SIZES[kind], (pointer) =>
      this.memory[kind](pointer, length),
    );
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
    const { left } = this;
    if (bytes > left) {
      throw new VouchError(
        "memory/exhausted",
        `Cannot take ${bytes} bytes from an arena of ${this.bytes} bytes with ${Math.max(left, 0)} left.`,
        { hint: "Allocate a larger arena." },
      );
    }
    const pointer = this.pointer + this.#taken;
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

/**
 * WebAssembly memory of one piece of work, released together, the last allocation first: `using scope = new Scope();`. What
 * the work returns leaves the scope: `return scope.leave(result);`.
 */
export class Scope {
  readonly #held: Releasable[] = [];

  /** Adds an allocation to the scope and returns it. */
  hold<Kind extends Releasable>(held: Kind): Kind {
    this.#held.push(held);
    return held;
  }

  /** Allocates the arrays of a layout, not cleared. */
  take<Kind extends Layout>(layout: Kind, memory = wasmMemory()): Taken<Kind> {
    return this.hold(Arena.allocate(bytesOf(layout), memory)).take(layout);
  }

  /** Allocates a block. */
  allocate(bytes: number, memory = wasmMemory()): Block {
    const block = memory.allocate(bytes);
    this.hold({ release: () => memory.release(block) });
    return block;
  }

  /** Takes an allocation out of the scope: the caller releases it. */
  leave<Kind extends Releasable>(held: Kind): Kind {
    const index = this.#held.indexOf(held);
    if (index >= 0) this.#held.splice(index, 1);
    return held;
  }

  /** Moves all allocations to a scope that outlives this one. */
  move(): Scope {
    const moved = new Scope();
    moved.#held.push(...this.#held.splice(0));
    return moved;
  }

  release(): void {
    for (const held of this.#held.reverse()) held.release();
    this.#held.length = 0;
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** What tasks get of a pool. */
export interface ArenaPoolFields {
  readonly memory: WasmMemory;
  /** Address of one word per arena, 1 while it is in use; the arenas follow. */
  readonly pointer: number;
  readonly arenas: number;
  /** Size of each arena. */
  readonly bytes: number;
}

/**
 * As many arenas as tasks run at the same time. There may be many more tasks: each takes a free arena when it starts and gives
 * it back when it ends. The thread that owns the memory allocates and releases the pool.
 */
export class ArenaPool extends WasmStructure implements ArenaPoolFields {
  readonly pointer: number;
  readonly arenas: number;
  readonly bytes: number;

  /** A view of a pool that another object owns. */
  constructor({ memory, pointer, arenas, bytes }: ArenaPoolFields, owned?: Releasable) {
    super(memory, owned);
    this.pointer = pointer;
    this.arenas = arenas;
    this.bytes = bytes;
  }

  /** Allocates a pool of arenas of `bytes` each. */
  static allocate(arenas: number, bytes: number, memory = wasmMemory()): ArenaPool {
    const all = Arena.allocate(alignUp(4 * arenas) + arenas * alignUp(bytes), memory);
    memory.i32(all.pointer, arenas).fill(0);
    return new ArenaPool({ memory, pointer: all.pointer, arenas, bytes }, all);
  }

  /** Runs work with an arena of the pool. */
  async with<Result>(work: (arena: Arena) => Promise<Result>): Promise<Result> {
    const { pointer, arenas, bytes } = this;
    const index = this.#take();
    try {
      const first = pointer + alignUp(4 * arenas);
      return await work(new Arena({ memory: this.memory, pointer: first + index * alignUp(bytes), bytes }));
    } finally {
      Atomics.store(this.#taken(), index, 0);
    }
  }

  #taken(): Int32Array {
    return this.memory.i32(this.pointer, this.arenas);
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
