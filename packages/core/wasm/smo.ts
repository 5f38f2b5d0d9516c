import { fetchRow } from "./prefetch";
import { cachedRow, RowCache } from "./row-cache";
import { BLOCK, setBeta, singles, Smo, value } from "./smo-state";

/**
 * Sequential minimal optimisation of the dual of a support vector machine,
 *
 *   minimise ½αᵀQα − Σα  with  0 ≤ αᵢ ≤ Cᵢ,  Σ yᵢαᵢ = 0,  Qᵢⱼ = yᵢyⱼKᵢⱼ,
 *
 * with the second-order choice of working pairs of Fan, Chen and Lin (JMLR 6, 2005), in the variables βᵢ = yᵢαᵢ:
 *
 *   lowerᵢ ≤ βᵢ ≤ upperᵢ, where (lowerᵢ, upperᵢ) is (0, Cᵢ) for yᵢ = 1 and (−Cᵢ, 0) for yᵢ = −1;
 *   Gᵢ = yᵢ − Σⱼ Kᵢⱼβⱼ, the gradient: raising βᵢ and lowering βⱼ equally gains Gᵢ − Gⱼ at first;
 *   the solution is optimal when no Gᵢ of a row that can rise exceeds a Gⱼ of a row that can fall.
 *
 * Kernel values are f32, the gradient and β f64. The searches for extremes compare f32 values of G − shift, where
 * `shift` is near the extremes, so that they see small differences of large gradients.
 */

/** Replaces a curvature that is not positive, relative to the largest kernel value (LIBSVM: 1e-12). */
@inline const LEAST_CURVATURE: f64 = 1e-12;

// Steps

/** Results of `iterate`: there is more to do, the tolerance is reached, or no pair can be found. */
@inline const UNFINISHED: i32 = 0;
@inline const FINISHED: i32 = 1;
@inline const STUCK: i32 = 2;

/** Makes up to `count` steps. */
export function iterate(smo: Smo, count: i32): i32 {
  for (let step = 0; step < count; step++) {
    if (smo.first < 0 || !(<f64>smo.highest - <f64>smo.lowest >= smo.tolerance)) return FINISHED;
    const i = smo.first;
    const rowI = smo.cache == 0 ? matrixRow(smo, i) : fetchRow(smo, i, 1, 2);
    const j = bestPartner(smo, i, rowI);
    if (j < 0) return STUCK;
    const rowJ = smo.cache == 0 ? matrixRow(smo, j) : fetchRow(smo, j, 2, 1);
    const change = exchange(smo, i, j, rowI);
    smo.shift = value(smo.gradient, i);
    updateGradient(smo, rowI, rowJ, change);
    smo.iterations++;
  }
  return UNFINISHED;
}

@inline function matrixRow(smo: Smo, i: i32): usize {
  return smo.kernel + (<usize>i * smo.stride << 2);
}

/** Returns the address of row i of the kernel. */
export function rowOf(smo: Smo, i: i32): usize {
  return smo.cache == 0 ? matrixRow(smo, i) : cachedRow(changetype<RowCache>(smo.cache), i);
}

/** Raises βᵢ and lowers βⱼ by the optimal amount within their bounds, and returns the amount. */
function exchange(smo: Smo, i: i32, j: i32, rowI: usize): f64 {
  let curvature = value(smo.diagonal, i) + value(smo.diagonal, j) - 2 * <f64>load<f32>(rowI + (<usize>j << 2));
  if (!(curvature > 0)) curvature = LEAST_CURVATURE / smo.curvatureScale;
  const betaI = value(smo.beta, i), upperI = value(smo.upper, i);
  const betaJ = value(smo.beta, j), lowerJ = value(smo.lower, j);
  const roomI = upperI - betaI, roomJ = betaJ - lowerJ;
  const change = min(min((value(smo.gradient, i) - value(smo.gradient, j)) / curvature, roomI), roomJ);
  setBeta(smo, i, change == roomI ? upperI : betaI + change);
  setBeta(smo, j, change == roomJ ? lowerJ : betaJ - change);
  return change;
}

