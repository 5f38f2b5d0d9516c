import { refresh, rowOf } from "./smo";
import { setBeta, Smo, value } from "./smo-state";
import { axpy, dot } from "./vector";

/**
 * The parts of a Newton step on the free rows F, those strictly between their bounds. With the others fixed, the problem is the
 * minimum of ½pᵀK_FF p − G_F·p over directions p with Σp = 0, which the linear system
 *
 *   K_FF p + μ1 = G_F,  1·p = 0
 *
 * solves at once, whereas pairs may need millions of steps. `src/learners/svm/` combines the parts.
 */

/** Lists the free rows and returns their number. */
export function freeRows(smo: Smo, list: usize): i32 {
  let count = 0;
  for (let i = 0; i < smo.size; i++) {
    const place = <usize>i << 2;
    if (load<f32>(smo.rise + place) != 0 || load<f32>(smo.fall + place) != 0) continue;
    store<i32>(list + (<usize>count << 2), i);
    count++;
  }
  return count;
}

/** Writes rows [begin, end) of the lower triangle of K_FF in f64, `stride` elements apart. */
export function newtonMatrix(smo: Smo, list: usize, matrix: usize, stride: i32, begin: i32, end: i32): void {
  for (let i = begin; i < end; i++) {
    const row = rowOf(smo, load<i32>(list + (<usize>i << 2))), to = matrix + (<usize>i * stride << 3);
    for (let j = 0; j <= i; j++) {
      const column = load<i32>(list + (<usize>j << 2));
      store<f64>(to + (<usize>j << 3), <f64>load<f32>(row + (<usize>column << 2)));
    }
  }
}

/**
 * Computes rows [begin, end) of the Cholesky factor L of a symmetric matrix A = LLᵀ in place of its lower triangle, given the
 * rows before. `ridge` is added to the diagonal of A first, since kernel matrices of dependent rows are singular, and rounding
 * makes them indefinite. A row that still depends on those before it is cut off: its unknown becomes 0.
 */
export function choleskyRows(matrix: usize, stride: i32, begin: i32, end: i32, ridge: f64): void {
  for (let first = begin; first < end; first += 4) {
    const together = min(4, end - first), rows = matrix + (<usize>first * stride << 3);
    if (together == 4) for (let j = 0; j < first; j++) eliminateFour(matrix, stride, rows, j);
    for (let i = first; i < first + together; i++) {
      const row = matrix + (<usize>i * stride << 3);
      for (let j = together == 4 ? first : 0; j < i; j++) {
        const other = matrix + (<usize>j * stride << 3), place = row + (<usize>j << 3);
        store<f64>(place, (load<f64>(place) - dot<f64>(row, other, j)) / load<f64>(other + (<usize>j << 3)));
      }
      const diagonal = row + (<usize>i << 3);
      const square = load<f64>(diagonal) + ridge - dot<f64>(row, row, i);
      if (square < 0.5 * ridge) memory.fill(row, 0, <usize>i << 3);
      store<f64>(diagonal, square < 0.5 * ridge ? Infinity : sqrt(square));
    }
  }
}

