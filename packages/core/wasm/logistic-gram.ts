/**
 * Weighted Gram matrices Σ hᵢ xᵢxᵢᵀ of rows with a constant feature: the Hessian for two classes, and the core of a
 * preconditioner for more. Only the lower triangle is meaningful.
 */
import { offsetBytes } from "./linear-rows";
import { Logistic, rowAt, valuesOf } from "./logistic";
import { PANEL_STEP } from "./panels";
import { multiplyPanels } from "./product";

/** Features in a panel of doubles. */
@inline const WIDTH: i32 = 4;

/** Computes the curvature c Σ p_k(1 − p_k) / (K − 1) of all rows from `begin` to `end` − 1; c·p(1 − p) for two classes. */
export function logisticCurvatures(problem: usize, begin: i32, end: i32, to: usize): void {
  const it = changetype<Logistic>(problem);
  const bytes = <usize>it.outputs << 3;
  const share = it.outputs == 1 ? 1 : 1 / <f64>(it.classes - 1);
  for (let i = begin; i < end; i++) {
    let sum: f64 = 0;
    for (let o: usize = 0; o < bytes; o += 8) {
      const p = load<f64>(it.probabilities + <usize>i * bytes + o);
      sum += p * (1 - p);
    }
    store<f64>(to + (<usize>i << 3), share * sum * load<f64>(it.costs + (<usize>i << 3)));
  }
}

/** Computes the size of the second derivative by two outputs: c·p_k(1 − p_k) for the same, c·p_k·p_l for different ones. */
export function logisticPairCurvatures(problem: usize, k: i32, l: i32, begin: i32, end: i32, to: usize): void {
  const it = changetype<Logistic>(problem);
  for (let i = begin; i < end; i++) {
    const row = it.probabilities + (<usize>i * it.outputs << 3);
    const p = load<f64>(row + (<usize>k << 3)), other = k == l ? 1 - p : load<f64>(row + (<usize>l << 3));
    store<f64>(to + (<usize>i << 3), load<f64>(it.costs + (<usize>i << 3)) * p * other);
  }
}

/**
 * Adds rows begin, begin + step, … before `end`, with weights hᵢ, to the rows of the matrix that belong to features
 * first … last − 1; the constant feature is the last one. Each element is summed in the order of the rows, so the bits do not
 * depend on how features are divided among threads. `first` is a multiple of 4. Dense rows need scratch for panels of
 * ⌈features / 4⌉ · rows · 32 bytes.
 */
export function logisticGram(
  problem: usize, weights: usize, begin: i32, end: i32, step: i32, first: i32, last: i32,
  matrix: usize, stride: i32, scratch: usize,
): void {
  const it = changetype<Logistic>(problem);
  if (it.dense) {
    if (it.wide) denseGram<f64>(it, weights, begin, end, step, first, last, matrix, stride, scratch);
    else denseGram<f32>(it, weights, begin, end, step, first, last, matrix, stride, scratch);
  } else if (it.wide) sparseGram<f64>(it, weights, begin, end, step, first, last, matrix, stride);
  else sparseGram<f32>(it, weights, begin, end, step, first, last, matrix, stride);
}

function sparseGram<T>(
  it: Logistic, weights: usize, begin: i32, end: i32, step: i32, first: i32, last: i32,
  matrix: usize, stride: i32,
): void {
  const rowBytes = <usize>stride << 3, lowest = <usize>first << 3, beyond = <usize>last << 3;
  const constant = matrix + <usize>it.columns * rowBytes;
  for (let i = begin; i < end; i += step) {
    const weight = load<f64>(weights + (<usize>i << 3));
    const offsets = rowAt<T>(it, i), n = valuesOf<T>(it, i), values = offsets + offsetBytes<T>(n);
    for (let a = 0; a < n; a++) {
      const offset = <usize>load<u32>(offsets + (<usize>a << 2));
      if (offset < lowest) continue;
      if (offset >= beyond) break;
      const factor = weight * <f64>load<T>(values + <usize>a * sizeof<T>());
      addPart<T>(factor, offsets, values, a + 1, matrix + (offset >> 3) * rowBytes);
    }
    if (last <= it.columns) continue;
    addPart<T>(weight, offsets, values, n, constant);
    const corner = constant + (<usize>it.columns << 3);
    store<f64>(corner, load<f64>(corner) + weight);
  }
}

/** Adds the first `count` entries of a sparse row to a vector. */
@inline function addPart<T>(factor: f64, offsets: usize, values: usize, count: i32, to: usize): void {
  for (let b: usize = 0; b < <usize>count; b++) {
    const place = to + <usize>load<u32>(offsets + (b << 2));
    store<f64>(place, load<f64>(place) + factor * <f64>load<T>(values + b * sizeof<T>()));
  }
}

function denseGram<T>(
  it: Logistic, weights: usize, begin: i32, end: i32, step: i32, first: i32, last: i32,
  matrix: usize, stride: i32, panels: usize,
): void {
  const features = it.columns + 1, depth = (end - begin + step - 1) / step;
  const panelBytes = <usize>depth * PANEL_STEP;
  for (let i = begin, k: usize = 0; i < end; i += step, k++) {
    const root = Math.sqrt(load<f64>(weights + (<usize>i << 3))), row = rowAt<T>(it, i);
    for (let j = 0; j < (last + WIDTH - 1) / WIDTH * WIDTH; j++) {
      const value = j < it.columns ? root * <f64>load<T>(row + <usize>j * sizeof<T>()) : j == it.columns ? root : 0;
      store<f64>(panels + <usize>(j / WIDTH) * panelBytes + k * PANEL_STEP + (<usize>(j % WIDTH) << 3), value);
    }
  }
  multiplyPanels<f64>(
    panels, panels, depth, matrix, stride, features, features,
    first / WIDTH, (last + WIDTH - 1) / WIDTH, true, true,
  );
}
