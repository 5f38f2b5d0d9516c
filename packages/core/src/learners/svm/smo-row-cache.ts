import { type Pausable, workRanges } from "../../runtime/parallel/pausable.js";
import type { Arena } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import {
  ELEMENT_BYTES,
  KERNEL_ROW_SCRATCH,
  PANEL_STEP,
  PANEL_WIDTH,
  ROW_CACHE_BYTES,
  type WasmExports,
} from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { kernelForm } from "../kernel/kernel.js";
import { paddedLength } from "../kernel/kernel-matrix.js";
import type { KernelOnDemand } from "../kernel/kernel-rows.js";
import { isWhole, type KernelSource, type KernelStore, smallerSize, VALUES_AT_ONCE } from "./kernel-store.js";

/** The fewest rows that a cache holds, whatever its limit: a working pair and the rows fetched with it. */
const FEWEST_ROWS = 8;

/** Packed rows and their norms. */
interface Panels {
  readonly panels: number;
  readonly norms: number;
}

/** Kernel values in a cache of rows, computed on demand (`wasm/row-cache.ts`). */
export class RowCacheStore implements KernelStore {
  readonly #memory: WasmMemory;
  readonly #kernel: KernelOnDemand;
  readonly #rows: Int32Array;
  readonly #cache: number;
  readonly #slotBytes: number;
  readonly #own: Panels | undefined;
  /** Room for the numbers of the rows; 0 if the kernel is used in place. */
  readonly #list: number = 0;
  readonly #smaller: Panels;
  #current: { readonly place: KernelSource; readonly panels: Panels } | undefined;

