import { exponentials32, exponentials64 } from "./exponential";
import { PANEL_STEP, panelWidth } from "./panels";

/**
 * Kernels K(x, y) are computed in two steps: a sum over the features, which is a scalar product for the first three and a sum
 * of terms for the others, and a function of the sum. Sums are T. Values are V: f32, which are rounded once if T = f64, or f64.
 */
// Kinds of kernels, as in `src/learners/kernel/kernel.ts`.
@inline export const LINEAR: i32 = 0;
@inline export const POLYNOMIAL: i32 = 1;
@inline export const RBF: i32 = 2;
@inline export const CHI_SQUARE: i32 = 3;
@inline export const INTERSECTION: i32 = 4;

// Sums over the features

/**
 * Computes the sums of one row with the rows of `count` panels, `to[j]` for the j-th of these. `row` points to the row's first
 * element in its own panel, where its elements lie PANEL_STEP apart.
 */
export function kernelSums<T>(kind: i32, row: usize, panels: usize, count: i32, depth: i32, to: usize): void {
  const panelBytes = <usize>depth * PANEL_STEP;
  let p = 0;
  if (kind < CHI_SQUARE) {
    for (; p + 4 <= count; p += 4) {
      fourProducts<T>(row, panels, panelBytes, to);
      panels += 4 * panelBytes;
      to += 4 * PANEL_STEP;
    }
  }
  for (; p < count; p++) {
    if (kind == CHI_SQUARE) chiSquares<T>(row, panels, panelBytes, to);
    else if (kind == INTERSECTION) intersections<T>(row, panels, panelBytes, to);
    else products<T>(row, panels, panelBytes, to);
    panels += panelBytes;
    to += PANEL_STEP;
  }
}

