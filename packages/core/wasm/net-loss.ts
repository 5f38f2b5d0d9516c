import { exponential } from "./exponential";
import { sigmoids } from "./net-activation";

/** Added to any other number, this changes nothing. */
@inline const NEVER: f32 = -3e38;

/**
 * Computes the softmax of `rows` rows of `classes` sums. Writes the weighted loss −w log p of each row's label, and
 * replaces the sums by the derivatives w (p − [label]). `width` columns, a multiple of 4, are written; those beyond the classes
 * become 0.
 */
export function softmax(
  sums: usize, stride: i32, classes: i32, width: i32, rows: i32,
  labels: usize, weights: usize, losses: usize,
): void {
  for (let r = 0; r < rows; r++) {
    const row = sums + ((<usize>r * stride) << 2);
    const end = row + (<usize>width << 2);
    for (let at = row + (<usize>classes << 2); at < end; at += 4) store<f32>(at, NEVER);
    const label = row + (<usize>load<i32>(labels + (<usize>r << 2)) << 2);
    const weight = load<f32>(weights + (<usize>r << 2));
    const own = load<f32>(label);
    const most = largest(row, end);
    const total = exponentials(row, end, most);
    const factor = f32x4.splat(weight / total);
    for (let at = row; at < end; at += 16) v128.store(at, f32x4.mul(factor, v128.load(at)));
    store<f32>(label, load<f32>(label) - weight);
    const loss = <f64>weight * (Math.log(<f64>total) + <f64>most - <f64>own);
    store<f64>(losses + (<usize>r << 3), loss);
  }
}

/** Returns the maximum; NaN if there is one. */
@inline function largest(row: usize, end: usize): f32 {
  let most = v128.load(row);
  for (let at = row + 16; at < end; at += 16) most = f32x4.max(most, v128.load(at));
  return max(
    max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1)),
    max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)),
  );
}

/** Replaces x by exp(x − most) and returns their sum. */
@inline function exponentials(row: usize, end: usize, most: f32): f32 {
  let total = f32x4.splat(0);
  for (let at = row; at < end; at += 16) {
    const e = exponential(f32x4.sub(v128.load(at), f32x4.splat(most)));
    v128.store(at, e);
    total = f32x4.add(total, e);
  }
  const sum = f32x4.extract_lane(total, 0) + f32x4.extract_lane(total, 1) +
    f32x4.extract_lane(total, 2) + f32x4.extract_lane(total, 3);
  // The exponential is 0 for NaN, too.
  return most == most ? sum : most;
}

/**
 * Computes the same for a single output z, where p = 1 / (1 + e^−z) is the probability of the second of two classes. The loss is
 * w (log(1 + e^z) − [label = 1] z). The other columns become 0.
 */
export function logistic(
  sums: usize, stride: i32, width: i32, rows: i32,
  labels: usize, weights: usize, losses: usize,
): void {
  for (let r = 0; r < rows; r++) {
    const row = sums + ((<usize>r * stride) << 2);
    const z = load<f32>(row);
    const weight = load<f32>(weights + (<usize>r << 2));
    const target: f32 = load<i32>(labels + (<usize>r << 2)) == 1 ? 1 : 0;
    memory.fill(row, 0, <usize>width << 2);
    store<f32>(row, weight * (f32x4.extract_lane(sigmoids(f32x4.splat(z)), 0) - target));
    const loss = Math.log1p(Math.exp(-Math.abs(<f64>z))) + (<f64>max(z, <f32>0) - <f64>target * <f64>z);
    store<f64>(losses + (<usize>r << 3), <f64>weight * loss);
  }
}

/**
 * Replaces the targets of `rows` rows of outputs by the derivatives of a squared error, factor · (output − target), and returns
 * Σ (output − target)². Differences are computed in double precision. `width` columns, a multiple of 4, are those of the outputs or
 * zero in both.
 */
export function squaredError(outputs: usize, targets: usize, stride: i32, width: i32, rows: i32, factor: f64): f64 {
  let sum = f64x2.splat(0);
  for (let r = 0; r < rows; r++) {
    const row = (<usize>r * stride) << 2;
    for (let at = row, end = row + (<usize>width << 2); at < end; at += 16) {
      const output = v128.load(outputs + at), target = v128.load(targets + at);
      const low = f64x2.sub(f64x2.promote_low_f32x4(output), f64x2.promote_low_f32x4(target));
      const high = f64x2.sub(f64x2.promote_low_f32x4(upper(output)), f64x2.promote_low_f32x4(upper(target)));
      sum = f64x2.add(sum, f64x2.add(f64x2.mul(low, low), f64x2.mul(high, high)));
      v128.store(targets + at, i64x2.shuffle(
        f32x4.demote_f64x2_zero(f64x2.mul(f64x2.splat(factor), low)),
        f32x4.demote_f64x2_zero(f64x2.mul(f64x2.splat(factor), high)),
        0, 2,
      ));
    }
  }
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** Moves the upper two numbers to the place of the lower two. */
@inline function upper(x: v128): v128 {
  return i64x2.shuffle(x, x, 1, 1);
}
