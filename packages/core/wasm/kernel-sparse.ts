import { CHI_SQUARE, INTERSECTION, kernelValues, RBF, SUMS_AT_ONCE } from "./kernel-values";
import { mirror } from "./kernel-matrix";

/**
 * Kernels of sparse rows, which are in compressed form: row i has the entries starts[i] … starts[i + 1] − 1, each an index (i32)
 * and a value (f64). One row is spread over a vector with a number for each column; the entries of the others pick theirs from it.
 * So every sum visits the entries that two rows share, in the order of the columns, and is the same for (x, y) and (y, x).
 *
 * The terms are xy, 2xy / (x + y) for chi-square and min(x, y) for intersection. Σ (x − y)² / (x + y) = Σx + Σy − 2 Σ 2xy / (x + y),
 * so chi-square values follow from sums and "norms" Σx as RBF values do from products and squared norms.
 */

/** Sparse rows in memory. */
@unmanaged export class SparseSample {
  starts: usize;
  indices: usize;
  values: usize;
  /** Σ of the terms of each row with itself; padded to a multiple of four. */
  norms: usize;
}

/** Sets where the parts of the rows are. */
export function layOutSparse(sample: SparseSample, starts: usize, indices: usize, values: usize, norms: usize): void {
  sample.starts = starts;
  sample.indices = indices;
  sample.values = values;
  sample.norms = norms;
}

/** Writes the entries of a row to the vector, which is zero. */
export function spreadRow(sample: SparseSample, row: i32, vector: usize): void {
  const end = entryOf(sample, row + 1);
  for (let e = entryOf(sample, row); e < end; e++) store<f64>(vector + (columnOf(sample, e) << 3), valueOf(sample, e));
}

/** Makes the vector zero again. */
export function clearRow(sample: SparseSample, row: i32, vector: usize): void {
  const end = entryOf(sample, row + 1);
  for (let e = entryOf(sample, row); e < end; e++) store<f64>(vector + (columnOf(sample, e) << 3), 0);
}

/** Computes the sums of the vector with the rows [begin, end) of the list, or of the sample without one, `stride` bytes apart. */
export function sparseSums(
  kind: i32, sample: SparseSample, list: usize, begin: i32, end: i32,
  vector: usize, to: usize, stride: usize,
): void {
  for (let j = begin; j < end; j++, to += stride) {
    const row = list != 0 ? load<i32>(list + (<usize>j << 2)) : j;
    const first = entryOf(sample, row), last = entryOf(sample, row + 1);
    if (kind == CHI_SQUARE) store<f64>(to, harmonicMeans(sample, first, last, vector));
    else if (kind == INTERSECTION) store<f64>(to, minima(sample, first, last, vector));
    else store<f64>(to, products(sample, first, last, vector));
  }
}

function products(sample: SparseSample, first: i32, last: i32, vector: usize): f64 {
  let sum: f64 = 0;
  for (let e = first; e < last; e++) sum += load<f64>(vector + (columnOf(sample, e) << 3)) * valueOf(sample, e);
  return sum;
}

function minima(sample: SparseSample, first: i32, last: i32, vector: usize): f64 {
  let sum: f64 = 0;
  for (let e = first; e < last; e++) sum += min(load<f64>(vector + (columnOf(sample, e) << 3)), valueOf(sample, e));
  return sum;
}

/** Computes Σ 2xy / (x + y), where 0/0 counts as 0. */
function harmonicMeans(sample: SparseSample, first: i32, last: i32, vector: usize): f64 {
  let sum: f64 = 0;
  for (let e = first; e < last; e++) {
    const x = load<f64>(vector + (columnOf(sample, e) << 3)), y = valueOf(sample, e);
    sum += 2 * x * y / max(f64.MIN_NORMAL_VALUE, x + y);
  }
  return sum;
}

