import { reserveMemory } from "../memory-limit.js";
import { VouchError } from "../vouch-error.js";
import { Heap } from "./heap.js";
import { compileWasm, instantiateWasm, type WasmExports } from "./wasm-exports.js";

/** Bytes of a page of WebAssembly memory. */
const PAGE = 65536;

/** One page less than 4 GiB, so that the end of every block fits in 32 bits. */
const MAX_PAGES = 65535;

/** The smallest limit worth trying. */
const MIN_PAGES = 1024;

/** The memory grows by at least 1 MiB at a time. */
const GROWTH_PAGES = 16;

/** An allocated part of WebAssembly memory. */
export interface Block {
  /** Address for kernels. */
  readonly pointer: number;
  readonly bytes: number;
}

/**
 * Identifies a WebAssembly memory to other threads; structured-cloneable. It is sent along with pointers into the memory, which takes
 * about a microsecond.
 */
export interface WasmMemoryHandle {
  readonly id: string;
  /** Absent if the memory is not shared; then only its own thread can attach it. */
  readonly share?: { readonly memory: WebAssembly.Memory; readonly module: WebAssembly.Module };
}

/**
 * The linear memory that kernels work in, and the kernels working in it.
 *
 * Every thread has its own memory, `wasmMemory()`, and only this thread allocates in it. It is shared if the platform allows:
 * other threads get its handle and pointers in the input of a task, call `attachWasmMemory(handle)` and compute in blocks that
 * the owner has allocated for them.
 */
export class WasmMemory {
  readonly handle: WasmMemoryHandle;
  readonly exports: WasmExports;
  readonly #memory: WebAssembly.Memory;
  readonly #limit: number;
  readonly #heap: Heap | undefined;

  /** For this module only: use `wasmMemory`, `createWasmMemory` or `attachWasmMemory`. */
  constructor(
    handle: WasmMemoryHandle,
    module: WebAssembly.Module,
    memory: WebAssembly.Memory,
    owned?: { readonly pages: number },
  ) {
    this.handle = handle;
    this.exports = instantiateWasm(module, memory);
    this.#memory = memory;
    this.#limit = (owned?.pages ?? 0) * PAGE;
    // The compiler puts constants in the first page.
    this.#heap = owned && new Heap(PAGE, (bytes) => this.#grow(bytes));
  }

  /** Whether other threads can attach it. */
  get shared(): boolean {
    return this.handle.share !== undefined;
  }

  /** Allocated bytes; 0 on threads that have only attached the memory. */
  get used(): number {
    return this.#heap?.used ?? 0;
  }

  /**
   * Allocates a block of at least `bytes`, not cleared. When a memory that is not shared grows, all its views are detached and
   * have length 0, so take new views after each allocation.
   */
  allocate(bytes: number): Block {
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw new RangeError(`A block cannot have ${bytes} bytes.`);
    const pointer = this.#owned("allocate").allocate(bytes);
    if (pointer === undefined) throw this.#exhausted(bytes);
    return { pointer, bytes };
  }

  /** Frees a block; its contents must not be used again. */
  release(block: Block): void {
    if (!this.#owned("release").release(block.pointer)) {
      throw new RangeError(`No block is allocated at ${block.pointer}; it may have been released before.`);
    }
  }

  // WasmExports return addresses as signed numbers: those above 2 GiB are negative.

