import { VouchError } from "../../runtime/vouch-error.js";
import { Arena, f64, Scope, type Taken } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { PANEL_WIDTH, SUMS_ENTRY_BYTES, SUMS_USE_BYTES } from "../../runtime/wasm/wasm-exports.js";
import { type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type Releasable, WasmStructure } from "../../runtime/wasm/wasm-structure.js";
import type { Kernel } from "./kernel.js";
import type { KernelFeatures } from "./kernel-features.js";
import {
  blockLayout,
  compareWork,
  layOutVectors,
  packVectors,
  rowBlock,
  setAddresses,
  type VectorBlock,
  type VectorLayout,
} from "./packed-vectors.js";

/** f(x) = Σ coefficient · K(s, x) + bias, over some of the support vectors that several machines share. */
export interface KernelMachine {
  /** Ascending indices of support vectors. */
  readonly support: Int32Array;
  readonly coefficients: Float64Array;
  readonly bias: number;
}

/** Support vectors whose kernel values are computed at a time: with a block of rows they take 64 KB. */
const CHUNK = 256;

/** Rows in a block. With very many machines, whose sums take more memory than kernel values, fewer. */
const BLOCK = 32;
const SMALL_BLOCK = 4;
const MANY_MACHINES = 2 ** 15;

const WIDTH = PANEL_WIDTH.f64;

/** Where the sections of packed machines begin, in bytes; the support vectors come first. */
interface Layout {
  readonly biases: number;
  readonly uses: number;
  readonly entries: number;
  readonly bytes: number;
}

/** The shape of packed machines: structured-cloneable. */
interface MachineShape {
  readonly vectors: VectorLayout;
  readonly machines: number;
  /** The first use and the first entry of each chunk; the ends of the last one come last. */
  readonly chunks: Int32Array;
  readonly layout: Layout;
}

/** Visits the values of all machines for a row, in an array that the next row overwrites. */
type VisitValues = (values: Float64Array, i: number) => void;

/**
 * Evaluates kernel machines that share support vectors, in double precision: sums, exponentials within 2 units in the last
 * place, and sums over support vectors in their order. The machines are packed once, as kernels read them. Values do not depend
 * on the rows that are evaluated together.
 */
export class KernelSums {
  readonly shape: MachineShape;
  readonly #bytes: Uint8Array;

  private constructor(shape: MachineShape, bytes: Uint8Array) {
    this.shape = shape;
    this.#bytes = bytes;
  }

  static of(kernel: Kernel, support: KernelFeatures, machines: readonly KernelMachine[]): KernelSums {
    const { chunks, ends } = endsByChunk(support.rows, machines);
    const vectors = layOutVectors(kernel, support);
    const layout = layoutOf(vectors, machines.length, chunks);
    const bytes = new Uint8Array(layout.bytes);
    packVectors(support, bytes, vectors);
    new Float64Array(bytes.buffer, layout.biases, machines.length).set(machines.map(({ bias }) => bias));
    packUses(machines, ends, chunks, bytes, layout);
    return new KernelSums({ vectors, machines: machines.length, chunks, layout }, bytes);
  }

  /** Returns the rough operations of evaluating a row. */
  get workPerRow(): number {
    const { vectors, layout } = this.shape;
    const work = compareWork(vectors) + 24 * vectors.vectors;
    return (work + (layout.bytes - layout.entries) / SUMS_ENTRY_BYTES) / 4;
  }

  /**
   * Visits f(x) of all machines for each row, or for each of the given rows. A value that overflows is an error.
   */
  forEachRow(features: KernelFeatures, visit: VisitValues, rows?: ArrayLike<number>): void {
    using scope = new Scope();
    const sums = scope.hold(this.inWasm());
    sums.forEachRow(features, visit, scope.take(sums.layout), rows);
  }

