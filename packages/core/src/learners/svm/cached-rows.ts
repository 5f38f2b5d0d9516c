import { type Pausable, workRanges } from "../../runtime/parallel/pausable.js";
import type { Arena } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { ELEMENT_BYTES, PANEL_STEP, PANEL_WIDTH } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import type { KernelOnDemand } from "../kernel/kernel-rows.js";
import {
  type PackedMatrix,
  type PackedSparse,
  placeSparse,
  type SparseAddresses,
  sparseBytes,
} from "../kernel/packed-sample.js";
import { isWhole, VALUES_AT_ONCE } from "./kernel-store.js";

/** The rows of a problem and their norms: packed into panels, or a list of rows of a sparse sample. */
export interface Panels {
  readonly panels: number;
  readonly norms: number;
}

/** The rows that a cache computes kernel values of. */
export interface CachedRows {
  /** The work of computing the kernel value of two rows, in kernel values read. */
  readonly workPerValue: number;
  /** Prepares a cache for these rows. */
  prepare(cache: number): void;
  /** Takes room for this many rows from an arena. */
  take(arena: Arena, rows: number): Panels;
  /** Collects the rows of the problem. */
  begin(): Pausable<Panels>;
  /** Selects the listed rows. */
  compact(from: Panels, list: number, count: number, to: Panels): Pausable<void>;
  /** Makes these rows the sample of a cache. */
  use(cache: number, panels: Panels, size: number): void;
}

/** Takes memory for the rows of a problem from an arena. */
export function cachedRows(kernel: KernelOnDemand, rows: Int32Array, arena: Arena): CachedRows {
  const { sample } = kernel;
  return "panels" in sample
    ? new PanelRows(kernel, sample, rows, arena)
    : new SparseList(kernel, sample, rows, arena);
}

/** Returns the bytes that `cachedRows` takes from an arena. */
export function cachedRowsBytes(
  { sample }: KernelOnDemand,
  rows: number,
  copied: boolean,
  foreign: boolean,
): number {
  if (!("panels" in sample)) {
    const lists = alignUp(4 * rows) + alignUp(8 * paddedToFour(rows));
    return alignUp(8 * sample.columns) + lists + (foreign ? alignUp(sparseBytes(rows, sample.entries)) : 0);
  }
  return copied ? roomBytes(sample, rows) + alignUp(4 * rows) : 0;
}

/** Returns the bytes of room for this many rows. */
export function cachedRowsRoom({ sample }: KernelOnDemand, rows: number): number {
  return "panels" in sample ? roomBytes(sample, rows) : alignUp(4 * rows) + alignUp(8 * paddedToFour(rows));
}

function roomBytes(sample: PackedMatrix, rows: number): number {
  return panelBytes(sample, rows).reduce((sum, bytes) => sum + alignUp(bytes), 0);
}

/** Returns the bytes of the panels and of the norms of this many rows. */
function panelBytes({ panels: { precision, depth } }: PackedMatrix, rows: number): [number, number] {
  const count = Math.ceil(rows / PANEL_WIDTH[precision]);
  return [count * depth * PANEL_STEP, count * PANEL_WIDTH[precision] * ELEMENT_BYTES[precision]];
}

function paddedToFour(rows: number): number {
  return 4 * Math.ceil(rows / 4);
}

/** Rows in panels. All rows of the kernel are used in place. */
class PanelRows implements CachedRows {
  readonly workPerValue: number;
  readonly #memory: WasmMemory;
  readonly #kernel: KernelOnDemand;
  readonly #sample: PackedMatrix;
  readonly #rows: Int32Array;
  readonly #own: Panels | undefined;
  /** Room for the numbers of the rows; 0 if the kernel is used in place. */
  readonly #list: number = 0;

  constructor(kernel: KernelOnDemand, sample: PackedMatrix, rows: Int32Array, arena: Arena) {
    this.#memory = arena.memory;
    this.#kernel = kernel;
    this.#sample = sample;
    this.#rows = rows;
    this.workPerValue = sample.panels.depth / 2;
    if (isWhole(kernel, rows, arena.memory)) return;
    this.#own = this.take(arena, rows.length);
    this.#list = arena.i32(rows.length).pointer;
  }

  prepare(): void {}

