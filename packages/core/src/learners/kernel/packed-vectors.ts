import { SparseRows } from "../../runtime/maths/sparse-rows.js";
import { f64, type Taken } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { PANEL_STEP, PANEL_WIDTH, SPARSE_SAMPLE_BYTES } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type Kernel, kernelForm } from "./kernel.js";
import { columnAt, type KernelFeatures, rowStart } from "./kernel-features.js";

const WIDTH = PANEL_WIDTH.f64;

/** The support vectors of machines in an image of bytes: in panels, or as sparse rows. The numbers are offsets. */
export interface VectorLayout {
  readonly kernel: Kernel;
  readonly features: number;
  readonly vectors: number;
  readonly norms: number;
  readonly at: PanelOffsets | SparseOffsets;
  readonly bytes: number;
}

interface PanelOffsets {
  readonly kind: "panels";
  readonly panels: number;
}

interface SparseOffsets {
  readonly kind: "sparse";
  readonly sample: number;
  readonly starts: number;
  readonly indices: number;
  readonly values: number;
}

/** Lays out the image of support vectors. */
export function layOutVectors(kernel: Kernel, support: KernelFeatures): VectorLayout {
  const { rows: vectors, columns: features } = support;
  const padded = Math.ceil(vectors / WIDTH) * WIDTH;
  const shape = { kernel, features, vectors };
  if (!(support instanceof SparseRows)) {
    const norms = alignUp((padded / WIDTH) * features * PANEL_STEP);
    return { ...shape, norms, at: { kind: "panels", panels: 0 }, bytes: norms + alignUp(padded * 8) };
  }
  const { entries } = support;
  const starts = alignUp(SPARSE_SAMPLE_BYTES);
  const indices = starts + alignUp(4 * (vectors + 1));
  const values = indices + alignUp(4 * entries);
  const norms = values + alignUp(8 * entries);
  const at = { kind: "sparse", sample: 0, starts, indices, values } as const;
  return { ...shape, norms, at, bytes: norms + alignUp(padded * 8) };
}

/** Writes support vectors, and their norms, summed in the order of kernels. */
export function packVectors(support: KernelFeatures, { buffer }: Uint8Array, layout: VectorLayout): void {
  const { rows, columns } = support;
  const norms = new Float64Array(buffer, layout.norms, rows);
  if (support instanceof SparseRows) {
    if (layout.at.kind !== "sparse") throw new Error("Sparse vectors have another layout.");
    for (let s = 0; s < rows; s++) norms[s] = sparseNorm(layout.kernel, support, s);
    new Int32Array(buffer, layout.at.starts, rows + 1).set(support.starts);
    new Int32Array(buffer, layout.at.indices, support.entries).set(support.indices);
    new Float64Array(buffer, layout.at.values, support.entries).set(support.values);
    return;
  }
  // Panels as in `wasm/panels.ts`.
  const panels = new Float64Array(buffer, 0, Math.ceil(rows / WIDTH) * WIDTH * columns);
  for (let s = 0; s < rows; s++) {
    let to = Math.floor(s / WIDTH) * WIDTH * columns + (s % WIDTH);
    for (let k = s * columns; k < (s + 1) * columns; k++, to += WIDTH) panels[to] = support.values[k];
    norms[s] = squaredNorm(support, s);
  }
}

/** Sets the addresses of an image that has been copied to WebAssembly memory. */
export function setAddresses({ at, norms }: VectorLayout, image: number, { exports }: WasmMemory): void {
  if (at.kind === "panels") return;
  const { sample, starts, indices, values } = at;
  exports.sparseLayOut(image + sample, image + starts, image + indices, image + values, image + norms);
}

/** Returns the rough number of multiplications that comparing a row with all support vectors takes. */
export function compareWork({ features, vectors, at, norms }: VectorLayout): number {
  return at.kind === "panels" ? vectors * features : (norms - at.values) / 2;
}

/** Blocks of rows that are compared with support vectors, in scratch memory. */
export interface VectorBlock {
  /** Takes rows of a sample: `rowOf` returns the i-th of `count`. */
  load(features: KernelFeatures, count: number, rowOf: (i: number) => number): void;
  /** Computes the kernel values of the support vectors [first, last) with the block: a row of `stride` values for each. */
  compare(first: number, last: number, values: number, stride: number): void;
}

/** Lays out a block of rows: the rows and their panels, or one row spread over all columns. */
export function blockLayout({ features, at }: VectorLayout, rows: number) {
  const cells = rows * features;
  const isSparse = at.kind === "sparse";
  return { cells: f64(isSparse ? features : cells), panels: f64(isSparse ? 0 : cells), norms: f64(rows) };
}

type BlockRoom = Taken<ReturnType<typeof blockLayout>>;

/** Makes a block of rows in memory of this layout. */
export function rowBlock(
  memory: WasmMemory,
  layout: VectorLayout,
  image: number,
  room: BlockRoom,
): VectorBlock {
  return layout.at.kind === "panels"
    ? new PanelBlock(memory, layout, image, room)
    : new SparseBlock(memory, layout, image + layout.at.sample, room);
}

/** A block for support vectors in panels: rows become panels, too. */
class PanelBlock implements VectorBlock {
  readonly #memory: WasmMemory;
  readonly #layout: VectorLayout;
  readonly #image: number;
  readonly #room: BlockRoom;
  #count = 0;

