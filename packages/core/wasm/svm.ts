/**
 * The exports for kernel matrices and support vector machines. For TypeScript, problems and caches are addresses.
 */
import { kernelPanels } from "./kernel-matrix";
import { kernelValues, squaredNorms } from "./kernel-values";
import { batchBytes, cacheDiagonal, compactPanels, RowCache } from "./row-cache";
import { readDiagonal, refresh, start } from "./smo";
import { Smo } from "./smo-state";

// Kernel values

export {
  layOutSparse as sparseLayOut, sparseCrossValues, sparseKernelRows, sparseNorms, sparseSums,
} from "./kernel-sparse";
export { addMachines, crossValues, packBlock, startSums, transposeSums } from "./kernel-sums";

export function kernelPanels32(
  kind: i32, degree: i32, factor: f64, panels: usize, depth: i32, norms: usize,
  matrix: usize, stride: i32, rows: i32, begin: i32, end: i32, sums: usize,
): void {
  kernelPanels<f32>(kind, degree, factor, panels, depth, norms, matrix, stride, rows, begin, end, sums);
}

export function kernelPanels64(
  kind: i32, degree: i32, factor: f64, panels: usize, depth: i32, norms: usize,
  matrix: usize, stride: i32, rows: i32, begin: i32, end: i32, sums: usize,
): void {
  kernelPanels<f64>(kind, degree, factor, panels, depth, norms, matrix, stride, rows, begin, end, sums);
}

export function squaredNorms32(panels: usize, count: i32, depth: i32, norms: usize): void {
  squaredNorms<f32>(panels, count, depth, norms);
}

export function squaredNorms64(panels: usize, count: i32, depth: i32, norms: usize): void {
  squaredNorms<f64>(panels, count, depth, norms);
}

export function kernelValues64(
  kind: i32, degree: i32, factor: f64,
  sums: usize, count: i32, norm: f64, norms: usize,
  values: usize,
): void {
  kernelValues<f64, f32>(kind, degree, factor, 1, sums, count, norm, norms, values);
}

// Support vector machines

export { compactMatrix as compactMatrix32 } from "./compact";
export { iterate as smoIterate } from "./smo";
export {
  choleskyRows as choleskyRows64, choleskySolve as choleskySolve64, freeRows as smoFreeRows,
  newtonImage as smoNewtonImage, newtonMatrix as smoNewtonMatrix, newtonMove as smoNewtonMove,
} from "./smo-newton";
export {
  activeRows as smoActiveRows, applyChanges as smoApplyChanges, changedRows as smoChangedRows,
  compactVectors as smoCompactVectors, saveBeta as smoSaveBeta,
} from "./smo-shrinking";
export { layOut as smoLayOut } from "./smo-state";

export function smoShape(problem: Smo, size: i32, padded: i32, kernel: usize, stride: i32, cache: usize): void {
  problem.size = size;
  problem.padded = padded;
  problem.kernel = kernel;
  problem.stride = stride;
  problem.cache = cache;
}

export function smoStart(problem: Smo, labels: usize, bounds: usize, tolerance: f64): void {
  if (problem.cache != 0) cacheDiagonal(changetype<RowCache>(problem.cache), problem.size, problem.diagonal);
  else readDiagonal(problem);
  start(problem, labels, bounds, tolerance);
}

export function smoResume(problem: Smo, iterations: i32): void {
  problem.iterations = iterations;
  refresh(problem);
}

// Rows of kernels on demand

export {
  beginCompactCache as rowCacheBeginCompact, clearCache as rowCacheClear, compactSlots as rowCacheCompactSlots,
  compactSparse, endCompactCache as rowCacheEndCompact, layOutCache as rowCacheLayOut, setKernel as rowCacheKernel,
  setSample as rowCacheSample, setSparse as rowCacheSparse,
} from "./row-cache";

export function rowCacheBatchBytes(depth: i32, stride: i32): i32 {
  return <i32>batchBytes(depth, stride);
}

export function compactPanels32(
  from: usize, fromNorms: usize, depth: i32, list: usize, count: i32,
  to: usize, toNorms: usize, begin: i32, end: i32,
): void {
  compactPanels<f32>(from, fromNorms, depth, list, count, to, toNorms, begin, end);
}

export function compactPanels64(
  from: usize, fromNorms: usize, depth: i32, list: usize, count: i32,
  to: usize, toNorms: usize, begin: i32, end: i32,
): void {
  compactPanels<f64>(from, fromNorms, depth, list, count, to, toNorms, begin, end);
}
