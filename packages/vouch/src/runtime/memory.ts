import { Heap } from "./heap.js";
import { compileKernels, instantiateKernels, type Kernels } from "./kernels.js";
import { VouchError } from "./vouch-error.js";

/** Bytes of a page of WebAssembly memory. */
const PAGE = 65536;

/** One page less than 4 GiB: the end of every block is then a number of 32 bits. */
const MOST_PAGES = 65535;

/** A smaller limit than this is not worth trying. */
const FEWEST_PAGES = 1024;

/** The memory grows by at least so many pages, 1 MiB, at a time. */
const PAGES_AT_ONCE = 16;

/** A part of kernel memory. */
export interface Block {
  /** The address that kernels take. */
  readonly pointer: number;
  readonly bytes: number;
}

/**
 * Names a kernel memory to other threads: structured-cloneable, to be sent along with pointers into it. Sending it
 * costs about a microsecond.
 */
export interface KernelMemoryHandle {
  readonly id: string;
  /** Absent if the memory cannot be shared: then only its own thread can attach it. */
  readonly share?: { readonly memory: WebAssembly.Memory; readonly module: WebAssembly.Module };
}

/**
 * The linear memory that kernels work in, and the kernels working in it.
 *
 * Every thread has a memory of its own, `kernelMemory()`, and only this thread allocates in it. Where the platform
 * allows it, it is shared: other threads get its handle and pointers in the input of a task, call
 * `attachKernelMemory(handle)` and compute in the same memory, in blocks that the owner has allocated for them.
 */
export class KernelMemory {
  readonly handle: KernelMemoryHandle;
  readonly kernels: Kernels;
  readonly #memory: WebAssembly.Memory;
  readonly #limit: number;
  readonly #heap: Heap | undefined;

  /** To be called by this module only: use `kernelMemory`, `createKernelMemory` or `attachKernelMemory`. */
  constructor(
    handle: KernelMemoryHandle,
    module: WebAssembly.Module,
    memory: WebAssembly.Memory,
    owned?: { readonly pages: number },
  ) {
    this.handle = handle;
    this.kernels = instantiateKernels(module, memory);
    this.#memory = memory;
    this.#limit = (owned?.pages ?? 0) * PAGE;
    // The first page is left to the compiler, which puts constants there.
    this.#heap = owned && new Heap(PAGE, (bytes) => this.#grow(bytes));
  }

  /** Whether other threads can attach it. */
  get shared(): boolean {
    return this.handle.share !== undefined;
  }

  /** Bytes that are allocated; 0 on threads that have only attached the memory. */
  get used(): number {
    return this.#heap?.used ?? 0;
  }

  /**
   * A block of at least `bytes`, not cleared. Growing an unshared memory detaches all views of it, which then have
   * length 0: so take views after allocating, and again after each allocation.
   */
  allocate(bytes: number): Block {
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw new RangeError(`A block cannot have ${bytes} bytes.`);
    const pointer = this.#owned("allocates").allocate(bytes);
    if (pointer === undefined) throw this.#exhausted(bytes);
    return { pointer, bytes };
  }

  /** Gives a block back. What the block holds must not be used any more. */
  release(block: Block): void {
    if (!this.#owned("releases").release(block.pointer)) {
      throw new RangeError(`There is no block at ${block.pointer}: it may have been released before.`);
    }
  }