  constructor(kernel: KernelOnDemand, rows: Int32Array, arena: Arena) {
    this.#memory = arena.memory;
    this.#kernel = kernel;
    this.#rows = rows;
    const { exports } = arena.memory;
    const { depth } = kernel.sample.panels;
    const count = rows.length;
    this.#cache = arena.u8(ROW_CACHE_BYTES).pointer;
    this.#slotBytes = slotBytes(kernel, count);
    const lists = arena.i32(4 * count).pointer;
    const scratch = arena.u8(KERNEL_ROW_SCRATCH).pointer;
    const batch = arena.u8(exports.rowCacheBatchBytes(depth, paddedLength(count))).pointer;
    const slots = arena.u8(this.#slotBytes).pointer;
    exports.rowCacheLayOut(this.#cache, lists, count, scratch, batch, slots);
    const { kind, degree, factor } = kernelForm(kernel.kernel);
    exports.rowCacheKernel(this.#cache, kind, degree, factor);
    if (!isWhole(kernel, rows, arena.memory)) {
      this.#own = this.#takePanels(arena, count);
      this.#list = arena.i32(count).pointer;
    }
    this.#smaller = this.#takePanels(arena, smallerSize(count));
  }

  /** Returns the bytes that the store takes from an arena; `copied` if the rows are not all rows of the kernel in order. */
  static bytes(kernel: KernelOnDemand, rows: number, copied: boolean): number {
    const { exports } = kernel.memory;
    const { depth } = kernel.sample.panels;
    return [
      ROW_CACHE_BYTES,
      16 * rows,
      KERNEL_ROW_SCRATCH,
      exports.rowCacheBatchBytes(depth, paddedLength(rows)),
      slotBytes(kernel, rows),
      ...panelBytes(kernel, smallerSize(rows)),
      ...(copied ? [...panelBytes(kernel, rows), 4 * rows] : []),
    ].reduce((sum, bytes) => sum + alignUp(bytes), 0);
  }

  *begin(): Pausable<KernelSource> {
    if (this.#own && this.#kernel.memory === this.#memory) yield* this.#takeRows(this.#own);
    else if (this.#own) yield* this.#copyRows(this.#own);
    return this.restore();
  }

  restore(): KernelSource {
    const { sample } = this.#kernel;
    const panels = this.#own ?? { panels: sample.panels.pointer, norms: sample.norms.pointer };
    const place = this.#settle(panels, this.#rows.length);
    this.#exports.rowCacheClear(this.#cache, place.size, place.stride, this.#slotBytes);
    return place;
  }

  *shrink(list: number, count: number): Pausable<KernelSource> {
    const from = this.#current;
    if (!from) throw new Error("The problem has no kernel values yet.");
    const stride = paddedLength(count);
    yield* this.#compactPanels(from.panels, list, count, this.#smaller);
    yield* this.#compactSlots(from.place, list, count, stride);
    return this.#settle(this.#smaller, count);
  }

  copyWork(rows: number): number {
    return rows * Math.min(rows, this.#exports.rowCacheUsed(this.#cache));
  }

  workPerStep({ size }: KernelSource): number {
    return size * (1 + this.#kernel.sample.panels.depth / 2);
  }

  get #exports(): WasmExports {
    return this.#memory.exports;
  }

  /** Makes these panels the current ones. */
  #settle(panels: Panels, size: number): KernelSource {
    const { depth, precision } = this.#kernel.sample.panels;
    const count = Math.ceil(size / PANEL_WIDTH[precision]);
    this.#exports.rowCacheSample(this.#cache, panels.panels, panels.norms, count, depth, precision === "f64");
    const place = { size, stride: paddedLength(size), matrix: 0, cache: this.#cache };
    this.#current = { place, panels };
    return place;
  }

  #takePanels(arena: Arena, rows: number): Panels {
    const [panels, norms] = panelBytes(this.#kernel, rows).map((bytes) => arena.u8(bytes).pointer);
    return { panels, norms };
  }

  /** Packs the rows of the sample that the problem has. */
  *#takeRows(to: Panels): Pausable<void> {
    const { panels, norms } = this.#kernel.sample;
    const count = this.#rows.length;
    this.#memory.i32(this.#list, count).set(this.#rows);
    yield* this.#compactPanels({ panels: panels.pointer, norms: norms.pointer }, this.#list, count, to);
  }

  *#compactPanels(from: Panels, list: number, count: number, to: Panels): Pausable<void> {
    const { depth, precision } = this.#kernel.sample.panels;
    const { compactPanels32, compactPanels64 } = this.#exports;
    const compact = precision === "f32" ? compactPanels32 : compactPanels64;
    const { panels, norms } = to;
    const width = PANEL_WIDTH[precision];
    for (const [begin, end] of workRanges(Math.ceil(count / width), width * depth, VALUES_AT_ONCE)) {
      compact(from.panels, from.norms, depth, list, count, panels, norms, begin, end);
      yield;
    }
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

  /** Copies the rows from the memory of another thread, lane by lane. */
  *#copyRows(to: Panels): Pausable<void> {
    const { sample, memory } = this.#kernel;
    const { precision, depth, pointer } = sample.panels;
    const width = PANEL_WIDTH[precision];
    const size = this.#rows.length;
    const panelCount = Math.ceil(size / width);
    for (const [begin, end] of workRanges(panelCount, width * depth, VALUES_AT_ONCE)) {
      const source = memory[precision](pointer, sample.panels.count * depth * width);
      const target = this.#memory[precision](to.panels, panelCount * depth * width);
      target.fill(0, begin * depth * width, end * depth * width);
      for (let i = begin * width; i < Math.min(end * width, size); i++) {
        let a = laneStart(this.#rows[i], width, depth);
        let b = laneStart(i, width, depth);
        for (let k = 0; k < depth; k++, a += width, b += width) target[b] = source[a];
      }
      yield;
    }
    const norms = memory[precision](sample.norms.pointer, sample.panels.count * width);
    const own = this.#memory[precision](to.norms, panelCount * width).fill(0);
    for (let i = 0; i < size; i++) own[i] = norms[this.#rows[i]];
  }
}

/** Returns the place of a row's first element in panels. */
function laneStart(row: number, width: number, depth: number): number {
  return Math.floor(row / width) * depth * width + (row % width);
}

/** Returns the bytes of the panels and of the norms of this many rows. */
function panelBytes({ sample }: KernelOnDemand, rows: number): [panels: number, norms: number] {
  const { precision, depth } = sample.panels;
  const count = Math.ceil(rows / PANEL_WIDTH[precision]);
  return [count * depth * PANEL_STEP, count * PANEL_WIDTH[precision] * ELEMENT_BYTES[precision]];
}

/** Returns the bytes for cached rows: the kernel's limit, but no more than all rows need and no less than the fewest. */
function slotBytes({ cacheBytes }: KernelOnDemand, rows: number): number {
  const row = paddedLength(rows) * 4;
  return Math.max(FEWEST_ROWS * row, Math.min(cacheBytes, rows * row));
}
