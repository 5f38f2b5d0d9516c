import { VouchError } from "../error.js";
import { alignUp } from "./heap.js";
import { attachKernelMemory, type Block, kernelMemory } from "./memory.js";
import { type Descriptor, Resident } from "./resident.js";

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
