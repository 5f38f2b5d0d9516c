import type { Block, KernelMemory, KernelMemoryHandle } from "./memory.js";

/** Parts of something in kernel memory as they are sent to another thread: structured-cloneable. */
export type Descriptor<Parts extends object> = Parts & { readonly memory: KernelMemoryHandle };

/**
 * Something that lies in kernel memory for the threads that work on it: its parts are addresses and counts. The thread that
 * laid it out has its blocks and releases them; others attach it by its descriptor.
 */
export class Resident<Parts extends object> {
  readonly memory: KernelMemory;
  protected readonly parts: Parts;
  readonly #blocks: readonly Block[];

  protected constructor(memory: KernelMemory, parts: Parts, blocks: readonly Block[]) {
    this.memory = memory;
    this.parts = parts;
    this.#blocks = blocks;
  }

  /** What another thread needs to attach it. */
  descriptor(): Descriptor<Parts> {
    return { ...this.parts, memory: this.memory.handle };
  }

  /** Gives the memory back, if this object has allocated it. */
  release(): void {
    for (const block of this.#blocks) this.memory.release(block);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
