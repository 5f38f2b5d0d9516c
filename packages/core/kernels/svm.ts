/**
 * The exports for kernel matrices and support vector machines. For TypeScript, problems and caches are addresses.
 */
import { compactMatrix } from "./compact";
import { kernelPanels } from "./kernel-matrix";
import { kernelValues, ROW_SCRATCH, squaredNorms } from "./kernel-values";
import * as rows from "./row-cache";
import * as smo from "./smo";
import * as newton from "./smo-newton";
import * as shrinking from "./smo-shrinking";
import { layOut, Smo, VECTOR_BYTES } from "./smo-state";

// Kernel values

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

export function kernelRowScratch(): i32 {
  return ROW_SCRATCH;
}

export function kernelValues64(
  kind: i32, degree: i32, factor: f64,
  sums: usize, count: i32, norm: f64, norms: usize,
  values: usize,
): void {
  kernelValues<f64, f32>(kind, degree, factor, 1, sums, count, norm, norms, values);
}

// Support vector machines

export function smoBytes(): i32 {
  return offsetof<Smo>();
}

export function smoVectorBytes(): i32 {
  return VECTOR_BYTES;
}

export function smoLayOut(problem: usize, vectors: usize, capacity: i32): void {
  layOut(changetype<Smo>(problem), vectors, capacity);
}

export function smoShape(problem: usize, size: i32, padded: i32, kernel: usize, stride: i32, cache: usize): void {
  const it = changetype<Smo>(problem);
  it.size = size;
  it.padded = padded;
  it.kernel = kernel;
  it.stride = stride;
  it.cache = cache;
}

export function smoStart(problem: usize, labels: usize, bounds: usize, tolerance: f64): void {
  const it = changetype<Smo>(problem);
  if (it.cache != 0) rows.cacheDiagonal(changetype<rows.RowCache>(it.cache), it.size, it.diagonal);
  else smo.readDiagonal(it);
  smo.start(it, labels, bounds, tolerance);
}

export function smoIterate(problem: usize, count: i32): i32 {
  return smo.iterate(changetype<Smo>(problem), count);
}

export function smoIterations(problem: usize): i32 {
  return changetype<Smo>(problem).iterations;
}

export function smoGradient(problem: usize): usize {
  return changetype<Smo>(problem).gradient;
}

export function smoBeta(problem: usize): usize {
  return changetype<Smo>(problem).beta;
}

export function smoActiveRows(problem: usize, list: usize): i32 {
  return shrinking.activeRows(changetype<Smo>(problem), list);
}

export function smoCompactVectors(from: usize, list: usize, to: usize): void {
  shrinking.compactVectors(changetype<Smo>(from), list, changetype<Smo>(to));
}

export function smoSettle(problem: usize, settled: usize): void {
  shrinking.settle(changetype<Smo>(problem), settled);
}

export function smoChangedRows(problem: usize, settled: usize, list: usize): i32 {
  return shrinking.changedRows(changetype<Smo>(problem), settled, list);
}

export function smoTakeOver(problem: usize, settled: usize, list: usize, begin: i32, end: i32): void {
  shrinking.takeOver(changetype<Smo>(problem), settled, list, begin, end);
}

export function smoResume(problem: usize, iterations: i32): void {
  const it = changetype<Smo>(problem);
  it.iterations = iterations;
  smo.refresh(it);
}

export function smoFreeRows(problem: usize, list: usize): i32 {
  return newton.freeRows(changetype<Smo>(problem), list);
}

export function smoNewtonMatrix(
  problem: usize, list: usize, matrix: usize, stride: i32,
  begin: i32, end: i32,
): void {
  newton.newtonMatrix(changetype<Smo>(problem), list, matrix, stride, begin, end);
}

export function smoNewtonImage(
  problem: usize, list: usize, direction: usize,
  begin: i32, end: i32, to: usize,
): void {
  newton.newtonImage(changetype<Smo>(problem), list, direction, begin, end, to);
}

export function smoNewtonMove(problem: usize, list: usize, count: i32, direction: usize, image: usize): bool {
  return newton.newtonMove(changetype<Smo>(problem), list, count, direction, image);
}

export function choleskyRows64(matrix: usize, stride: i32, begin: i32, end: i32, ridge: f64): void {
  newton.choleskyRows(matrix, stride, begin, end, ridge);
}

export function choleskySolve64(matrix: usize, stride: i32, size: i32, b: usize): void {
  newton.choleskySolve(matrix, stride, size, b);
}

export function compactMatrix32(
  from: usize, fromStride: i32, list: usize, count: i32,
  to: usize, toStride: i32, begin: i32, end: i32,
): void {
  compactMatrix(from, fromStride, list, count, to, toStride, begin, end);
}

// Rows of kernels on demand

export function rowCacheBytes(): i32 {
  return offsetof<rows.RowCache>();
}

export function rowCacheBatchBytes(depth: i32, stride: i32): i32 {
  return <i32>rows.batchBytes(depth, stride);
}

export function rowCacheLayOut(
  cache: usize, lists: usize, count: i32,
  scratch: usize, batch: usize, slots: usize,
): void {
  rows.layOutCache(changetype<rows.RowCache>(cache), lists, count, scratch, batch, slots);
}

export function rowCacheKernel(cache: usize, kind: i32, degree: i32, factor: f64): void {
  rows.setKernel(changetype<rows.RowCache>(cache), kind, degree, factor);
}

export function rowCacheSample(cache: usize, panels: usize, norms: usize, count: i32, depth: i32, wide: bool): void {
  rows.setSample(changetype<rows.RowCache>(cache), panels, norms, count, depth, wide);
}

export function rowCacheClear(cache: usize, count: i32, stride: i32, bytes: usize): void {
  rows.clearCache(changetype<rows.RowCache>(cache), count, stride, bytes);
}

export function rowCacheUsed(cache: usize): i32 {
  return changetype<rows.RowCache>(cache).used;
}

export function rowCacheBeginCompact(cache: usize, count: i32, list: usize, listed: i32): void {
  rows.beginCompactCache(changetype<rows.RowCache>(cache), count, list, listed);
}

export function rowCacheCompactSlots(
  cache: usize, list: usize, listed: i32, stride: i32,
  begin: i32, end: i32, kept: i32,
): i32 {
  return rows.compactSlots(changetype<rows.RowCache>(cache), list, listed, stride, begin, end, kept);
}

export function rowCacheEndCompact(cache: usize, listed: i32, stride: i32, bytes: usize, kept: i32): void {
  rows.endCompactCache(changetype<rows.RowCache>(cache), listed, stride, bytes, kept);
}

export function compactPanels32(
  from: usize, fromNorms: usize, depth: i32, list: usize, count: i32,
  to: usize, toNorms: usize, begin: i32, end: i32,
): void {
  rows.compactPanels<f32>(from, fromNorms, depth, list, count, to, toNorms, begin, end);
}

export function compactPanels64(
  from: usize, fromNorms: usize, depth: i32, list: usize, count: i32,
  to: usize, toNorms: usize, begin: i32, end: i32,
): void {
  rows.compactPanels<f64>(from, fromNorms, depth, list, count, to, toNorms, begin, end);
}
