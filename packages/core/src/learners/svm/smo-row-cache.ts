import { type Pausable, workRanges } from "../../runtime/parallel/pausable.js";
import { bytes, i32, type Taken } from "../../runtime/wasm/arena.js";
import {
  KERNEL_ROW_SCRATCH,
  ROW_CACHE_BYTES,
  ROW_CACHE_USED_WORD,
  type WasmExports,
} from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { kernelForm } from "../kernel/kernel.js";
import { paddedLength } from "../kernel/kernel-matrix.js";
import type { KernelOnDemand } from "../kernel/kernel-rows.js";
import {
  type CachedRows,
  cachedRows,
  cachedRowsLayout,
  type ProblemRows,
  panelsLayout,
  panelsOf,
} from "./cached-rows.js";
import {
  type KernelSource,
  type KernelStore,
  type RowsSetting,
  smallerSize,
  VALUES_AT_ONCE,
} from "./kernel-store.js";

/** The fewest rows that a cache holds, whatever its limit: a working pair and the rows fetched with it. */
const FEWEST_ROWS = 8;

/** Lays out a `RowCacheStore` for this many rows. */
export function rowCacheLayout(kernel: KernelOnDemand, rows: number, setting: RowsSetting) {
  const { sample, memory } = kernel;
  const depth = "panels" in sample ? sample.panels.depth : 0;
  return {
    cache: bytes(ROW_CACHE_BYTES),
    lists: i32(4 * rows),
    scratch: bytes(KERNEL_ROW_SCRATCH),
    batch: bytes(memory.exports.rowCacheBatchBytes(depth, paddedLength(rows))),
    slots: bytes(slotBytes(kernel, rows)),
    rows: cachedRowsLayout(sample, rows, setting),
    smaller: panelsLayout(sample, smallerSize(rows)),
  };
}

/** Kernel values in a cache of rows, computed on demand (`wasm/row-cache.ts`). */
export class RowCacheStore implements KernelStore {
  readonly #memory: WasmMemory;
  readonly #size: number;
  readonly #cache: number;
  readonly #slotBytes: number;
  readonly #rows: CachedRows;
  readonly #smaller: ProblemRows;
  #full: ProblemRows | undefined;
  #current: { readonly source: KernelSource; readonly panels: ProblemRows } | undefined;

  constructor(
    kernel: KernelOnDemand,
    rows: Int32Array,
    room: Taken<ReturnType<typeof rowCacheLayout>>,
    memory: WasmMemory,
  ) {
    const { exports } = memory;
    const { cache, lists, scratch, batch, slots } = room;
    this.#memory = memory;
    this.#size = rows.length;
    this.#cache = cache.pointer;
    this.#slotBytes = slots.length;
    exports.rowCacheLayOut(
      this.#cache,
      lists.pointer,
      rows.length,
      scratch.pointer,
      batch.pointer,
      slots.pointer,
    );
    const { kind, degree, factor } = kernelForm(kernel.kernel);
    exports.rowCacheKernel(this.#cache, kind, degree, factor);
    this.#rows = cachedRows(kernel, rows, room.rows, memory);
    this.#rows.prepare(this.#cache);
    this.#smaller = panelsOf(room.smaller);
  }

  *begin(): Pausable<KernelSource> {
    this.#full = yield* this.#rows.begin();
    return this.restore();
  }

  restore(): KernelSource {
    if (!this.#full) throw new Error("The problem has no kernel values yet.");
    const source = this.#useRows(this.#full, this.#size);
    this.#exports.rowCacheClear(this.#cache, source.size, source.stride, this.#slotBytes);
    return source;
  }

  *shrink(list: number, count: number): Pausable<KernelSource> {
    const from = this.#current;
    if (!from) throw new Error("The problem has no kernel values yet.");
    const stride = paddedLength(count);
    yield* this.#rows.compact(from.panels, list, count, this.#smaller);
    yield* this.#compactSlots(from.source, list, count, stride);
    return this.#useRows(this.#smaller, count);
  }

  copyWork(rows: number): number {
    return rows * Math.min(rows, this.#used);
  }

  workPerStep({ size }: KernelSource): number {
    return size * (1 + this.#rows.workPerValue);
  }

  /** The number of cached rows. */
  get #used(): number {
    return this.#memory.i32(this.#cache, ROW_CACHE_BYTES / 4)[ROW_CACHE_USED_WORD];
  }

  get #exports(): WasmExports {
    return this.#memory.exports;
  }

  /** Makes these panels the current ones. */
  #useRows(panels: ProblemRows, size: number): KernelSource {
    this.#rows.use(this.#cache, panels, size);
    const source = { size, stride: paddedLength(size), matrix: 0, cache: this.#cache };
    this.#current = { source, panels };
    return source;
  }

  /** Keeps the cached values of the active rows. */
  *#compactSlots(from: KernelSource, list: number, count: number, stride: number): Pausable<void> {
    const { rowCacheBeginCompact, rowCacheCompactSlots, rowCacheEndCompact } = this.#exports;
    const used = this.#used;
    rowCacheBeginCompact(this.#cache, from.size, list, count);
    let kept = 0;
    for (const [begin, end] of workRanges(used, count, VALUES_AT_ONCE)) {
      kept = rowCacheCompactSlots(this.#cache, list, count, stride, begin, end, kept);
      yield;
    }
    rowCacheEndCompact(this.#cache, count, stride, this.#slotBytes, kept);
  }
}

/** Returns the bytes for cached rows: the kernel's limit, but no more than all rows need and no less than the fewest. */
function slotBytes({ cacheBytes }: KernelOnDemand, rows: number): number {
  const row = paddedLength(rows) * 4;
  return Math.max(FEWEST_ROWS * row, Math.min(cacheBytes, rows * row));
}
