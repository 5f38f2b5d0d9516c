import { kernelBatch, RowCache } from "./row-cache";
import { pad, refresh } from "./smo";
import { setBeta, Smo, value } from "./smo-state";

/**
 * Shrinking: rows at a bound whose gradient says that they stay there become inactive, and the others are copied into a smaller
 * problem, kernel values included, since WebAssembly cannot gather. A smaller problem shrinks in place: every row moves to the
 * front or stays, so that nothing is overwritten before it is read. When the smaller problem is solved, the whole one takes
 * over its β, updates its gradient and continues.
 */

// Shrinking

/** Lists the active rows and returns their number; the others are at a bound, beyond both extremes. */
export function activeRows(smo: Smo, list: usize): i32 {
  let count = 0;
  for (let i = 0; i < smo.size; i++) {
    const g = value(smo.gradient, i) - smo.shift;
    const canRise = load<f32>(smo.rise + (<usize>i << 2)) == 0, canFall = load<f32>(smo.fall + (<usize>i << 2)) == 0;
    if (!canRise && (!canFall || g > <f64>smo.highest)) continue;
    if (!canFall && g < <f64>smo.lowest) continue;
    store<i32>(list + (<usize>count << 2), i);
    count++;
  }
  return count;
}

/** Copies the listed rows' vectors to the smaller problem, which may be the same; its sizes have been set. */
export function compactVectors(from: Smo, list: usize, to: Smo): void {
  for (let a = 0; a < to.size; a++) {
    const s = load<i32>(list + (<usize>a << 2));
    move<f64>(from.gradient, s, to.gradient, a);
    move<f64>(from.lower, s, to.lower, a);
    move<f64>(from.upper, s, to.upper, a);
    move<f64>(from.diagonal, s, to.diagonal, a);
    move<f32>(from.scaledDiagonal, s, to.scaledDiagonal, a);
    move<i32>(from.origin, s, to.origin, a);
    move<f64>(from.beta, s, to.beta, a);
    move<f32>(from.rise, s, to.rise, a);
    move<f32>(from.fall, s, to.fall, a);
  }
  pad(to);
  to.curvatureScale = from.curvatureScale;
  to.tolerance = from.tolerance;
  to.iterations = from.iterations;
  to.shift = from.shift;
  refresh(to);
}

@inline function move<T>(from: usize, i: i32, to: usize, j: i32): void {
  store<T>(to + <usize>j * sizeof<T>(), load<T>(from + <usize>i * sizeof<T>()));
}

// Taking over

/** Stores every β of the smaller problem in the order of the whole one. */
export function saveBeta(smo: Smo, saved: usize): void {
  for (let a = 0; a < smo.size; a++) move<f64>(smo.beta, a, saved, load<i32>(smo.origin + (<usize>a << 2)));
}

/** Lists the rows whose β differs from the stored one and returns their number. */
export function changedRows(smo: Smo, saved: usize, list: usize): i32 {
  let count = 0;
  for (let i = 0; i < smo.size; i++) {
    if (value(saved, i) == value(smo.beta, i)) continue;
    store<i32>(list + (<usize>count << 2), i);
    count++;
  }
  return count;
}

/** Takes over the stored β of the rows [begin, end) of the list, four at a time: G ← G − Σ (stored βᵢ − βᵢ) · Kᵢ. */
export function applyChanges(smo: Smo, saved: usize, list: usize, begin: i32, end: i32): void {
  const rowBytes = <usize>smo.stride << 2;
  for (let c = begin; c < end; c += 4) {
    const count = min(4, end - c), four = list + (<usize>c << 2);
    // The last four are padded with the first row and factor 0.
    const r0 = load<i32>(four), r1 = count > 1 ? load<i32>(four, 4) : r0;
    const r2 = count > 2 ? load<i32>(four, 8) : r0, r3 = count > 3 ? load<i32>(four, 12) : r0;
    let k0: usize, k1: usize, k2: usize, k3: usize;
    if (smo.cache != 0) {
      k0 = kernelBatch(changetype<RowCache>(smo.cache), four, count);
      k1 = count > 1 ? k0 + rowBytes : k0;
      k2 = count > 2 ? k0 + 2 * rowBytes : k0;
      k3 = count > 3 ? k0 + 3 * rowBytes : k0;
    } else {
      k0 = smo.kernel + <usize>r0 * rowBytes;
      k1 = smo.kernel + <usize>r1 * rowBytes;
      k2 = smo.kernel + <usize>r2 * rowBytes;
      k3 = smo.kernel + <usize>r3 * rowBytes;
    }
    subtractRows(
      smo.gradient, smo.padded, k0, k1, k2, k3,
      adopt(smo, saved, r0, true), adopt(smo, saved, r1, count > 1),
      adopt(smo, saved, r2, count > 2), adopt(smo, saved, r3, count > 3),
    );
  }
}

/** Sets β of a row to the stored one and returns the difference. */
function adopt(smo: Smo, saved: usize, row: i32, present: bool): f64 {
  if (!present) return 0;
  const beta = value(saved, row), difference = beta - value(smo.beta, row);
  setBeta(smo, row, beta);
  return difference;
}

/** Computes G ← G − (factor0 · row0 + … + factor3 · row3). */
function subtractRows(
  gradient: usize, padded: i32,
  row0: usize, row1: usize, row2: usize, row3: usize,
  factor0: f64, factor1: f64, factor2: f64, factor3: f64,
): void {
  const f0 = f64x2.splat(factor0), f1 = f64x2.splat(factor1), f2 = f64x2.splat(factor2), f3 = f64x2.splat(factor3);
  for (let o: usize = 0, end = <usize>padded << 2; o < end; o += 8, gradient += 16) {
    const left = f64x2.add(f64x2.mul(f0, doubles(row0 + o)), f64x2.mul(f1, doubles(row1 + o)));
    const right = f64x2.add(f64x2.mul(f2, doubles(row2 + o)), f64x2.mul(f3, doubles(row3 + o)));
    v128.store(gradient, f64x2.sub(v128.load(gradient), f64x2.add(left, right)));
  }
}

@inline function doubles(singles: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(singles));
}
