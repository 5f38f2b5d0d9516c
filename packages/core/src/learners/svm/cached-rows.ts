import { type Pausable, workRanges } from "../../runtime/parallel/pausable.js";
import { bytes, f64, i32, type Taken } from "../../runtime/wasm/arena.js";
import { ELEMENT_BYTES, PANEL_STEP, PANEL_WIDTH } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import type { KernelOnDemand } from "../kernel/kernel-rows.js";
import {
  type PackedMatrix,
  type PackedSample,
  type PackedSparse,
  paddedToFour,
  type SparseAddresses,
  sparseAddresses,
  sparseLayout,
} from "../kernel/packed-sample.js";
import { type RowsSetting, VALUES_AT_ONCE } from "./kernel-store.js";

/** The rows of a problem and their norms: packed into panels, or a list of rows of a sparse sample. */
export interface ProblemRows {
  readonly panels: number;
  readonly norms: number;
}

/** The rows that a cache computes kernel values of. */
export interface CachedRows {
  /** The work of computing the kernel value of two rows, in kernel values read. */
  readonly workPerValue: number;
  /** Prepares a cache for these rows. */
  prepare(cache: number): void;
  /** Collects the rows of the problem. */
  begin(): Pausable<ProblemRows>;
  /** Selects the listed rows. */
  compact(from: ProblemRows, list: number, count: number, to: ProblemRows): Pausable<void>;
  /** Makes these rows the sample of a cache. */
  use(cache: number, panels: ProblemRows, size: number): void;
}

/** Lays out this many rows. */
export function panelsLayout(sample: PackedSample, rows: number) {
  if (!("panels" in sample)) return { panels: bytes(4 * rows), norms: bytes(8 * paddedToFour(rows)) };
  const { precision, depth } = sample.panels;
  const count = Math.ceil(rows / PANEL_WIDTH[precision]);
  return {
    panels: bytes(count * depth * PANEL_STEP),
    norms: bytes(count * PANEL_WIDTH[precision] * ELEMENT_BYTES[precision]),
  };
}

/** Returns the addresses of rows. */
export function panelsOf({ panels, norms }: Taken<ReturnType<typeof panelsLayout>>): ProblemRows {
  return { panels: panels.pointer, norms: norms.pointer };
}

/** Lays out the rows of a problem: a copy of packed rows unless they are used in place, or a list of sparse rows. */
export function cachedRowsLayout(sample: PackedSample, rows: number, { copied, foreign }: RowsSetting) {
  const isSparse = !("panels" in sample);
  const isCopied = copied || foreign;
  const copiedRows = isSparse && foreign ? rows : 0;
  return {
    own: panelsLayout(sample, isCopied || isSparse ? rows : 0),
    list: i32(isCopied && !isSparse ? rows : 0),
    vector: f64(isSparse ? sample.columns : 0),
    copy: sparseLayout(copiedRows, isSparse && foreign ? sample.entries : 0),
  };
}

type Room = Taken<ReturnType<typeof cachedRowsLayout>>;

/** Makes the rows of a problem in memory of their layout. */
export function cachedRows(
  kernel: KernelOnDemand,
  rows: Int32Array,
  room: Room,
  memory: WasmMemory,
): CachedRows {
  const { sample } = kernel;
  return "panels" in sample
    ? new PanelRows(kernel, sample, rows, room, memory)
    : new SparseList(kernel, sample, rows, room, memory);
}

/** Rows in panels. All rows of the kernel are used in place. */
class PanelRows implements CachedRows {
  readonly workPerValue: number;
  readonly #memory: WasmMemory;
  readonly #kernel: KernelOnDemand;
  readonly #sample: PackedMatrix;
  readonly #rows: Int32Array;
  readonly #room: Room;

  constructor(
    kernel: KernelOnDemand,
    sample: PackedMatrix,
    rows: Int32Array,
    room: Room,
    memory: WasmMemory,
  ) {
    this.#memory = memory;
    this.#kernel = kernel;
    this.#sample = sample;
    this.#rows = rows;
    this.#room = room;
    this.workPerValue = sample.panels.depth / 2;
  }

  prepare(): void {}

