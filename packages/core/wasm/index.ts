/**
 * The exports of the module. `build.mjs` generates their declarations for TypeScript.
 *
 * TypeScript allocates all memory. The kernels keep nothing between calls, neither in globals nor in static memory, since the
 * instances of several threads share one memory.
 */
import { gramPanels } from "./gram";
import { packColumns, packRows } from "./panels";
import { multiplyPanels } from "./product";
import { axpy, dot } from "./vector";

// What TypeScript lays out

export * from "./constants";

// Sorting

export { countDigits, fetchHighs, moveByDigit, splitKeys, takeIndices } from "./radix";

// Packing into panels

export function packRows32(matrix: usize, stride: i32, rows: i32, depth: i32, panels: usize): void {
  packRows<f32>(matrix, stride, rows, depth, panels);
}

export function packRows64(matrix: usize, stride: i32, rows: i32, depth: i32, panels: usize): void {
  packRows<f64>(matrix, stride, rows, depth, panels);
}

export function packColumns32(
  matrix: usize, stride: i32, columns: i32, depth: i32,
  panels: usize, panelDepth: i32,
): void {
  packColumns<f32>(matrix, stride, columns, depth, panels, panelDepth);
}

export function packColumns64(
  matrix: usize, stride: i32, columns: i32, depth: i32,
  panels: usize, panelDepth: i32,
): void {
  packColumns<f64>(matrix, stride, columns, depth, panels, panelDepth);
}

// Products of packed matrices

export function product32(
  a: usize, b: usize, depth: i32,
  c: usize, stride: i32, rows: i32, columns: i32,
  begin: i32, end: i32, accumulate: bool,
): void {
  multiplyPanels<f32>(a, b, depth, c, stride, rows, columns, begin, end, accumulate, false);
}

export function product64(
  a: usize, b: usize, depth: i32,
  c: usize, stride: i32, rows: i32, columns: i32,
  begin: i32, end: i32, accumulate: bool,
): void {
  multiplyPanels<f64>(a, b, depth, c, stride, rows, columns, begin, end, accumulate, false);
}

export function gram32(
  panels: usize, depth: i32,
  gram: usize, stride: i32, rows: i32,
  begin: i32, end: i32,
): void {
  gramPanels<f32>(panels, depth, gram, stride, rows, begin, end);
}

export function gram64(
  panels: usize, depth: i32,
  gram: usize, stride: i32, rows: i32,
  begin: i32, end: i32,
): void {
  gramPanels<f64>(panels, depth, gram, stride, rows, begin, end);
}

// Vectors

export function dot32(x: usize, y: usize, length: i32): f32 {
  return dot<f32>(x, y, length);
}

export function dot64(x: usize, y: usize, length: i32): f64 {
  return dot<f64>(x, y, length);
}

export function axpy32(alpha: f32, x: usize, y: usize, length: i32): void {
  axpy<f32>(alpha, x, y, length);
}

export function axpy64(alpha: f64, x: usize, y: usize, length: i32): void {
  axpy<f64>(alpha, x, y, length);
}

// Kernel matrices and support vector machines

export * from "./svm";

// Linear support vector machines

export {
  linearBiasWeight, linearLayOut, linearOutcome, linearPasses, linearRows, linearRun, linearStart, linearTake,
  linearViolation,
} from "./linear";

// Logistic regression

export {
  logisticClasses, logisticErrors, logisticGradient, logisticRows,
} from "./logistic";
export { logisticCurvatures, logisticGram, logisticPairCurvatures } from "./logistic-gram";

// Calibration

export {
  calibrationLoss, calibrationRows, temperatureDerivatives, vectorDerivatives, vectorScratchBytes,
} from "./calibration";
export { eventDerivatives, eventLoss } from "./calibration-event";
export { isotonicBlocks, pooledPoints } from "./calibration-isotonic";
export {
  betaRows, isotonicRows, logOddsRows, logProbabilities, scaleDecisions, softmaxRows,
} from "./calibration-rows";

// Trees

export * from "./tree";

// Boosted trees

export * from "./boosted";

// Networks

export * from "./net";