/** Computes x·y with four panels at a time: eight sums that do not wait for each other. */
function fourProducts<T>(x: usize, panels: usize, panelBytes: usize, to: usize): void {
  const second = panelBytes, third = 2 * panelBytes, fourth = 3 * panelBytes;
  let sum0 = v128.splat<T>(<T>0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  let sum4 = sum0, sum5 = sum0, sum6 = sum0, sum7 = sum0;
  for (let y = panels, end = panels + panelBytes; y < end; y += PANEL_STEP, x += PANEL_STEP) {
    const factor = v128.load_splat<T>(x);
    sum0 = v128.add<T>(sum0, v128.mul<T>(factor, v128.load(y)));
    sum1 = v128.add<T>(sum1, v128.mul<T>(factor, v128.load(y, 16)));
    sum2 = v128.add<T>(sum2, v128.mul<T>(factor, v128.load(y + second)));
    sum3 = v128.add<T>(sum3, v128.mul<T>(factor, v128.load(y + second, 16)));
    sum4 = v128.add<T>(sum4, v128.mul<T>(factor, v128.load(y + third)));
    sum5 = v128.add<T>(sum5, v128.mul<T>(factor, v128.load(y + third, 16)));
    sum6 = v128.add<T>(sum6, v128.mul<T>(factor, v128.load(y + fourth)));
    sum7 = v128.add<T>(sum7, v128.mul<T>(factor, v128.load(y + fourth, 16)));
  }
  v128.store(to, sum0); v128.store(to, sum1, 16); v128.store(to, sum2, 32); v128.store(to, sum3, 48);
  v128.store(to, sum4, 64); v128.store(to, sum5, 80); v128.store(to, sum6, 96); v128.store(to, sum7, 112);
}

/** Computes x·y with one panel. */
function products<T>(x: usize, y: usize, panelBytes: usize, to: usize): void {
  let left = v128.splat<T>(<T>0), right = left;
  for (let end = y + panelBytes; y < end; y += PANEL_STEP, x += PANEL_STEP) {
    const factor = v128.load_splat<T>(x);
    left = v128.add<T>(left, v128.mul<T>(factor, v128.load(y)));
    right = v128.add<T>(right, v128.mul<T>(factor, v128.load(y, 16)));
  }
  v128.store(to, left); v128.store(to, right, 16);
}

/** Computes Σ (x − y)² / (x + y) with one panel. If x = y = 0 the divisor is made positive, and the term is 0. */
function chiSquares<T>(x: usize, y: usize, panelBytes: usize, to: usize): void {
  const least = v128.splat<T>(sizeof<T>() == 4 ? <T>f32.MIN_NORMAL_VALUE : <T>f64.MIN_NORMAL_VALUE);
  let left = v128.splat<T>(<T>0), right = left;
  for (let end = y + panelBytes; y < end; y += PANEL_STEP, x += PANEL_STEP) {
    const own = v128.load_splat<T>(x);
    left = v128.add<T>(left, chiSquare<T>(own, v128.load(y), least));
    right = v128.add<T>(right, chiSquare<T>(own, v128.load(y, 16), least));
  }
  v128.store(to, left); v128.store(to, right, 16);
}

@inline function chiSquare<T>(x: v128, y: v128, least: v128): v128 {
  const difference = v128.sub<T>(x, y);
  const total = v128.pmax<T>(least, v128.add<T>(x, y));
  return v128.mul<T>(difference, v128.div<T>(difference, total));
}

/** Computes Σ min(x, y) with one panel. */
function intersections<T>(x: usize, y: usize, panelBytes: usize, to: usize): void {
  let left = v128.splat<T>(<T>0), right = left;
  for (let end = y + panelBytes; y < end; y += PANEL_STEP, x += PANEL_STEP) {
    const own = v128.load_splat<T>(x);
    left = v128.add<T>(left, v128.pmin<T>(own, v128.load(y)));
    right = v128.add<T>(right, v128.pmin<T>(own, v128.load(y, 16)));
  }
  v128.store(to, left); v128.store(to, right, 16);
}

/** Computes ‖x‖² of all packed rows, summed in the order of `kernelSums`, so that the distance of equal rows is exactly 0. */
export function squaredNorms<T>(panels: usize, count: i32, depth: i32, norms: usize): void {
  const panelBytes = <usize>depth * PANEL_STEP;
  for (let p = 0; p < count; p++, panels += panelBytes, norms += PANEL_STEP) {
    let left = v128.splat<T>(<T>0), right = left;
    for (let y = panels, end = panels + panelBytes; y < end; y += PANEL_STEP) {
      const a = v128.load(y), b = v128.load(y, 16);
      left = v128.add<T>(left, v128.mul<T>(a, a));
      right = v128.add<T>(right, v128.mul<T>(b, b));
    }
    v128.store(norms, left); v128.store(norms, right, 16);
  }
}

// From sums to values

/**
 * Turns the sums of one row with `count` rows, a multiple of 4, into kernel values; sums of the same type may be turned in
 * place. `factor` is the scale of a polynomial or γ and `offset` the constant of a polynomial; `norms` are the squared norms of
 * the other rows and `norm` that of the row, for RBF only.
 */
export function kernelValues<T, V>(
  kind: i32, degree: i32, factor: T, offset: T,
  sums: usize, count: i32, norm: T, norms: usize,
  values: usize,
): void {
  if (kind == POLYNOMIAL) polynomials<T, V>(degree, factor, offset, sums, count, values);
  else if (kind == RBF) gaussians<T, V>(factor, sums, count, norm, norms, values);
  else if (kind == CHI_SQUARE) exponentials<T, V>(factor, sums, count, values);
  else if (sums != values) copies<T, V>(sums, count, values);
}

/** Computes (offset + scale · s)^degree. */
function polynomials<T, V>(degree: i32, scale: T, offset: T, sums: usize, count: i32, values: usize): void {
  const constant = v128.splat<T>(offset), factor = v128.splat<T>(scale);
  for (const end = sums + <usize>count * sizeof<T>(); sums < end; sums += 4 * sizeof<T>(), values += 4 * sizeof<V>()) {
    const low = power<T>(v128.add<T>(constant, v128.mul<T>(factor, v128.load(sums))), degree);
    let high = low;
    if (sizeof<T>() == 8) high = power<T>(v128.add<T>(constant, v128.mul<T>(factor, v128.load(sums, 16))), degree);
    storeValues<T, V>(values, low, high);
  }
}

@inline function power<T>(base: v128, degree: i32): v128 {
  let product = degree > 0 ? base : v128.splat<T>(<T>1);
  for (let factors = 1; factors < degree; factors++) product = v128.mul<T>(product, base);
  return product;
}

/** Computes exp(−γ(‖x‖² + ‖y‖² − 2s)). */
function gaussians<T, V>(gamma: T, sums: usize, count: i32, norm: T, norms: usize, values: usize): void {
  const own = v128.splat<T>(norm), minusGamma = v128.splat<T>(<T>-gamma);
  for (const end = sums + <usize>count * sizeof<T>(); sums < end; sums += 4 * sizeof<T>(), values += 4 * sizeof<V>()) {
    const low = v128.mul<T>(minusGamma, distance<T>(own, norms, sums));
    let high = low;
    if (sizeof<T>() == 8) high = v128.mul<T>(minusGamma, distance<T>(own, norms + 16, sums + 16));
    storeValues<T, V>(values, low, high);
    norms += 4 * sizeof<T>();
  }
  replaceByExponentials<V>(values - <usize>count * sizeof<V>(), count);
}

/** Computes ‖x‖² + ‖y‖² − 2x·y, which rounding must not make negative; NaN stays NaN. */
@inline function distance<T>(own: v128, norms: usize, sums: usize): v128 {
  const product = v128.load(sums);
  const value = v128.sub<T>(v128.sub<T>(own, product), v128.sub<T>(product, v128.load(norms)));
  return v128.pmax<T>(value, v128.splat<T>(<T>0));
}

/** Computes exp(−γs). */
function exponentials<T, V>(gamma: T, sums: usize, count: i32, values: usize): void {
  const minusGamma = v128.splat<T>(<T>-gamma);
  for (const end = sums + <usize>count * sizeof<T>(); sums < end; sums += 4 * sizeof<T>(), values += 4 * sizeof<V>()) {
    const low = v128.mul<T>(minusGamma, v128.load(sums));
    let high = low;
    if (sizeof<T>() == 8) high = v128.mul<T>(minusGamma, v128.load(sums, 16));
    storeValues<T, V>(values, low, high);
  }
  replaceByExponentials<V>(values - <usize>count * sizeof<V>(), count);
}

function copies<T, V>(sums: usize, count: i32, values: usize): void {
  for (const end = sums + <usize>count * sizeof<T>(); sums < end; sums += 4 * sizeof<T>(), values += 4 * sizeof<V>()) {
    const low = v128.load(sums);
    let high = low;
    if (sizeof<T>() == 8) high = v128.load(sums, 16);
    storeValues<T, V>(values, low, high);
  }
}

@inline function replaceByExponentials<V>(values: usize, count: i32): void {
  if (sizeof<V>() == 4) exponentials32(values, count);
  else exponentials64(values, count);
}

/** Writes four values: `low` itself, or the doubles of `low` and `high`, rounded if values are f32. */
@inline function storeValues<T, V>(values: usize, low: v128, high: v128): void {
  if (sizeof<V>() == 4) {
    v128.store(values, singles<T>(low, high));
  } else {
    v128.store(values, low);
    v128.store(values, high, 16);
  }
}

/** Returns four f32: `low` itself, or the doubles of `low` and `high`, rounded. */
@inline function singles<T>(low: v128, high: v128): v128 {
  if (sizeof<T>() == 4) return low;
  return v128.shuffle<f32>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 4, 5);
}