  f32(pointer: number, length: number): Float32Array<ArrayBufferLike> {
    return new Float32Array(this.#buffer(pointer + 4 * length), pointer, length);
  }

  f64(pointer: number, length: number): Float64Array<ArrayBufferLike> {
    return new Float64Array(this.#buffer(pointer + 8 * length), pointer, length);
  }

  i32(pointer: number, length: number): Int32Array<ArrayBufferLike> {
    return new Int32Array(this.#buffer(pointer + 4 * length), pointer, length);
  }

  u8(pointer: number, length: number): Uint8Array<ArrayBufferLike> {
    return new Uint8Array(this.#buffer(pointer + length), pointer, length);
  }

  #buffer(end: number): ArrayBufferLike {
    // A thread may not have noticed yet that another one has grown the memory: growing by nothing tells it.
    if (this.shared && this.#memory.buffer.byteLength < end) this.#memory.grow(0);
    return this.#memory.buffer;
  }

  #owned(verb: string): Heap {
    if (this.#heap) return this.#heap;
    throw new VouchError("memory/not-owned", `A thread ${verb} memory that belongs to another thread.`, {
      hint: "Let the thread that sends the task allocate an arena, or use kernelMemory() of the thread itself.",
    });
  }

  #grow(bytes: number): number {
    const needed = Math.ceil(bytes / PAGE);
    for (const pages of [Math.max(needed, PAGES_AT_ONCE), needed]) {
      if (this.#memory.buffer.byteLength + pages * PAGE > this.#limit) continue;
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
      { hint: "Use fewer rows or features, or single precision, or free memory on this machine." },
    );
  }
}

/** What `createKernelMemory` makes. */
interface KernelMemoryOptions {
  /** Whether threads can share it; by default if the platform has shared memory. */
  readonly shared?: boolean;
  /** The largest size in bytes; by default 4 GiB, or as much as can be reserved. */
  readonly limit?: number;
}

const known = new Map<string, KernelMemory>();
let own: KernelMemory | undefined;

/** The memory of this thread, made on first use: shared if possible. */
export function kernelMemory(): KernelMemory {
  own ??= createForThread();
  return own;
}

function createForThread(): KernelMemory {
  try {
    return createKernelMemory();
  } catch {
    // Whatever stands in the way of sharing; if nothing can be allocated at all, this throws, too.
    return createKernelMemory({ shared: false });
  }
}

/** A new memory that belongs to this thread. Programs need only `kernelMemory()`; tests make others. */
export function createKernelMemory(options: KernelMemoryOptions = {}): KernelMemory {
  const { shared = canShare(), limit = MOST_PAGES * PAGE } = options;
  const { memory, pages } = reserve(Math.ceil(limit / PAGE), shared);
  const module = compileKernels(shared);
  const handle = { id: newId(), ...(shared && { share: { memory, module } }) };
  const created = new KernelMemory(handle, module, memory, { pages });
  known.set(handle.id, created);
  return created;
}

/** The memory with this handle: that of another thread, to compute in but not to allocate in, or one of this thread. */
export function attachKernelMemory(handle: KernelMemoryHandle): KernelMemory {
  const attached = known.get(handle.id) ?? attach(handle);
  known.set(handle.id, attached);
  return attached;
}

function attach(handle: KernelMemoryHandle): KernelMemory {
  if (handle.share) return new KernelMemory(handle, handle.share.module, handle.share.memory);
  throw new VouchError("memory/not-owned", "A thread was sent a pointer into memory that is not shared.", {
    hint: "Where threads cannot share memory, send the numbers themselves.",
  });
}

/** In browsers without cross-origin isolation there are no shared buffers. */
function canShare(): boolean {
  return typeof SharedArrayBuffer === "function";
}

/** A memory with a limit of `pages`, or of a half, a quarter, … where so much address space cannot be reserved. */
function reserve(pages: number, shared: boolean): { memory: WebAssembly.Memory; pages: number } {
  try {
    return { memory: new WebAssembly.Memory({ initial: 1, maximum: pages, shared }), pages };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    if (pages > FEWEST_PAGES) return reserve(Math.ceil(pages / 2), shared);
    throw new VouchError("memory/exhausted", "The system gives this process no memory for WebAssembly.", {
      hint: "Node reserves more than 8 GiB of address space for it: raise the limit of virtual memory (ulimit -v), or run node with --disable-wasm-trap-handler.",
      cause,
    });
  }
}

/** Threads cannot compare memories by identity: each gets an object of its own for the same memory. */
function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
