import type { Matrix } from "../../runtime/maths/matrix.js";
import { type Panels, packRows } from "../../runtime/maths/product.js";
import { SparseRows } from "../../runtime/maths/sparse-rows.js";
import { bytes, f64, i32, Scope, type Taken } from "../../runtime/wasm/arena.js";
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

/** Packs a sample in WebAssembly memory that the scope holds. Sparse rows are always in double precision. */
export function packSample(
  X: KernelFeatures,
  kernel: Kernel,
  precision: Precision,
  memory: WasmMemory,
  scope: Scope,
): PackedSample {
  return X instanceof SparseRows
    ? packSparse(X, kernel, memory, scope)
    : packMatrix(X, precision, memory, scope);
}

function packMatrix(X: Matrix, precision: Precision, memory: WasmMemory, scope: Scope): PackedMatrix {
  const panels = packRows(X, precision, memory);
  scope.hold({ release: () => memory.release(panels.block) });
  const norms = scope.allocate(panels.count * PANEL_STEP, memory);
  const { squaredNorms32, squaredNorms64 } = memory.exports;
  const compute = precision === "f32" ? squaredNorms32 : squaredNorms64;
  compute(panels.pointer, panels.count, panels.depth, norms.pointer);
  return { panels, norms };
}

function packSparse(
  { rows, columns, entries, starts, indices, values }: SparseRows,
  kernel: Kernel,
  memory: WasmMemory,
  scope: Scope,
): PackedSparse {
  using scratch = new Scope();
  const { vector } = scratch.take({ vector: f64(columns) }, memory);
  const parts = scope.take(sparseLayout(rows, entries), memory);
  const addresses = sparseAddresses(parts, memory);
  parts.starts.view.set(starts);
  parts.indices.view.set(indices);
  parts.values.view.set(values);
  parts.norms.view.fill(0);
  vector.view.fill(0);
  memory.exports.sparseNorms(kernelForm(kernel).kind, addresses.sample, rows, vector.pointer);
  return { ...addresses, rows, columns, entries };
}

/** Lays out sparse rows. */
export function sparseLayout(rows: number, entries: number) {
  return {
    sample: bytes(SPARSE_SAMPLE_BYTES),
    starts: i32(rows + 1),
    indices: i32(entries),
    values: f64(entries),
    norms: f64(paddedToFour(rows)),
  };
}

/** Returns the addresses of sparse rows, and tells kernels. */
export function sparseAddresses(
  { sample, starts, indices, values, norms }: Taken<ReturnType<typeof sparseLayout>>,
  { exports }: WasmMemory,
): SparseAddresses {
  const addresses = {
    sample: sample.pointer,
    starts: starts.pointer,
    indices: indices.pointer,
    values: values.pointer,
    norms: norms.pointer,
  };
  exports.sparseLayOut(
    addresses.sample,
    addresses.starts,
    addresses.indices,
    addresses.values,
    addresses.norms,
  );
  return addresses;
}

/** Pads a number of rows: kernels turn four sums at a time into values. */
export function paddedToFour(rows: number): number {
  return 4 * Math.ceil(rows / 4);
}