  /** Copies the machines to WebAssembly memory, where threads share them. Its caller releases them. */
  inWasm(memory = wasmMemory()): WasmSums {
    const arena = Arena.allocate(this.#bytes.length, memory);
    memory.u8(arena.pointer, this.#bytes.length).set(this.#bytes);
    setAddresses(this.shape.vectors, arena.pointer, memory);
    return new WasmSums({ memory, shape: this.shape, image: arena.pointer }, arena);
  }
}

/** What a task gets of machines in WebAssembly memory. */
export interface WasmSumsFields {
  readonly memory: WasmMemory;
  readonly shape: MachineShape;
  readonly image: number;
}

/** Kernel machines in WebAssembly memory, which threads evaluate without a copy. */
export class WasmSums extends WasmStructure implements WasmSumsFields {
  readonly shape: MachineShape;
  readonly image: number;

  /** A view of machines that another object owns. */
  constructor({ memory, shape, image }: WasmSumsFields, owned?: Releasable) {
    super(memory, owned);
    this.shape = shape;
    this.image = image;
  }

  /** The scratch of an evaluation. */
  get layout() {
    const { vectors, machines } = this.shape;
    const rows = rowsAtOnce(machines);
    const sums = f64(machines * rows);
    return { values: f64(CHUNK * rows), sums, byRow: sums, block: blockLayout(vectors, rows) };
  }

  /** Does what `KernelSums.forEachRow` does, with scratch memory. */
  forEachRow(
    features: KernelFeatures,
    visit: VisitValues,
    scratch: Taken<WasmSums["layout"]>,
    rows?: ArrayLike<number>,
  ): void {
    const { machines, vectors } = this.shape;
    const total = rows ? rows.length : features.rows;
    const block = rowBlock(this.memory, vectors, this.image, scratch.block);
    const values = new Float64Array(machines);
    const most = rowsAtOnce(machines);
    const results = new Float64Array(most * machines);
    for (let first = 0; first < total; first += most) {
      const count = Math.min(most, total - first);
      block.load(features, count, (i) => (rows ? rows[first + i] : first + i));
      this.#evaluate(block, scratch, count, results);
      for (let i = 0; i < count; i++) {
        values.set(results.subarray(i * machines, (i + 1) * machines));
        if (!areFinite(values)) throw kernelOverflow(rows ? rows[first + i] : first + i);
        visit(values, first + i);
      }
    }
  }

  /** Evaluates a block of rows; writes a row of values for each. */
  #evaluate(
    block: VectorBlock,
    scratch: Taken<WasmSums["layout"]>,
    count: number,
    results: Float64Array,
  ): void {
    const { vectors, machines, chunks, layout } = this.shape;
    const { image } = this;
    const { exports } = this.memory;
    const stride = rowsAtOnce(machines);
    const values = scratch.values.pointer;
    const sums = scratch.sums.pointer;
    exports.startSums(image + layout.biases, machines, sums, stride);
    const columns = Math.ceil(count / WIDTH) * WIDTH;
    for (let first = 0, c = 0; first < vectors.vectors; first += CHUNK, c += 2) {
      block.compare(first, Math.min(first + CHUNK, vectors.vectors), values, stride);
      const uses = image + layout.uses + chunks[c] * SUMS_USE_BYTES;
      const entries = image + layout.entries + chunks[c + 1] * SUMS_ENTRY_BYTES;
      const used = chunks[c + 2] - chunks[c];
      exports.addMachines(values, uses, used, entries, sums, stride, columns);
    }
    exports.transposeSums(sums, stride, machines, count, scratch.byRow.pointer);
    results.set(scratch.byRow.view.subarray(0, count * machines));
  }
}

function layoutOf(vectors: VectorLayout, machines: number, chunks: Int32Array): Layout {
  const biases = vectors.bytes;
  const uses = biases + alignUp(machines * 8);
  const entries = uses + alignUp(chunks[chunks.length - 2] * SUMS_USE_BYTES);
  return { biases, uses, entries, bytes: entries + chunks[chunks.length - 1] * SUMS_ENTRY_BYTES };
}

/** Counts the entries of each machine in each chunk: `ends[m]` are the ends of its entries by chunk. */
function endsByChunk(vectors: number, machines: readonly KernelMachine[]) {
  const count = Math.ceil(vectors / CHUNK);
  const chunks = new Int32Array(2 * (count + 1));
  const ends = machines.map(({ support }) => {
    const ends = new Int32Array(count);
    let next = 0;
    for (let c = 0; c < count; c++) {
      const begin = next;
      while (next < support.length && support[next] < (c + 1) * CHUNK) next++;
      ends[c] = next;
      if (next > begin) chunks[2 * c + 2]++;
      chunks[2 * c + 3] += next - begin;
    }
    return ends;
  });
  for (let k = 2; k < chunks.length; k++) chunks[k] += chunks[k - 2];
  return { chunks, ends };
}

/** Packs uses and entries, chunk after chunk. */
function packUses(
  machines: readonly KernelMachine[],
  ends: readonly Int32Array[],
  chunks: Int32Array,
  { buffer }: Uint8Array,
  layout: Layout,
): void {
  const uses = new Int32Array(buffer, layout.uses, 2 * chunks[chunks.length - 2]);
  const coefficients = new Float64Array(buffer, layout.entries, 2 * chunks[chunks.length - 1]);
  const offsets = new Int32Array(buffer, layout.entries, 4 * chunks[chunks.length - 1]);
  const valueBytes = 8 * rowsAtOnce(machines.length);
  let use = 0;
  let entry = 0;
  for (let c = 0; c + 1 < chunks.length / 2; c++) {
    for (let m = 0; m < machines.length; m++) {
      const begin = c === 0 ? 0 : ends[m][c - 1];
      const end = ends[m][c];
      if (begin === end) continue;
      for (let k = begin; k < end; k++, entry++) {
        coefficients[2 * entry] = machines[m].coefficients[k];
        offsets[4 * entry + 2] = (machines[m].support[k] - c * CHUNK) * valueBytes;
      }
      uses[use++] = m;
      uses[use++] = entry - chunks[2 * c + 1];
    }
  }
}

function rowsAtOnce(machines: number): number {
  return machines > MANY_MACHINES ? SMALL_BLOCK : BLOCK;
}

function areFinite(values: Float64Array): boolean {
  // 0 · x is NaN for NaN and ±∞ only.
  let probe = 0;
  for (let p = 0; p < values.length; p++) probe += 0 * values[p];
  return probe === 0;
}

/** Makes the error of a row, counted from 0, whose kernel values are not finite. */
export function kernelOverflow(row: number): VouchError {
  return new VouchError(
    "data/not-finite",
    `Row ${row + 1} has numbers so large that its kernel values are not finite.`,
    { hint: "Check the row for a value in a different unit than in the training rows." },
  );
}
