/**
 * Losses and their first and second derivatives. Rows are processed in pairs: an odd number is padded with a row of weight 0.
 * Labels are i32, weights and margins f64. Losses are rounded to whole units before they are added up, as derivatives are:
 * their sums are exact, so they do not depend on how rows are divided among threads or machines.
 */
import { exponentials, logarithms, logarithmsOfMore, TO_INTEGER } from "./boosted-exponential";

/** No loss of a row counts more units than this, so that those of 4096 rows fit in 63 bits. */
@inline const MOST_LOSS: f64 = 1125899906842624;

/** Adds the losses of two rows, rounded to integers. */
@inline function addLosses(sum: v128, losses: v128): v128 {
  const rounded = f64x2.add(f64x2.pmin(losses, f64x2.splat(MOST_LOSS)), f64x2.splat(TO_INTEGER));
  return i64x2.add(sum, i64x2.sub(rounded, f64x2.splat(TO_INTEGER)));
}

@inline function storeLoss(place: usize, sum: v128): void {
  store<i64>(place, i64x2.extract_lane(sum, 0) + i64x2.extract_lane(sum, 1));
}

/**
 * Sums the weighted logistic losses log(1 + exp(−y·F)) of rows begin … end − 1, at most 4096 of them, in units of 1 /
 * `lossUnit`, and writes the sum, an i64, to `loss`; y = +1 for class 1 and −1 for class 0. Writes gradients w·(p − [y = 1])
 * and Hessians w·p·(1 − p) if their address is not 0.
 */
export function logistic(
  margins: usize, labels: usize, weights: usize,
  begin: i32, end: i32, gradients: usize, unit: f64, lossUnit: f64, loss: usize,
): void {
  const one = f64x2.splat(1), zero = f64x2.splat(0);
  let sum = i64x2.splat(0);
  for (let i = <usize>begin; i < <usize>end; i += 2) {
    const margin = v128.load(margins + (i << 3)), weight = v128.load(weights + (i << 3));
    const label = f64x2.convert_low_i32x4_s(v128.load64_zero(labels + (i << 2)));
    // e = exp(−|F|): the smaller of the two probabilities is e / (1 + e).
    const e = exponentials(f64x2.neg(f64x2.abs(margin)));
    const larger = f64x2.div(one, f64x2.add(one, e)), smaller = f64x2.mul(e, larger);
    const p = v128.bitselect(larger, smaller, f64x2.ge(margin, zero));
    // The linear part: |F| if the sign is wrong.
    const linear = f64x2.sub(f64x2.pmax(margin, zero), f64x2.mul(label, margin));
    const scale = f64x2.mul(weight, f64x2.splat(lossUnit));
    sum = addLosses(sum, f64x2.mul(scale, f64x2.add(linear, logarithmsOfMore(e))));
    if (gradients) {
      const scaled = f64x2.mul(weight, f64x2.splat(unit));
      const gradient = f64x2.mul(scaled, f64x2.sub(p, label));
      storePairs(gradients + (i << 3), gradient, f64x2.mul(scaled, f64x2.mul(larger, smaller)));
    }
  }
  storeLoss(loss, sum);
}

/**
 * Computes log Σ exp(F_k) of rows begin … end − 1, and sums their weighted losses log Σ exp(F_k) − F_y as `logistic` does. The
 * margins of a class are contiguous; those of the next class are `stride` further.
 */
export function normalise(
  margins: usize, stride: i32, classes: i32, labels: usize, weights: usize,
  begin: i32, end: i32, normalisers: usize, lossUnit: f64, loss: usize,
): void {
  const step = <usize>stride << 3;
  let sum = i64x2.splat(0);
  for (let i = <usize>begin; i < <usize>end; i += 2) {
    const first = margins + (i << 3), last = first + step * classes;
    let most = v128.load(first);
    for (let at = first + step; at < last; at += step) most = f64x2.pmax(most, v128.load(at));
    let total = f64x2.splat(0);
    for (let at = first; at < last; at += step) total = f64x2.add(total, exponentials(f64x2.sub(v128.load(at), most)));
    const normaliser = f64x2.add(most, logarithms(total));
    v128.store(normalisers + (i << 3), normaliser);
    const own = marginsOf(first, step, load<i32>(labels + (i << 2)), load<i32>(labels + (i << 2), 4));
    const scale = f64x2.mul(v128.load(weights + (i << 3)), f64x2.splat(lossUnit));
    // Rounding may take the difference below zero.
    sum = addLosses(sum, f64x2.mul(scale, f64x2.pmax(f64x2.sub(normaliser, own), f64x2.splat(0))));
  }
  storeLoss(loss, sum);
}

/** Loads the margins of a class of two rows. */
@inline function marginsOf(first: usize, step: usize, label: i32, next: i32): v128 {
  const margin = f64x2.splat(load<f64>(first + <usize>label * step));
  return f64x2.replace_lane(margin, 1, load<f64>(first + <usize>next * step, 8));
}

/**
 * Computes gradients w·(p − [y = k]) and Hessians 2·w·p·(1 − p) of class k. The Hessians are twice the diagonal of the matrix
 * of second derivatives: all classes move at once, and with the diagonal alone two classes would make the same step twice.
 */
export function softmax(
  margins: usize, normalisers: usize, labels: usize, weights: usize,
  begin: i32, end: i32, label: i32, gradients: usize, unit: f64,
): void {
  const one = f64x2.splat(1), zero = f64x2.splat(0), own = i32x4.splat(label);
  for (let i = <usize>begin; i < <usize>end; i += 2) {
    const logarithm = f64x2.sub(v128.load(margins + (i << 3)), v128.load(normalisers + (i << 3)));
    const p = exponentials(f64x2.pmin(logarithm, zero));
    const isOwn = i64x2.extend_low_i32x4_s(i32x4.eq(v128.load64_zero(labels + (i << 2)), own));
    const weight = f64x2.mul(v128.load(weights + (i << 3)), f64x2.splat(unit));
    const gradient = f64x2.mul(weight, f64x2.sub(p, v128.and(one, isOwn)));
    const hessian = f64x2.mul(f64x2.add(weight, weight), f64x2.mul(p, f64x2.sub(one, p)));
    storePairs(gradients + (i << 3), gradient, hessian);
  }
}

/** Writes gradients and Hessians of two rows, rounded to integers, which are below 2³¹. */
@inline function storePairs(place: usize, gradient: v128, hessian: v128): void {
  const g = f64x2.add(gradient, f64x2.splat(TO_INTEGER)), h = f64x2.add(hessian, f64x2.splat(TO_INTEGER));
  v128.store(place, v128.shuffle<i32>(g, h, 0, 4, 2, 6));
}
