import type { Matrix } from "../../runtime/maths/matrix.js";
import { type Panels, packRows } from "../../runtime/maths/product.js";
import { SparseRows } from "../../runtime/maths/sparse-rows.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { PANEL_STEP, type Precision, SPARSE_SAMPLE_BYTES } from "../../runtime/wasm/wasm-exports.js";
import type { Block, WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type Kernel, kernelForm } from "./kernel.js";
import type { KernelFeatures } from "./kernel-features.js";

/** The rows of a sample in WebAssembly memory, as kernels read them; structured-cloneable. */
export type PackedSample = PackedMatrix | PackedSparse;

/** A matrix packed into panels, and the squared norm of each row. */
export interface PackedMatrix {
  readonly panels: Panels;
  readonly norms: Block;
}

/** Sparse rows (`wasm/kernel-sparse.ts`). */
export interface PackedSparse extends SparseAddresses {
  readonly rows: number;
  readonly columns: number;
  readonly entries: number;
  readonly block: Block;
}

/** Where sparse rows are. */
export interface SparseAddresses {
  /** The address of the addresses, for kernels. */
  readonly sample: number;
  readonly starts: number;
  readonly indices: number;
  readonly values: number;
  /** A double for each row, and up to three more. */
  readonly norms: number;
}

/**
 * Packs a sample in WebAssembly memory, which its caller releases with `releaseSample`. Sparse rows are always in double
 * precision.
 */
export function packSample(
  X: KernelFeatures,
  kernel: Kernel,
  precision: Precision,
  memory: WasmMemory,
): PackedSample {
  return X instanceof SparseRows ? packSparse(X, kernel, memory) : packMatrix(X, precision, memory);
}

/** Returns the memory of a sample. */
export function blocksOf(sample: PackedSample): Block[] {
  return "panels" in sample ? [sample.panels.block, sample.norms] : [sample.block];
}

export function releaseSample(sample: PackedSample, memory: WasmMemory): void {
  for (const block of blocksOf(sample)) memory.release(block);
}

function packMatrix(X: Matrix, precision: Precision, memory: WasmMemory): PackedMatrix {
  const panels = packRows(X, precision, memory);
  try {
    const norms = memory.allocate(panels.count * PANEL_STEP);
    const { squaredNorms32, squaredNorms64 } = memory.exports;
    const compute = precision === "f32" ? squaredNorms32 : squaredNorms64;
    compute(panels.pointer, panels.count, panels.depth, norms.pointer);
    return { panels, norms };
  } catch (error) {
    memory.release(panels.block);
    throw error;
  }
}

function packSparse(X: SparseRows, kernel: Kernel, memory: WasmMemory): PackedSparse {
  const { rows, columns, entries } = X;
  const vector = memory.allocate(8 * columns);
  try {
    const block = memory.allocate(sparseBytes(rows, entries));
    const addresses = placeSparse(block.pointer, rows, entries, memory);
    writeSparse(X, addresses, memory);
    memory.f64(addresses.norms, padded(rows)).fill(0);
    memory.f64(vector.pointer, columns).fill(0);
    memory.exports.sparseNorms(kernelForm(kernel).kind, addresses.sample, rows, vector.pointer);
    return { ...addresses, rows, columns, entries, block };
  } finally {
    memory.release(vector);
  }
}

/** Returns the bytes of sparse rows. */
export function sparseBytes(rows: number, entries: number): number {
  return sparseSizes(rows, entries).reduce((sum, bytes) => sum + alignUp(bytes), 0);
}

/** Divides memory of `sparseBytes` bytes. */
export function placeSparse(
  pointer: number,
  rows: number,
  entries: number,
  { exports }: WasmMemory,
): SparseAddresses {
  let next = pointer;
  const [sample, starts, indices, values, norms] = sparseSizes(rows, entries).map((bytes) => {
    next += alignUp(bytes);
    return next - alignUp(bytes);
  });
  exports.sparseLayOut(sample, starts, indices, values, norms);
  return { sample, starts, indices, values, norms };
}

/** Writes sparse rows, without their norms. */
export function writeSparse(
  { starts, indices, values }: Pick<SparseRows, "starts" | "indices" | "values">,
  to: SparseAddresses,
  memory: WasmMemory,
): void {
  memory.i32(to.starts, starts.length).set(starts);
  memory.i32(to.indices, indices.length).set(indices);
  memory.f64(to.values, values.length).set(values);
}

function sparseSizes(rows: number, entries: number): number[] {
  return [SPARSE_SAMPLE_BYTES, 4 * (rows + 1), 4 * entries, 8 * entries, 8 * padded(rows)];
}

/** Kernels turn four sums at a time into values. */
function padded(rows: number): number {
  return 4 * Math.ceil(rows / 4);
}