  *begin(): Pausable<ProblemRows> {
    const { panels, norms } = this.#sample;
    const whole = { panels: panels.pointer, norms: norms.pointer };
    const { list, own } = this.#room;
    if (list.length === 0) return whole;
    const copy = panelsOf(own);
    if (this.#kernel.memory === this.#memory) {
      list.view.set(this.#rows);
      yield* this.compact(whole, list.pointer, list.length, copy);
    } else yield* this.#copyRows(copy);
    return copy;
  }

  *compact(from: ProblemRows, list: number, count: number, to: ProblemRows): Pausable<void> {
    const { depth, precision } = this.#sample.panels;
    const { compactPanels32, compactPanels64 } = this.#memory.exports;
    const compact = precision === "f32" ? compactPanels32 : compactPanels64;
    const width = PANEL_WIDTH[precision];
    for (const [begin, end] of workRanges(Math.ceil(count / width), width * depth, VALUES_AT_ONCE)) {
      compact(from.panels, from.norms, depth, list, count, to.panels, to.norms, begin, end);
      yield;
    }
  }

  use(cache: number, { panels, norms }: ProblemRows, size: number): void {
    const { depth, precision } = this.#sample.panels;
    const count = Math.ceil(size / PANEL_WIDTH[precision]);
    this.#memory.exports.rowCacheSample(cache, panels, norms, count, depth, precision === "f64");
  }

  /** Copies the rows from the memory of another thread, lane by lane. */
  *#copyRows(to: ProblemRows): Pausable<void> {
    const { memory } = this.#kernel;
    const { panels, norms } = this.#sample;
    const { precision, depth } = panels;
    const width = PANEL_WIDTH[precision];
    const size = this.#rows.length;
    const panelCount = Math.ceil(size / width);
    for (const [begin, end] of workRanges(panelCount, width * depth, VALUES_AT_ONCE)) {
      const source = memory[precision](panels.pointer, panels.count * depth * width);
      const target = this.#memory[precision](to.panels, panelCount * depth * width);
      target.fill(0, begin * depth * width, end * depth * width);
      for (let i = begin * width; i < Math.min(end * width, size); i++) {
        let a = laneStart(this.#rows[i], width, depth);
        let b = laneStart(i, width, depth);
        for (let k = 0; k < depth; k++, a += width, b += width) target[b] = source[a];
      }
      yield;
    }
    const fromNorms = memory[precision](norms.pointer, panels.count * width);
    const toNorms = this.#memory[precision](to.norms, panelCount * width).fill(0);
    for (let i = 0; i < size; i++) toNorms[i] = fromNorms[this.#rows[i]];
  }
}

/** Returns the index of a row's first element in panels. */
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
  readonly #room: Room;
  /** A copy of the rows, if the kernel is in the memory of another thread. */
  readonly #copy: SparseAddresses | undefined;

  constructor(
    kernel: KernelOnDemand,
    sample: PackedSparse,
    rows: Int32Array,
    room: Room,
    memory: WasmMemory,
  ) {
    this.#memory = memory;
    this.#kernel = kernel;
    this.#sample = sample;
    this.#rows = rows;
    this.#room = room;
    this.workPerValue = (2 * sample.entries) / sample.rows;
    if (kernel.memory !== memory) this.#copy = sparseAddresses(room.copy, memory);
  }

  prepare(cache: number): void {
    const { vector } = this.#room;
    vector.view.fill(0);
    this.#memory.exports.rowCacheSparse(cache, (this.#copy ?? this.#sample).sample, vector.pointer);
  }

  *begin(): Pausable<ProblemRows> {
    const { rows, norms } = this.#sample;
    const count = this.#rows.length;
    const own = panelsOf(this.#room.own);
    const list = this.#memory.i32(own.panels, count);
    const toNorms = this.#memory.f64(own.norms, paddedToFour(count)).fill(0);
    const fromNorms = this.#kernel.memory.f64(norms, rows);
    for (let i = 0; i < count; i++) {
      list[i] = this.#copy ? i : this.#rows[i];
      toNorms[i] = fromNorms[this.#rows[i]];
    }
    if (this.#copy) yield* this.#copyRows(this.#copy);
    return own;
  }

  *compact(from: ProblemRows, list: number, count: number, to: ProblemRows): Pausable<void> {
    const { compactSparse } = this.#memory.exports;
    compactSparse(from.panels, from.norms, list, count, to.panels, to.norms, 0, paddedToFour(count));
    yield;
  }

  use(cache: number, { panels, norms }: ProblemRows, size: number): void {
    this.#memory.exports.rowCacheSample(cache, panels, norms, size, 0, true);
  }

  /** Copies the rows from the memory of another thread. */
  *#copyRows(to: SparseAddresses): Pausable<void> {
    const { memory } = this.#kernel;
    const own = this.#memory;
    const { rows, starts, indices, values, norms } = this.#sample;
    const fromStarts = memory.i32(starts, rows + 1);
    const fromNorms = memory.f64(norms, rows);
    const toStarts = own.i32(to.starts, this.#rows.length + 1);
    const toNorms = own.f64(to.norms, this.#rows.length);
    toStarts[0] = 0;
    this.#rows.forEach((row, i) => {
      const begin = fromStarts[row];
      const length = fromStarts[row + 1] - begin;
      const first = toStarts[i];
      toStarts[i + 1] = first + length;
      own.i32(to.indices + 4 * first, length).set(memory.i32(indices + 4 * begin, length));
      own.f64(to.values + 8 * first, length).set(memory.f64(values + 8 * begin, length));
      toNorms[i] = fromNorms[row];
    });
    yield;
  }
}