// The second row of the working pair

/** Finds the row j that can fall with the largest gain (Gᵢ − Gⱼ)² / (Kᵢᵢ + Kⱼⱼ − 2Kᵢⱼ), or −1. */
function bestPartner(smo: Smo, i: i32, rowI: usize): i32 {
  const falling = smo.falling, diagonals = smo.scaledDiagonal;
  const highest = f32x4.splat(smo.highest);
  const diagonal = f32x4.splat(load<f32>(diagonals + (<usize>i << 2)));
  const scale = f32x4.splat(<f32>(2 * smo.curvatureScale));
  const zero = f32x4.splat(0);
  let best = zero;
  let block: usize = -1;
  for (let o: usize = 0, end = <usize>smo.padded << 2; o < end; o += BLOCK << 2) {
    let even = zero, odd = zero;
    for (let p = o; p < o + (BLOCK << 2); p += 32) {
      even = f32x4.pmax(even, gains(falling + p, diagonals + p, rowI + p, highest, diagonal, scale));
      odd = f32x4.pmax(odd, gains(falling + p + 16, diagonals + p + 16, rowI + p + 16, highest, diagonal, scale));
    }
    even = f32x4.pmax(even, odd);
    if (v128.any_true(f32x4.gt(even, best))) {
      best = f32x4.splat(largest(even));
      block = o;
    }
  }
  if (block == -1) return -1;
  for (let p = block; p < block + (BLOCK << 2); p += 16) {
    const found = f32x4.eq(gains(falling + p, diagonals + p, rowI + p, highest, diagonal, scale), best);
    if (v128.any_true(found)) return <i32>(p >> 2) + ctz(i32x4.bitmask(found));
  }
  return -1;
}

/** Computes the gains of four rows; 0 for rows that cannot fall or would lose. Curvatures are scaled to about 1. */
@inline function gains(falling: usize, diagonals: usize, row: usize, highest: v128, diagonal: v128, scale: v128): v128 {
  const slope = f32x4.pmax(f32x4.splat(0), f32x4.sub(highest, v128.load(falling)));
  const curvature = f32x4.sub(f32x4.add(diagonal, v128.load(diagonals)), f32x4.mul(scale, v128.load(row)));
  return f32x4.div(f32x4.mul(slope, slope), f32x4.pmax(f32x4.splat(<f32>LEAST_CURVATURE), curvature));
}

@inline function largest(values: v128): f32 {
  const first = max(f32x4.extract_lane(values, 0), f32x4.extract_lane(values, 1));
  return max(first, max(f32x4.extract_lane(values, 2), f32x4.extract_lane(values, 3)));
}

@inline function smallest(values: v128): f32 {
  const first = min(f32x4.extract_lane(values, 0), f32x4.extract_lane(values, 1));
  return min(first, min(f32x4.extract_lane(values, 2), f32x4.extract_lane(values, 3)));
}

// The gradient, and the first row of the next pair

/** Computes G ← G − change · (Kᵢ − Kⱼ), and its extremes in the same pass. */
function updateGradient(smo: Smo, rowI: usize, rowJ: usize, change: f64): void {
  const gradient = smo.gradient, rise = smo.rise, fall = smo.fall, falling = smo.falling;
  const factor = f64x2.splat(change), shift = f64x2.splat(smo.shift);
  const none = f32x4.splat(-Infinity);
  let lowest = f32x4.splat(Infinity), best = none;
  let block: usize = -1;
  for (let o: usize = 0, end = <usize>smo.padded << 2; o < end; o += BLOCK << 2) {
    let highest = none;
    for (let p = o; p < o + (BLOCK << 2); p += 16) {
      const g = gradient + 2 * p;
      const difference = f32x4.sub(v128.load(rowI + p), v128.load(rowJ + p));
      const upper = v128.shuffle<i32>(difference, difference, 2, 3, 2, 3);
      const low = f64x2.sub(v128.load(g), f64x2.mul(factor, f64x2.promote_low_f32x4(difference)));
      const high = f64x2.sub(v128.load(g, 16), f64x2.mul(factor, f64x2.promote_low_f32x4(upper)));
      v128.store(g, low);
      v128.store(g, high, 16);
      const shifted = singles(f64x2.sub(low, shift), f64x2.sub(high, shift));
      const canFall = f32x4.add(shifted, v128.load(fall + p));
      v128.store(falling + p, canFall);
      lowest = f32x4.pmin(lowest, canFall);
      highest = f32x4.pmax(highest, f32x4.add(shifted, v128.load(rise + p)));
    }
    if (v128.any_true(f32x4.gt(highest, best))) {
      best = f32x4.splat(largest(highest));
      block = o;
    }
  }
  smo.lowest = smallest(lowest);
  smo.highest = f32x4.extract_lane(best, 0);
  smo.first = block == -1 ? -1 : placeOfHighest(smo, block, best, shift);
}