  f32(pointer: number, length: number): Float32Array<ArrayBufferLike> {
    const begin = pointer >>> 0;
    return new Float32Array(this.#buffer(begin + 4 * length), begin, length);
  }

  f64(pointer: number, length: number): Float64Array<ArrayBufferLike> {
    const begin = pointer >>> 0;
    return new Float64Array(this.#buffer(begin + 8 * length), begin, length);
  }

  i32(pointer: number, length: number): Int32Array<ArrayBufferLike> {
    const begin = pointer >>> 0;
    return new Int32Array(this.#buffer(begin + 4 * length), begin, length);
  }

  u16(pointer: number, length: number): Uint16Array<ArrayBufferLike> {
    const begin = pointer >>> 0;
    return new Uint16Array(this.#buffer(begin + 2 * length), begin, length);
  }

  u8(pointer: number, length: number): Uint8Array<ArrayBufferLike> {
    const begin = pointer >>> 0;
    return new Uint8Array(this.#buffer(begin + length), begin, length);
  }

  #buffer(end: number): ArrayBufferLike {
    // Growing by nothing makes this thread notice that another one has grown the memory.
    if (this.shared && this.#memory.buffer.byteLength < end) this.#memory.grow(0);
    return this.#memory.buffer;
  }

  #owned(verb: string): Heap {
    if (this.#heap) return this.#heap;
    throw new VouchError(
      "memory/not-owned",
      `This thread cannot ${verb} memory that belongs to another thread.`,
      {
        hint: "Allocate an arena on the thread that sends the task, or use wasmMemory() of this thread.",
      },
    );
  }

  #grow(bytes: number): number {
    const needed = Math.ceil(bytes / PAGE);
    for (const pages of [Math.max(needed, GROWTH_PAGES), needed]) {
      if (this.#memory.buffer.byteLength + pages * PAGE > this.#limit) continue;
      reserveMemory("the work of the learner", pages * PAGE);
      try {
        this.#memory.grow(pages);
        return pages * PAGE;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
    return 0;
  }

  #exhausted(bytes: number): VouchError {
    return new VouchError(
      "memory/exhausted",
      `The work needs ${mebibytes(bytes)} more memory, but ${mebibytes(this.used)} of at most ` +
        `${mebibytes(this.#limit)} are in use.`,
      { hint: "Use fewer rows or features or single precision, or free memory on this machine." },
    );
  }
}

interface WasmMemoryOptions {
  /** Whether threads can share it; the default is true if the platform has shared memory. */
  readonly shared?: boolean;
  /** Maximum size in bytes; the default is 4 GiB, or as much as can be reserved. */
  readonly limit?: number;
}

const known = new Map<string, WasmMemory>();
let own: WasmMemory | undefined;

/** Returns the memory of this thread, created on first use and shared if possible. */
export function wasmMemory(): WasmMemory {
  own ??= createForThread();
  return own;
}

function createForThread(): WasmMemory {
  try {
    return createWasmMemory();
  } catch {
    // Sharing failed for any reason. This throws, too, if no memory can be allocated at all.
    return createWasmMemory({ shared: false });
  }
}

/** Creates a memory that belongs to this thread. Programs need only `wasmMemory()`; tests create others. */
export function createWasmMemory(options: WasmMemoryOptions = {}): WasmMemory {
  const { shared = canShare(), limit = MAX_PAGES * PAGE } = options;
  const { memory, pages } = reserve(Math.ceil(limit / PAGE), shared);
  const module = compileWasm(shared);
  const handle = { id: newId(), ...(shared && { share: { memory, module } }) };
  const created = new WasmMemory(handle, module, memory, { pages });
  known.set(handle.id, created);
  return created;
}

/** Returns the memory with this handle. In a memory of another thread, this thread can compute but not allocate. */
export function attachWasmMemory(handle: WasmMemoryHandle): WasmMemory {
  const attached = known.get(handle.id) ?? attach(handle);
  known.set(handle.id, attached);
  return attached;
}

function attach(handle: WasmMemoryHandle): WasmMemory {
  if (handle.share) return new WasmMemory(handle, handle.share.module, handle.share.memory);
  throw new VouchError(
    "memory/not-owned",
    "A pointer into memory that is not shared was sent to another thread.",
    {
      hint: "Send the numbers themselves if threads cannot share memory.",
    },
  );
}

/** Browsers have shared buffers only in pages with cross-origin isolation. */
function canShare(): boolean {
  return typeof SharedArrayBuffer === "function";
}

/** Reserves `pages`, or half, a quarter, … of them if the address space does not suffice. */
function reserve(pages: number, shared: boolean): { memory: WebAssembly.Memory; pages: number } {
  try {
    return { memory: new WebAssembly.Memory({ initial: 1, maximum: pages, shared }), pages };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    if (pages > MIN_PAGES) return reserve(Math.ceil(pages / 2), shared);
    throw new VouchError(
      "memory/exhausted",
      "The system does not let this process reserve memory for WebAssembly.",
      {
        hint: "Node reserves more than 8 GiB of address space for it. Raise the limit of virtual memory (ulimit -v), or run node with --disable-wasm-trap-handler.",
        cause,
      },
    );
  }
}

/** Threads cannot compare memories by identity, because each has its own object for the same memory. */
function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
