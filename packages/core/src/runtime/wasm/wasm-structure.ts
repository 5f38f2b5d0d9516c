/// <reference lib="esnext.disposable" preserve="true" />
// Programs with an older library of types get the one that the declarations need.

import type { Block, WasmMemory, WasmMemoryHandle } from "./wasm-memory.js";

/** Addresses and sizes of a structure in WebAssembly memory as they are sent to another thread; structured-cloneable. */
export type Descriptor<Parts extends object> = Parts & { readonly memory: WasmMemoryHandle };

/**
 * A data structure in WebAssembly memory that threads share; its parts are addresses and counts. The thread that allocated its blocks
 * releases them; others attach it by its descriptor.
 */
export class WasmStructure<Parts extends object> {
  readonly memory: WasmMemory;
  protected readonly parts: Parts;
  readonly #blocks: readonly Block[];

  protected constructor(memory: WasmMemory, parts: Parts, blocks: readonly Block[]) {
    this.memory = memory;
    this.parts = parts;
    this.#blocks = blocks;
  }

  /**
   * What travels in the input of a task: all enumerable fields, as a plain object with the memory. A task can read them, or make a
   * view of the same memory with `new X(fields)`, which owns nothing.
   */
  fields(): Record<string, unknown> {
    const { parts, ...fields } = this;
    return { ...parts, ...fields };
  }

  /** Describes it to another thread. Old form: put the structure itself into the input. */
  descriptor(): Descriptor<Parts> {
    return { ...this.parts, memory: this.memory.handle };
  }

  /** Frees the memory, if this object allocated it. */
  release(): void {
    for (const block of this.#blocks) this.memory.release(block);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
