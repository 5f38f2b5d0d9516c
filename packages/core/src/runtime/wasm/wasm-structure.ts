/// <reference lib="esnext.disposable" preserve="true" />
// Programs with an older library of types get the one that the declarations need.

import type { WasmMemory } from "./wasm-memory.js";

/** Memory that its owner releases. */
export interface Releasable {
  release(): void;
}

/**
 * A data structure in WebAssembly memory that threads share; its fields are addresses and counts. In the input of a task it travels as
 * a plain object of its fields. A task reads them, or makes a view of the same memory: `new X(fields)`, which owns nothing.
 */
export class WasmStructure {
  readonly memory: WasmMemory;
  readonly #owned: Releasable | undefined;

  protected constructor(memory: WasmMemory, owned?: Releasable) {
    this.memory = memory;
    this.#owned = owned;
  }

  /** Frees the memory, if this object owns it. */
  release(): void {
    this.#owned?.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