function placeOfHighest(smo: Smo, block: usize, best: v128, shift: v128): i32 {
  for (let p = block; p < block + (BLOCK << 2); p += 16) {
    const g = smo.gradient + 2 * p;
    const shifted = singles(f64x2.sub(v128.load(g), shift), f64x2.sub(v128.load(g, 16), shift));
    const found = f32x4.eq(f32x4.add(shifted, v128.load(smo.rise + p)), best);
    if (v128.any_true(found)) return <i32>(p >> 2) + ctz(i32x4.bitmask(found));
  }
  return -1;
}

/** Finds the extremes again after the gradient or the bounds have changed. */
export function refresh(smo: Smo): void {
  updateGradient(smo, smo.scaledDiagonal, smo.scaledDiagonal, 0);
}

// Start

/** Sets β = 0 and so G = y, for labels (i8) and bounds C (f64); the shape and the diagonal have been set. */
export function start(smo: Smo, labels: usize, bounds: usize, tolerance: f64): void {
  smo.tolerance = tolerance;
  let largestValue: f64 = 0;
  for (let i = 0; i < smo.size; i++) largestValue = max(largestValue, abs(value(smo.diagonal, i)));
  smo.curvatureScale = powerOfTwoBelow(largestValue);
  for (let i = 0; i < smo.size; i++) {
    const label = <f64>load<i8>(labels + <usize>i), bound = value(bounds, i), o = <usize>i << 3;
    store<f64>(smo.gradient + o, label);
    store<f64>(smo.lower + o, label > 0 ? 0 : -bound);
    store<f64>(smo.upper + o, label > 0 ? bound : 0);
    store<f32>(smo.scaledDiagonal + (o >> 1), <f32>(value(smo.diagonal, i) * smo.curvatureScale));
    store<i32>(smo.origin + (o >> 1), i);
    setBeta(smo, i, 0);
  }
  pad(smo);
  smo.iterations = 0;
  smo.shift = 0;
  refresh(smo);
}

/** Reads Kᵢᵢ from the matrix. */
export function readDiagonal(smo: Smo): void {
  for (let i = 0; i < smo.size; i++) {
    const place = smo.kernel + ((<usize>i * smo.stride + i) << 2);
    store<f64>(smo.diagonal + (<usize>i << 3), <f64>load<f32>(place));
  }
}

/** Returns 2^−e for a value of about 2^e; 1 for 0. */
function powerOfTwoBelow(value: f64): f64 {
  if (!(value > 0)) return 1;
  const exponent = <i64>((reinterpret<u64>(value) >> 52) & 0x7ff);
  return reinterpret<f64>((2046 - exponent) << 52);
}

/** Pads with rows that can neither rise nor fall. */
export function pad(smo: Smo): void {
  for (let i = smo.size; i < smo.padded; i++) {
    store<f64>(smo.gradient + (<usize>i << 3), 0);
    store<f32>(smo.rise + (<usize>i << 2), -Infinity);
    store<f32>(smo.fall + (<usize>i << 2), Infinity);
    store<f32>(smo.scaledDiagonal + (<usize>i << 2), 1);
  }
}