// One row

/** Panels whose sums are turned into values at a time; they stay in the first-level cache. */
@inline const PANELS_AT_ONCE: i32 = 64;

/** Bytes of scratch that `kernelRow` needs. */
@inline export const ROW_SCRATCH: i32 = PANELS_AT_ONCE * <i32>PANEL_STEP;

/** Sums in f64 for which this scratch has room. */
@inline export const SUMS_AT_ONCE: i32 = ROW_SCRATCH >> 3;

/** Computes the values of row `index` with all packed rows, in f32. */
export function kernelRow<T>(
  kind: i32, degree: i32, factor: f64,
  panels: usize, count: i32, depth: i32, norms: usize,
  index: i32, scratch: usize, values: usize,
): void {
  const width = panelWidth<T>();
  const panelBytes = <usize>depth * PANEL_STEP;
  const row = panels + <usize>(index / width) * panelBytes + <usize>(index % width) * sizeof<T>();
  const norm = load<T>(norms + <usize>index * sizeof<T>());
  for (let first = 0; first < count; first += PANELS_AT_ONCE) {
    const some = min(PANELS_AT_ONCE, count - first);
    const to = values + (<usize>(first * width) << 2);
    const sums = sizeof<T>() == 4 ? to : scratch;
    kernelSums<T>(kind, row, panels + <usize>first * panelBytes, some, depth, sums);
    kernelValues<T, f32>(kind, degree, <T>factor, <T>1, sums, some * width, norm, norms + <usize>first * PANEL_STEP, to);
  }
}
