import { type Pausable, workRanges } from "../../runtime/parallel/pausable.js";
import type { Arena } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { KERNEL_ROW_SCRATCH, ROW_CACHE_BYTES, type WasmExports } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { kernelForm } from "../kernel/kernel.js";
import { paddedLength } from "../kernel/kernel-matrix.js";
import type { KernelOnDemand } from "../kernel/kernel-rows.js";
import { type CachedRows, cachedRows, cachedRowsBytes, cachedRowsRoom, type Panels } from "./cached-rows.js";
import { type KernelSource, type KernelStore, smallerSize, VALUES_AT_ONCE } from "./kernel-store.js";

/** The fewest rows that a cache holds, whatever its limit: a working pair and the rows fetched with it. */
const FEWEST_ROWS = 8;

/** Kernel values in a cache of rows, computed on demand (`wasm/row-cache.ts`). */
export class RowCacheStore implements KernelStore {
  readonly #memory: WasmMemory;
  readonly #size: number;
  readonly #cache: number;
  readonly #slotBytes: number;
  readonly #rows: CachedRows;
  readonly #smaller: Panels;
  #whole: Panels | undefined;
  #current: { readonly place: KernelSource; readonly panels: Panels } | undefined;

  constructor(kernel: KernelOnDemand, rows: Int32Array, arena: Arena) {
    this.#memory = arena.memory;
    const { exports } = arena.memory;
    const count = rows.length;
    this.#size = count;
    this.#cache = arena.u8(ROW_CACHE_BYTES).pointer;
    this.#slotBytes = slotBytes(kernel, count);
    const lists = arena.i32(4 * count).pointer;
    const scratch = arena.u8(KERNEL_ROW_SCRATCH).pointer;
    const batch = arena.u8(exports.rowCacheBatchBytes(depthOf(kernel), paddedLength(count))).pointer;
    const slots = arena.u8(this.#slotBytes).pointer;
    exports.rowCacheLayOut(this.#cache, lists, count, scratch, batch, slots);
    const { kind, degree, factor } = kernelForm(kernel.kernel);
    exports.rowCacheKernel(this.#cache, kind, degree, factor);
    this.#rows = cachedRows(kernel, rows, arena);
    this.#rows.prepare(this.#cache);
    this.#smaller = this.#rows.take(arena, smallerSize(count));
  }

  /** Returns the bytes that the store takes from an arena; `copied` if the rows are not all rows of the kernel in order, `foreign` if it is in the memory of another thread. */
  static bytes(kernel: KernelOnDemand, rows: number, copied: boolean, foreign: boolean): number {
    const { exports } = kernel.memory;
    return [
      ROW_CACHE_BYTES,
      16 * rows,
      KERNEL_ROW_SCRATCH,
      exports.rowCacheBatchBytes(depthOf(kernel), paddedLength(rows)),
      slotBytes(kernel, rows),
      cachedRowsRoom(kernel, smallerSize(rows)),
      cachedRowsBytes(kernel, rows, copied, foreign),
    ].reduce((sum, bytes) => sum + alignUp(bytes), 0);
  }

  *begin(): Pausable<KernelSource> {
    this.#whole = yield* this.#rows.begin();
    return this.restore();
  }

  restore(): KernelSource {
    if (!this.#whole) throw new Error("The problem has no kernel values yet.");
    const place = this.#settle(this.#whole, this.#size);
    this.#exports.rowCacheClear(this.#cache, place.size, place.stride, this.#slotBytes);
    return place;
  }

  *shrink(list: number, count: number): Pausable<KernelSource> {
    const from = this.#current;
    if (!from) throw new Error("The problem has no kernel values yet.");
    const stride = paddedLength(count);
    yield* this.#rows.compact(from.panels, list, count, this.#smaller);
    yield* this.#compactSlots(from.place, list, count, stride);
    return this.#settle(this.#smaller, count);
  }

  copyWork(rows: number): number {
    return rows * Math.min(rows, this.#exports.rowCacheUsed(this.#cache));
  }

  workPerStep({ size }: KernelSource): number {
    return size * (1 + this.#rows.workPerValue);
  }

  get #exports(): WasmExports {
    return this.#memory.exports;
  }

  /** Makes these panels the current ones. */
  #settle(panels: Panels, size: number): KernelSource {
    this.#rows.use(this.#cache, panels, size);
    const place = { size, stride: paddedLength(size), matrix: 0, cache: this.#cache };
    this.#current = { place, panels };
    return place;
  }

  /** Keeps the cached values of the active rows. */
  *#compactSlots(from: KernelSource, list: number, count: number, stride: number): Pausable<void> {
    const { rowCacheUsed, rowCacheBeginCompact, rowCacheCompactSlots, rowCacheEndCompact } = this.#exports;
    const used = rowCacheUsed(this.#cache);
    rowCacheBeginCompact(this.#cache, from.size, list, count);
    let kept = 0;
    for (const [begin, end] of workRanges(used, count, VALUES_AT_ONCE)) {
      kept = rowCacheCompactSlots(this.#cache, list, count, stride, begin, end, kept);
      yield;
    }
    rowCacheEndCompact(this.#cache, count, stride, this.#slotBytes, kept);
  }
}

function depthOf({ sample }: KernelOnDemand): number {
  return "panels" in sample ? sample.panels.depth : 0;
}

/** Returns the bytes for cached rows: the kernel's limit, but no more than all rows need and no less than the fewest. */
function slotBytes({ cacheBytes }: KernelOnDemand, rows: number): number {
  const row = paddedLength(rows) * 4;
  return Math.max(FEWEST_ROWS * row, Math.min(cacheBytes, rows * row));
}