  take(arena: Arena, rows: number): Panels {
    const [panels, norms] = panelBytes(this.#sample, rows).map((bytes) => arena.u8(bytes).pointer);
    return { panels, norms };
  }

  *begin(): Pausable<Panels> {
    const { panels, norms } = this.#sample;
    const whole = { panels: panels.pointer, norms: norms.pointer };
    if (!this.#own) return whole;
    if (this.#kernel.memory === this.#memory) {
      const count = this.#rows.length;
      this.#memory.i32(this.#list, count).set(this.#rows);
      yield* this.compact(whole, this.#list, count, this.#own);
    } else yield* this.#copyRows(this.#own);
    return this.#own;
  }

  *compact(from: Panels, list: number, count: number, to: Panels): Pausable<void> {
    const { depth, precision } = this.#sample.panels;
    const { compactPanels32, compactPanels64 } = this.#memory.exports;
    const compact = precision === "f32" ? compactPanels32 : compactPanels64;
    const width = PANEL_WIDTH[precision];
    for (const [begin, end] of workRanges(Math.ceil(count / width), width * depth, VALUES_AT_ONCE)) {
      compact(from.panels, from.norms, depth, list, count, to.panels, to.norms, begin, end);
      yield;
    }
  }

  use(cache: number, { panels, norms }: Panels, size: number): void {
    const { depth, precision } = this.#sample.panels;
    const count = Math.ceil(size / PANEL_WIDTH[precision]);
    this.#memory.exports.rowCacheSample(cache, panels, norms, count, depth, precision === "f64");
  }

  /** Copies the rows from the memory of another thread, lane by lane. */
  *#copyRows(to: Panels): Pausable<void> {
    const { memory } = this.#kernel;
    const { panels, norms: given } = this.#sample;
    const { precision, depth, pointer, count: available } = panels;
    const width = PANEL_WIDTH[precision];
    const size = this.#rows.length;
    const panelCount = Math.ceil(size / width);
    for (const [begin, end] of workRanges(panelCount, width * depth, VALUES_AT_ONCE)) {
      const source = memory[precision](pointer, available * depth * width);
      const target = this.#memory[precision](to.panels, panelCount * depth * width);
      target.fill(0, begin * depth * width, end * depth * width);
      for (let i = begin * width; i < Math.min(end * width, size); i++) {
        let a = laneStart(this.#rows[i], width, depth);
        let b = laneStart(i, width, depth);
        for (let k = 0; k < depth; k++, a += width, b += width) target[b] = source[a];
      }
      yield;
    }
    const norms = memory[precision](given.pointer, available * width);
    const own = this.#memory[precision](to.norms, panelCount * width).fill(0);
    for (let i = 0; i < size; i++) own[i] = norms[this.#rows[i]];
  }
}

/** Returns the place of a row's first element in panels. */
function laneStart(row: number, width: number, depth: number): number {
  return Math.floor(row / width) * depth * width + (row % width);
}

/** A list of rows of a sparse sample. Smaller problems have a shorter list, and rows are not copied. */
class SparseList implements CachedRows {
  readonly workPerValue: number;
  readonly #memory: WasmMemory;
  readonly #kernel: KernelOnDemand;
  readonly #sample: PackedSparse;
  readonly #rows: Int32Array;
  readonly #own: Panels;
  readonly #vector: number;
  /** A copy of the rows, if the kernel is in the memory of another thread. */
  readonly #copy: SparseAddresses | undefined;

  constructor(kernel: KernelOnDemand, sample: PackedSparse, rows: Int32Array, arena: Arena) {
    this.#memory = arena.memory;
    this.#kernel = kernel;
    this.#sample = sample;
    this.#rows = rows;
    this.workPerValue = (2 * sample.entries) / sample.rows;
    this.#vector = arena.f64(sample.columns).pointer;
    this.#own = this.take(arena, rows.length);
    if (kernel.memory === arena.memory) return;
    const { pointer } = arena.u8(sparseBytes(rows.length, sample.entries));
    this.#copy = placeSparse(pointer, rows.length, sample.entries, arena.memory);
  }

  prepare(cache: number): void {
    this.#memory.f64(this.#vector, this.#sample.columns).fill(0);
    this.#memory.exports.rowCacheSparse(cache, (this.#copy ?? this.#sample).sample, this.#vector);
  }

  take(arena: Arena, rows: number): Panels {
    return { panels: arena.i32(rows).pointer, norms: arena.f64(paddedToFour(rows)).pointer };
  }

  *begin(): Pausable<Panels> {
    const { rows, norms } = this.#sample;
    const count = this.#rows.length;
    const list = this.#memory.i32(this.#own.panels, count);
    const own = this.#memory.f64(this.#own.norms, paddedToFour(count)).fill(0);
    const given = this.#kernel.memory.f64(norms, rows);
    for (let i = 0; i < count; i++) {
      list[i] = this.#copy ? i : this.#rows[i];
      own[i] = given[this.#rows[i]];
    }
    if (this.#copy) yield* this.#copyRows(this.#copy);
    return this.#own;
  }

  *compact(from: Panels, list: number, count: number, to: Panels): Pausable<void> {
    const { compactSparse } = this.#memory.exports;
    compactSparse(from.panels, from.norms, list, count, to.panels, to.norms, 0, paddedToFour(count));
    yield;
  }

  use(cache: number, { panels, norms }: Panels, size: number): void {
    this.#memory.exports.rowCacheSample(cache, panels, norms, size, 0, true);
  }

  /** Copies the rows from the memory of another thread. */
  *#copyRows(to: SparseAddresses): Pausable<void> {
    const { memory } = this.#kernel;
    const sample = this.#sample;
    const starts = memory.i32(sample.starts, sample.rows + 1);
    const ownStarts = this.#memory.i32(to.starts, this.#rows.length + 1);
    ownStarts[0] = 0;
    for (let i = 0; i < this.#rows.length; i++) {
      const [begin, end] = [starts[this.#rows[i]], starts[this.#rows[i] + 1]];
      const first = ownStarts[i];
      ownStarts[i + 1] = first + end - begin;
      this.#memory
        .i32(to.indices + 4 * first, end - begin)
        .set(memory.i32(sample.indices + 4 * begin, end - begin));
      this.#memory
        .f64(to.values + 8 * first, end - begin)
        .set(memory.f64(sample.values + 8 * begin, end - begin));
    }
    this.#memory.f64(to.norms, this.#rows.length).set(this.#memory.f64(this.#own.norms, this.#rows.length));
    yield;
  }
}
