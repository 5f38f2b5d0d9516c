/**
 * Rows for linear machines, in four forms. Dense rows are contiguous vectors of f32 or f64. A sparse row of n entries is n byte
 * offsets into a vector of f64, as i32, then n values of f32, or of f64 from the next multiple of 8 bytes on: one piece of
 * memory per row, since rows are visited in random order. All sums are in double precision.
 */

/** Returns the bytes of the offsets of n entries. */
@inline export function offsetBytes<T>(n: i32): usize {
  return sizeof<T>() == 8 ? ((<usize>n << 2) + 7) & ~7 : <usize>n << 2;
}

/** Computes w · x of a sparse row, in two pairs of sums that do not wait for each other. */
@inline export function sparseDot<T>(w: usize, row: usize, n: i32): f64 {
  let values = row + offsetBytes<T>(n);
  const end = row + (<usize>n << 2), fours = row + (<usize>(n & ~3) << 2);
  let sum0 = f64x2.splat(0), sum1 = sum0;
  for (; row < fours; row += 16, values += 4 * sizeof<T>()) {
    const first = two(w + load<u32>(row), w + load<u32>(row, 4)), second = two(w + load<u32>(row, 8), w + load<u32>(row, 12));
    sum0 = f64x2.add(sum0, f64x2.mul(first, doubles<T>(values)));
    sum1 = f64x2.add(sum1, f64x2.mul(second, doubles<T>(values + 2 * sizeof<T>())));
  }
  const sums = f64x2.add(sum0, sum1);
  let sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  for (; row < end; row += 4, values += sizeof<T>()) sum += load<f64>(w + load<u32>(row)) * <f64>load<T>(values);
  return sum;
}

/** Computes w ← w + factor · x of a sparse row. Its columns differ, so two can be read before either is written. */
@inline export function sparseAdd<T>(factor: f64, row: usize, n: i32, w: usize): void {
  let values = row + offsetBytes<T>(n);
  const end = row + (<usize>n << 2), twos = row + (<usize>(n & ~1) << 2);
  const factors = f64x2.splat(factor);
  for (; row < twos; row += 8, values += 2 * sizeof<T>()) {
    const first = w + load<u32>(row), second = w + load<u32>(row, 4);
    const sums = f64x2.add(two(first, second), f64x2.mul(factors, doubles<T>(values)));
    v128.store_lane<u64>(first, sums, 0);
    v128.store_lane<u64>(second, sums, 1);
  }
  if (row < end) {
    const last = w + load<u32>(row);
    store<f64>(last, load<f64>(last) + factor * <f64>load<T>(values));
  }
}

/** Computes w · x of a dense row. The order of the sum depends only on the length. */
@inline export function denseDot<T>(w: usize, x: usize, n: i32): f64 {
  let sum0 = f64x2.splat(0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  const end = w + (<usize>n << 3), rounds = w + (<usize>(n & ~7) << 3);
  for (; w < rounds; w += 64, x += 8 * sizeof<T>()) {
    sum0 = f64x2.add(sum0, f64x2.mul(v128.load(w), doubles<T>(x)));
    sum1 = f64x2.add(sum1, f64x2.mul(v128.load(w, 16), doubles<T>(x + 2 * sizeof<T>())));
    sum2 = f64x2.add(sum2, f64x2.mul(v128.load(w, 32), doubles<T>(x + 4 * sizeof<T>())));
    sum3 = f64x2.add(sum3, f64x2.mul(v128.load(w, 48), doubles<T>(x + 6 * sizeof<T>())));
  }
  const sums = f64x2.add(f64x2.add(sum0, sum1), f64x2.add(sum2, sum3));
  let sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  for (; w < end; w += 8, x += sizeof<T>()) sum += load<f64>(w) * <f64>load<T>(x);
  return sum;
}

/** Computes w ← w + factor · x of a dense row. */
@inline export function denseAdd<T>(factor: f64, x: usize, n: i32, w: usize): void {
  const factors = f64x2.splat(factor);
  const end = w + (<usize>n << 3), rounds = w + (<usize>(n & ~3) << 3);
  for (; w < rounds; w += 32, x += 4 * sizeof<T>()) {
    v128.store(w, f64x2.add(v128.load(w), f64x2.mul(factors, doubles<T>(x))));
    v128.store(w, f64x2.add(v128.load(w, 16), f64x2.mul(factors, doubles<T>(x + 2 * sizeof<T>()))), 16);
  }
  for (; w < end; w += 8, x += sizeof<T>()) store<f64>(w, load<f64>(w) + factor * <f64>load<T>(x));
}

/** Computes ‖x‖² of a row with n values. */
export function squaredNorm<T>(dense: bool, row: usize, n: i32): f64 {
  let values = dense ? row : row + offsetBytes<T>(n);
  const end = values + <usize>n * sizeof<T>(), fours = values + <usize>(n & ~3) * sizeof<T>();
  let sum0 = f64x2.splat(0), sum1 = sum0;
  for (; values < fours; values += 4 * sizeof<T>()) {
    const first = doubles<T>(values), second = doubles<T>(values + 2 * sizeof<T>());
    sum0 = f64x2.add(sum0, f64x2.mul(first, first));
    sum1 = f64x2.add(sum1, f64x2.mul(second, second));
  }
  const sums = f64x2.add(sum0, sum1);
  let sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  for (; values < end; values += sizeof<T>()) {
    const value = <f64>load<T>(values);
    sum += value * value;
  }
  return sum;
}

/** Loads the doubles at two addresses. */
@inline function two(first: usize, second: usize): v128 {
  return v128.load_lane<u64>(second, v128.load64_zero(first), 1);
}

/** Loads two values as doubles. */
@inline function doubles<T>(x: usize): v128 {
  if (sizeof<T>() == 4) return f64x2.promote_low_f32x4(v128.load64_zero(x));
  return v128.load(x);
}