/** Computes the norms of the first `rows` rows; the vector is zero before and after. */
export function sparseNorms(kind: i32, sample: SparseSample, rows: i32, vector: usize): void {
  for (let i = 0; i < rows; i++) {
    spreadRow(sample, i, vector);
    sparseSums(kind, sample, 0, i, i + 1, vector, sample.norms + (<usize>i << 3), 8);
    clearRow(sample, i, vector);
  }
}

/**
 * Computes the values of a row with the rows [0, count) of the list, or of the sample without one. `norms` are those of the list.
 * Values are written in steps of four, and are 0 after the last row.
 */
export function sparseKernelRow(
  kind: i32, degree: i32, factor: f64,
  sample: SparseSample, row: i32, list: usize, count: i32, norms: usize,
  vector: usize, scratch: usize, to: usize,
): void {
  spreadRow(sample, row, vector);
  const norm = load<f64>(sample.norms + (<usize>row << 3));
  for (let first = 0; first < count; first += SUMS_AT_ONCE) {
    const some = min(SUMS_AT_ONCE, count - first), padded = (some + 3) & ~3;
    sparseSums(kind, sample, list, first, first + some, vector, scratch, 8);
    for (let j = some; j < padded; j++) store<f64>(scratch + (<usize>j << 3), 0);
    sparseValues(kind, degree, factor, scratch, padded, norm, norms + (<usize>first << 3), to + (<usize>first << 2));
    memory.fill(to + (<usize>(first + some) << 2), 0, <usize>(padded - some) << 2);
  }
  clearRow(sample, row, vector);
}

/** Turns sums into values in single precision. */
export function sparseValues(
  kind: i32, degree: i32, factor: f64,
  sums: usize, count: i32, norm: f64, norms: usize, values: usize,
): void {
  kernelValues<f64, f32>(kind == CHI_SQUARE ? RBF : kind, degree, factor, 1, sums, count, norm, norms, values);
}

/**
 * Turns the sums of the rows [begin, end) of the sample with `columns` other rows, a multiple of four, into values in double
 * precision, in place. The sums of each row lie `stride` doubles after those of the previous one.
 */
export function sparseCrossValues(
  kind: i32, degree: i32, factor: f64, offset: f64,
  sample: SparseSample, begin: i32, end: i32,
  columns: i32, norms: usize, sums: usize, stride: i32,
): void {
  const form = kind == CHI_SQUARE ? RBF : kind;
  for (let s = begin; s < end; s++, sums += <usize>stride << 3) {
    const norm = load<f64>(sample.norms + (<usize>s << 3));
    kernelValues<f64, f64>(form, degree, factor, offset, sums, columns, norm, norms, sums);
  }
}

/**
 * Computes the part of the kernel matrix that belongs to the rows [begin, end): up to column `end`, and the mirror image above the
 * diagonal. `begin` and `end` are multiples of four, or `end` is the number of rows: so different ranges write different elements.
 * The values after the last column are zero.
 */
export function sparseKernelRows(
  kind: i32, degree: i32, factor: f64, sample: SparseSample,
  matrix: usize, stride: i32, rows: i32, begin: i32, end: i32,
  vector: usize, scratch: usize,
): void {
  const rowBytes = <usize>stride << 2;
  for (let i = begin; i < end; i++) {
    const row = matrix + <usize>i * rowBytes;
    sparseKernelRow(kind, degree, factor, sample, i, 0, end, sample.norms, vector, scratch, row);
    if (kind == RBF || kind == CHI_SQUARE) store<f32>(row + (<usize>i << 2), 1);
    memory.fill(row + (<usize>rows << 2), 0, <usize>(stride - rows) << 2);
  }
  mirror(matrix, rowBytes, begin, end);
}

@inline function entryOf(sample: SparseSample, row: i32): i32 {
  return load<i32>(sample.starts + (<usize>row << 2));
}

@inline function columnOf(sample: SparseSample, entry: i32): usize {
  return <usize>load<i32>(sample.indices + (<usize>entry << 2));
}

@inline function valueOf(sample: SparseSample, entry: i32): f64 {
  return load<f64>(sample.values + (<usize>entry << 3));
}
