/**
 * Products of a row with the weights of several outputs. Weights are stored by features: those of all outputs for feature 0, then
 * for feature 1, and so on, so that a row, dense or sparse (see `linear-rows.ts`), is read once for all outputs. The number of
 * outputs is even; up to twelve are summed in registers at a time.
 */
import { offsetBytes } from "./linear-rows";

// AssemblyScript has no numeric type parameters: the sizes of these types are the numbers of pairs of outputs.
@unmanaged class One { a: i8; }
@unmanaged class Two { a: i8; b: i8; }
@unmanaged class Three { a: i8; b: i8; c: i8; }
@unmanaged class Four { a: i8; b: i8; c: i8; d: i8; }
@unmanaged class Five { a: i8; b: i8; c: i8; d: i8; e: i8; }
@unmanaged class Six { a: i8; b: i8; c: i8; d: i8; e: i8; f: i8; }

/** Most pairs of outputs at a time. */
@inline const MOST: i32 = 6;

/** Returns how many of the pairs that are left come next: parts of nearly equal size. */
@inline function nextPairs(left: i32): i32 {
  const parts = (left + MOST - 1) / MOST;
  return (left + parts - 1) / parts;
}

/** Computes sums ← sums + x · W for all outputs. */
export function scoreRow<T>(dense: bool, row: usize, n: i32, weights: usize, outputs: i32, sums: usize): void {
  for (let left = outputs >> 1; left > 0; ) {
    const take = nextPairs(left);
    if (take == 1) score<T, One>(dense, row, n, weights, outputs, sums);
    else if (take == 2) score<T, Two>(dense, row, n, weights, outputs, sums);
    else if (take == 3) score<T, Three>(dense, row, n, weights, outputs, sums);
    else if (take == 4) score<T, Four>(dense, row, n, weights, outputs, sums);
    else if (take == 5) score<T, Five>(dense, row, n, weights, outputs, sums);
    else score<T, Six>(dense, row, n, weights, outputs, sums);
    left -= take;
    weights += <usize>take << 4;
    sums += <usize>take << 4;
  }
}

function score<T, N>(dense: bool, row: usize, n: i32, weights: usize, outputs: i32, sums: usize): void {
  if (dense) scorePairs<T, N>(true, row, n, weights, outputs, sums);
  else scorePairs<T, N>(false, row, n, weights, outputs, sums);
}

@inline function scorePairs<T, N>(
  dense: bool, row: usize, n: i32, weights: usize, outputs: i32, sums: usize,
): void {
  const step = <usize>outputs << 3;
  let values = dense ? row : row + offsetBytes<T>(n);
  const end = values + <usize>n * sizeof<T>();
  let s0 = v128.load(sums), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  if (offsetof<N>() > 1) s1 = v128.load(sums, 16);
  if (offsetof<N>() > 2) s2 = v128.load(sums, 32);
  if (offsetof<N>() > 3) s3 = v128.load(sums, 48);
  if (offsetof<N>() > 4) s4 = v128.load(sums, 64);
  if (offsetof<N>() > 5) s5 = v128.load(sums, 80);
  let at = weights;
  for (; values < end; values += sizeof<T>()) {
    if (!dense) {
      at = weights + <usize>load<u32>(row) * outputs;
      row += 4;
    }
    const x = f64x2.splat(<f64>load<T>(values));
    s0 = f64x2.add(s0, f64x2.mul(x, v128.load(at)));
    if (offsetof<N>() > 1) s1 = f64x2.add(s1, f64x2.mul(x, v128.load(at, 16)));
    if (offsetof<N>() > 2) s2 = f64x2.add(s2, f64x2.mul(x, v128.load(at, 32)));
    if (offsetof<N>() > 3) s3 = f64x2.add(s3, f64x2.mul(x, v128.load(at, 48)));
    if (offsetof<N>() > 4) s4 = f64x2.add(s4, f64x2.mul(x, v128.load(at, 64)));
    if (offsetof<N>() > 5) s5 = f64x2.add(s5, f64x2.mul(x, v128.load(at, 80)));
    if (dense) at += step;
  }
  v128.store(sums, s0);
  if (offsetof<N>() > 1) v128.store(sums, s1, 16);
  if (offsetof<N>() > 2) v128.store(sums, s2, 32);
  if (offsetof<N>() > 3) v128.store(sums, s3, 48);
  if (offsetof<N>() > 4) v128.store(sums, s4, 64);
  if (offsetof<N>() > 5) v128.store(sums, s5, 80);
}

/** Computes W ← W + x · factors, an outer product, for all outputs. */
export function addRow<T>(dense: bool, factors: usize, row: usize, n: i32, weights: usize, outputs: i32): void {
  for (let left = outputs >> 1; left > 0; ) {
    const take = nextPairs(left);
    if (take == 1) add<T, One>(dense, factors, row, n, weights, outputs);
    else if (take == 2) add<T, Two>(dense, factors, row, n, weights, outputs);
    else if (take == 3) add<T, Three>(dense, factors, row, n, weights, outputs);
    else if (take == 4) add<T, Four>(dense, factors, row, n, weights, outputs);
    else if (take == 5) add<T, Five>(dense, factors, row, n, weights, outputs);
    else add<T, Six>(dense, factors, row, n, weights, outputs);
    left -= take;
    weights += <usize>take << 4;
    factors += <usize>take << 4;
  }
}

function add<T, N>(dense: bool, factors: usize, row: usize, n: i32, weights: usize, outputs: i32): void {
  if (dense) addPairs<T, N>(true, factors, row, n, weights, outputs);
  else addPairs<T, N>(false, factors, row, n, weights, outputs);
}

@inline function addPairs<T, N>(
  dense: bool, factors: usize, row: usize, n: i32, weights: usize, outputs: i32,
): void {
  const step = <usize>outputs << 3;
  let values = dense ? row : row + offsetBytes<T>(n);
  const end = values + <usize>n * sizeof<T>();
  const f0 = v128.load(factors);
  let f1 = f0, f2 = f0, f3 = f0, f4 = f0, f5 = f0;
  if (offsetof<N>() > 1) f1 = v128.load(factors, 16);
  if (offsetof<N>() > 2) f2 = v128.load(factors, 32);
  if (offsetof<N>() > 3) f3 = v128.load(factors, 48);
  if (offsetof<N>() > 4) f4 = v128.load(factors, 64);
  if (offsetof<N>() > 5) f5 = v128.load(factors, 80);
  let at = weights;
  for (; values < end; values += sizeof<T>()) {
    if (!dense) {
      at = weights + <usize>load<u32>(row) * outputs;
      row += 4;
    }
    const x = f64x2.splat(<f64>load<T>(values));
    v128.store(at, f64x2.add(v128.load(at), f64x2.mul(x, f0)));
    if (offsetof<N>() > 1) v128.store(at, f64x2.add(v128.load(at, 16), f64x2.mul(x, f1)), 16);
    if (offsetof<N>() > 2) v128.store(at, f64x2.add(v128.load(at, 32), f64x2.mul(x, f2)), 32);
    if (offsetof<N>() > 3) v128.store(at, f64x2.add(v128.load(at, 48), f64x2.mul(x, f3)), 48);
    if (offsetof<N>() > 4) v128.store(at, f64x2.add(v128.load(at, 64), f64x2.mul(x, f4)), 64);
    if (offsetof<N>() > 5) v128.store(at, f64x2.add(v128.load(at, 80), f64x2.mul(x, f5)), 80);
    if (dense) at += step;
  }
}