/** Computes element j of four rows at a time, which share the loads of row j. */
function eliminateFour(matrix: usize, stride: i32, rows: usize, j: i32): void {
  const rowBytes = <usize>stride << 3, other = matrix + <usize>j * rowBytes;
  const row1 = rowBytes, row2 = 2 * rowBytes, row3 = 3 * rowBytes;
  let sum0 = f64x2.splat(0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  let a = rows, b = other;
  for (const pairs = other + (<usize>(j & ~1) << 3); b < pairs; a += 16, b += 16) {
    const y = v128.load(b);
    sum0 = f64x2.add(sum0, f64x2.mul(v128.load(a), y));
    sum1 = f64x2.add(sum1, f64x2.mul(v128.load(a + row1), y));
    sum2 = f64x2.add(sum2, f64x2.mul(v128.load(a + row2), y));
    sum3 = f64x2.add(sum3, f64x2.mul(v128.load(a + row3), y));
  }
  if (j & 1) {
    const y = v128.load64_zero(b);
    sum0 = f64x2.add(sum0, f64x2.mul(v128.load64_zero(a), y));
    sum1 = f64x2.add(sum1, f64x2.mul(v128.load64_zero(a + row1), y));
    sum2 = f64x2.add(sum2, f64x2.mul(v128.load64_zero(a + row2), y));
    sum3 = f64x2.add(sum3, f64x2.mul(v128.load64_zero(a + row3), y));
  }
  const place = rows + (<usize>j << 3), diagonal = load<f64>(other + (<usize>j << 3));
  store<f64>(place, (load<f64>(place) - sumOf(sum0)) / diagonal);
  store<f64>(place + row1, (load<f64>(place + row1) - sumOf(sum1)) / diagonal);
  store<f64>(place + row2, (load<f64>(place + row2) - sumOf(sum2)) / diagonal);
  store<f64>(place + row3, (load<f64>(place + row3) - sumOf(sum3)) / diagonal);
}

@inline function sumOf(pair: v128): f64 {
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/** Solves LLᵀx = b for x, in place of b. */
export function choleskySolve(matrix: usize, stride: i32, size: i32, b: usize): void {
  for (let i = 0; i < size; i++) {
    const row = matrix + (<usize>i * stride << 3), place = b + (<usize>i << 3);
    store<f64>(place, (load<f64>(place) - dot<f64>(row, b, i)) / load<f64>(row + (<usize>i << 3)));
  }
  for (let i = size - 1; i >= 0; i--) {
    const row = matrix + (<usize>i * stride << 3), place = b + (<usize>i << 3);
    const x = load<f64>(place) / load<f64>(row + (<usize>i << 3));
    store<f64>(place, x);
    axpy<f64>(-x, row, b, i);
  }
}

/** Computes to ← to + Σ pᵢKᵢ over the listed rows [begin, end): the change of the gradient along p, up to the sign. */
export function newtonImage(smo: Smo, list: usize, direction: usize, begin: i32, end: i32, to: usize): void {
  for (let i = begin; i < end; i++) {
    const row = rowOf(smo, load<i32>(list + (<usize>i << 2)));
    const factor = f64x2.splat(load<f64>(direction + (<usize>i << 3)));
    for (let o: usize = 0, last = <usize>smo.padded << 2; o < last; o += 8) {
      const values = f64x2.promote_low_f32x4(v128.load64_zero(row + o));
      v128.store(to + 2 * o, f64x2.add(v128.load(to + 2 * o), f64x2.mul(factor, values)));
    }
  }
}

/**
 * Moves the listed rows along the direction p to the minimum or to the first bound, given the image Σ pᵢKᵢ. Returns whether it
 * reached the minimum.
 */
export function newtonMove(smo: Smo, list: usize, count: i32, direction: usize, image: usize): bool {
  let slope: f64 = 0, curvature: f64 = 0, room: f64 = Infinity;
  for (let a = 0; a < count; a++) {
    const i = load<i32>(list + (<usize>a << 2)), p = value(direction, a);
    slope += p * value(smo.gradient, i);
    curvature += p * value(image, i);
    room = min(room, roomAlong(smo, i, p));
  }
  if (!(slope > 0)) return false;
  const wanted = curvature > 0 ? slope / curvature : Infinity;
  const length = min(wanted, room);
  for (let a = 0; a < count; a++) {
    const i = load<i32>(list + (<usize>a << 2)), p = value(direction, a);
    const bound = value(p > 0 ? smo.upper : smo.lower, i);
    setBeta(smo, i, roomAlong(smo, i, p) <= length ? bound : value(smo.beta, i) + length * p);
  }
  for (let i = 0; i < smo.padded; i++) {
    const place = smo.gradient + (<usize>i << 3);
    store<f64>(place, load<f64>(place) - length * value(image, i));
  }
  refresh(smo);
  return length == wanted;
}

/** Returns how far row i can move along a direction with component p. */
@inline function roomAlong(smo: Smo, i: i32, p: f64): f64 {
  if (p == 0) return Infinity;
  return (value(p > 0 ? smo.upper : smo.lower, i) - value(smo.beta, i)) / p;
}