  constructor(memory: WasmMemory, layout: VectorLayout, image: number, room: BlockRoom) {
    this.#memory = memory;
    this.#layout = layout;
    this.#image = image;
    this.#room = room;
  }

  load(features: KernelFeatures, count: number, rowOf: (i: number) => number): void {
    const { features: depth } = this.#layout;
    const { panels, norms } = this.#room;
    const cells = this.#room.cells.view;
    if (features instanceof SparseRows) cells.fill(0, 0, count * depth);
    for (let i = 0; i < count; i++) {
      const row = rowOf(i);
      const begin = rowStart(features, row);
      const end = rowStart(features, row + 1);
      if (features instanceof SparseRows) {
        for (let e = begin; e < end; e++) cells[i * depth + features.indices[e]] = features.values[e];
      } else cells.set(features.values.subarray(begin, end), i * depth);
    }
    this.#memory.exports.packBlock(this.#room.cells.pointer, count, depth, panels.pointer, norms.pointer);
    this.#count = count;
  }

  compare(first: number, last: number, values: number, stride: number): void {
    const { kernel, features: depth, norms: ownNorms } = this.#layout;
    const { kind, degree, factor, offset } = kernelForm(kernel);
    const { panels, norms } = this.#room;
    const own = this.#image + first * depth * 8;
    const ownPanels = Math.ceil((last - first) / WIDTH);
    const blockPanels = Math.ceil(this.#count / WIDTH);
    this.#memory.exports.crossValues(
      kind,
      degree,
      factor,
      offset,
      own,
      ownPanels,
      this.#image + ownNorms + first * 8,
      panels.pointer,
      blockPanels,
      norms.pointer,
      depth,
      values,
      stride,
    );
  }
}

/** A block for sparse support vectors: the entries of one row after the other are spread over all columns. */
class SparseBlock implements VectorBlock {
  readonly #memory: WasmMemory;
  readonly #layout: VectorLayout;
  readonly #sample: number;
  readonly #room: BlockRoom;
  #rows: Entries[] = [];

  constructor(memory: WasmMemory, layout: VectorLayout, sample: number, room: BlockRoom) {
    this.#memory = memory;
    this.#layout = layout;
    this.#sample = sample;
    this.#room = room;
    room.cells.view.fill(0);
  }

  load(features: KernelFeatures, count: number, rowOf: (i: number) => number): void {
    const norms = this.#room.norms.view;
    this.#rows = Array.from({ length: count }, (_, i) => {
      norms[i] = sparseNorm(this.#layout.kernel, features, rowOf(i));
      return entriesOf(features, rowOf(i));
    });
  }

  compare(first: number, last: number, values: number, stride: number): void {
    const { kind, degree, factor, offset } = kernelForm(this.#layout.kernel);
    const { sparseSums, sparseCrossValues } = this.#memory.exports;
    const { cells, norms } = this.#room;
    const vector = cells.view;
    this.#rows.forEach(({ columns, values: numbers }, r) => {
      for (let e = 0; e < columns.length; e++) vector[columns[e]] = numbers[e];
      sparseSums(kind, this.#sample, 0, first, last, cells.pointer, values + 8 * r, 8 * stride);
      for (let e = 0; e < columns.length; e++) vector[columns[e]] = 0;
    });
    const count = Math.ceil(this.#rows.length / WIDTH) * WIDTH;
    sparseCrossValues(
      kind,
      degree,
      factor,
      offset,
      this.#sample,
      first,
      last,
      count,
      norms.pointer,
      values,
      stride,
    );
  }
}

interface Entries {
  readonly columns: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Returns the columns and values of a row that are not zero. */
function entriesOf(features: KernelFeatures, row: number): Entries {
  const begin = rowStart(features, row);
  const end = rowStart(features, row + 1);
  if (features instanceof SparseRows) {
    return { columns: features.indices.subarray(begin, end), values: features.values.subarray(begin, end) };
  }
  const columns: number[] = [];
  const values: number[] = [];
  for (let k = begin; k < end; k++) {
    if (features.values[k] === 0) continue;
    columns.push(columnAt(features, row, k));
    values.push(features.values[k]);
  }
  return { columns, values };
}

/** Computes ‖x‖² of a row, summed in the order of kernels. */
function squaredNorm(features: KernelFeatures, row: number): number {
  const end = rowStart(features, row + 1);
  const { values } = features;
  let norm = 0;
  for (let k = rowStart(features, row); k < end; k++) norm += values[k] * values[k];
  return norm;
}

/** The smallest normal double, which keeps 0/0 out. */
const LEAST = 2 ** -1022;

/** Computes the sum of a row with itself as `wasm/kernel-sparse.ts` does. */
function sparseNorm({ kind }: Kernel, features: KernelFeatures, row: number): number {
  if (kind !== "chi-square" && kind !== "intersection") return squaredNorm(features, row);
  const end = rowStart(features, row + 1);
  const { values } = features;
  let norm = 0;
  for (let k = rowStart(features, row); k < end; k++) {
    const x = values[k];
    norm += kind === "intersection" ? x : (2 * x * x) / Math.max(LEAST, x + x);
  }
  return norm;
}
