/**
 * The loss of logistic regression, C Σ cᵢ log-losses, and its gradient, on a range of rows.
 *
 * Two classes have one output f = w·x + b, the log odds of the second class; K classes have K outputs and
 * p_k = exp(f_k) / Σ exp(f_l). Weights are stored by features (see `logistic-rows.ts`); those of the constant feature, the
 * intercepts, come last. An odd number of outputs above one is padded with an output of probability 0.
 */
import { exponentials, logarithms, logarithmsOfMore } from "./boosted-exponential";
import { denseAdd, denseDot, sparseAdd, sparseDot } from "./linear-rows";
import { addRow, scoreRow } from "./logistic-rows";

/** The rows, their labels and costs, and their probabilities at the last gradient. `src/learners/logistic/` allocates its memory. */
@unmanaged export class Logistic {
  // The rows: dense or sparse, of f32 or f64, as `linear-rows.ts` describes them.
  dense: bool;
  wide: bool;
  columns: i32;
  rows: usize;
  /** Start of each sparse row, in bytes from the first: one more u32 than rows. */
  starts: usize;

  classes: i32;
  outputs: i32;
  /** Class of each row, i32, and its cost, f64. */
  labels: usize;
  costs: usize;
  /** f64, `outputs` for each row. */
  probabilities: usize;
}

/** Sets the rows, which are dense if `starts` is 0. */
export function logisticRows(problem: usize, rows: usize, starts: usize, columns: i32, wide: bool): void {
  const it = changetype<Logistic>(problem);
  it.rows = rows;
  it.starts = starts;
  it.dense = starts == 0;
  it.columns = columns;
  it.wide = wide;
}

/** Sets the labels and costs of the rows, and the memory of their probabilities. */
export function logisticClasses(
  problem: usize, classes: i32, outputs: i32,
  labels: usize, costs: usize, probabilities: usize,
): void {
  const it = changetype<Logistic>(problem);
  it.classes = classes;
  it.outputs = outputs;
  it.labels = labels;
  it.costs = costs;
  it.probabilities = probabilities;
}

/** Returns the address of a row. */
@inline export function rowAt<T>(it: Logistic, i: i32): usize {
  if (it.dense) return it.rows + <usize>i * <usize>it.columns * sizeof<T>();
  return it.rows + load<u32>(it.starts + (<usize>i << 2));
}

/** Returns its number of values. */
@inline export function valuesOf<T>(it: Logistic, i: i32): i32 {
  if (it.dense) return it.columns;
  const place = it.starts + (<usize>i << 2);
  return <i32>((<usize>load<u32>(place, 4) - <usize>load<u32>(place)) / (4 + sizeof<T>()));
}

/** Adds the gradient of rows begin … end − 1 to `gradient`, stores their probabilities and returns their loss. */
export function logisticGradient(
  problem: usize, begin: i32, end: i32, weights: usize, scratch: usize, gradient: usize,
): f64 {
  const it = changetype<Logistic>(problem);
  if (it.outputs == 1) {
    return it.wide
      ? twoClassGradient<f64>(it, begin, end, weights, gradient)
      : twoClassGradient<f32>(it, begin, end, weights, gradient);
  }
  return it.wide
    ? gradientOf<f64>(it, begin, end, weights, scratch, gradient)
    : gradientOf<f32>(it, begin, end, weights, scratch, gradient);
}

/** Rows are processed in pairs, since exponentials and logarithms are computed two at a time. */
function twoClassGradient<T>(it: Logistic, begin: i32, end: i32, weights: usize, gradient: usize): f64 {
  const constant = <usize>it.columns << 3, one = f64x2.splat(1), zero = f64x2.splat(0);
  const intercept = load<f64>(weights + constant);
  let loss = zero, sum: f64 = 0;
  for (let i = begin; i < end; i += 2) {
    // A last row without a partner is its own, at no cost.
    const next = min(i + 1, end - 1);
    const row = rowAt<T>(it, i), n = valuesOf<T>(it, i), other = rowAt<T>(it, next), m = valuesOf<T>(it, next);
    const f = f64x2(dotRow<T>(it, weights, row, n) + intercept, dotRow<T>(it, weights, other, m) + intercept);
    const cost = f64x2(load<f64>(it.costs + (<usize>i << 3)), next > i ? load<f64>(it.costs + (<usize>next << 3)) : 0);
    const own = f64x2(<f64>load<i32>(it.labels + (<usize>i << 2)), <f64>load<i32>(it.labels + (<usize>next << 2)));
    // e = exp(−|f|): the smaller of the two probabilities is e / (1 + e).
    const e = exponentials(f64x2.neg(f64x2.abs(f)));
    const larger = f64x2.div(one, f64x2.add(one, e));
    const p = v128.bitselect(larger, f64x2.mul(e, larger), f64x2.ge(f, zero));
    const linear = f64x2.sub(f64x2.max(f, zero), f64x2.mul(own, f));
    loss = f64x2.add(loss, f64x2.mul(cost, f64x2.add(linear, logarithmsOfMore(e))));
    const residuals = f64x2.mul(cost, f64x2.sub(p, own));
    const first = f64x2.extract_lane(residuals, 0), second = f64x2.extract_lane(residuals, 1);
    store<f64>(it.probabilities + (<usize>i << 3), f64x2.extract_lane(p, 0));
    addTo<T>(it, first, row, n, gradient);
    sum += first + second;
    if (next == i) break;
    store<f64>(it.probabilities + (<usize>next << 3), f64x2.extract_lane(p, 1));
    addTo<T>(it, second, other, m, gradient);
  }
  store<f64>(gradient + constant, load<f64>(gradient + constant) + sum);
  return f64x2.extract_lane(loss, 0) + f64x2.extract_lane(loss, 1);
}

function gradientOf<T>(
  it: Logistic, begin: i32, end: i32, weights: usize, scratch: usize, gradient: usize,
): f64 {
  const bytes = <usize>it.outputs << 3, constant = <usize>it.columns * bytes;
  let loss: f64 = 0;
  for (let i = begin; i < end; i++) {
    const row = rowAt<T>(it, i), n = valuesOf<T>(it, i), cost = load<f64>(it.costs + (<usize>i << 3));
    const own = <usize>load<i32>(it.labels + (<usize>i << 2)) << 3;
    memory.copy(scratch, weights + constant, bytes);
    scoreRow<T>(it.dense, row, n, weights, it.outputs, scratch);
    if (it.classes < it.outputs) store<f64>(scratch + bytes - 8, -Infinity);
    loss += cost * softmax(scratch, bytes, own);
    if (it.classes < it.outputs) store<f64>(scratch + bytes - 8, 0);
    memory.copy(it.probabilities + <usize>i * bytes, scratch, bytes);
    store<f64>(scratch + own, load<f64>(scratch + own) - 1);
    scale(scratch, bytes, cost);
    addRow<T>(it.dense, scratch, row, n, gradient, it.outputs);
    accumulate(scratch, bytes, gradient + constant);
  }
  return loss;
}

/** Replaces scores by their softmax and returns −log of that of the class at `own`. */
@inline function softmax(scores: usize, bytes: usize, own: usize): f64 {
  let largest = v128.load(scores);
  for (let o: usize = 16; o < bytes; o += 16) largest = f64x2.pmax(largest, v128.load(scores + o));
  const most = f64x2.splat(max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1)));
  const score = load<f64>(scores + own);
  let sums = f64x2.splat(0);
  for (let o: usize = 0; o < bytes; o += 16) {
    const e = exponentials(f64x2.sub(v128.load(scores + o), most));
    v128.store(scores + o, e);
    sums = f64x2.add(sums, e);
  }
  const total = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  scale(scores, bytes, 1 / total);
  return f64x2.extract_lane(logarithms(f64x2.splat(total)), 0) + (f64x2.extract_lane(most, 0) - score);
}

/** Counts the rows begin … end − 1 whose class does not have the largest probability; of equal ones the first counts. */
export function logisticErrors(problem: usize, begin: i32, end: i32): i32 {
  const it = changetype<Logistic>(problem);
  let errors = 0;
  for (let i = begin; i < end; i++) {
    const row = it.probabilities + (<usize>i * it.outputs << 3);
    let best = 0;
    if (it.outputs == 1) best = load<f64>(row) > 0.5 ? 1 : 0;
    else {
      for (let k = 1; k < it.classes; k++) {
        if (load<f64>(row + (<usize>k << 3)) > load<f64>(row + (<usize>best << 3))) best = k;
      }
    }
    if (best != load<i32>(it.labels + (<usize>i << 2))) errors++;
  }
  return errors;
}

@inline function dotRow<T>(it: Logistic, weights: usize, row: usize, n: i32): f64 {
  return it.dense ? denseDot<T>(weights, row, n) : sparseDot<T>(weights, row, n);
}

@inline function addTo<T>(it: Logistic, factor: f64, row: usize, n: i32, to: usize): void {
  if (it.dense) denseAdd<T>(factor, row, n, to);
  else sparseAdd<T>(factor, row, n, to);
}

@inline function scale(vector: usize, bytes: usize, factor: f64): void {
  const factors = f64x2.splat(factor);
  for (let o: usize = 0; o < bytes; o += 16) v128.store(vector + o, f64x2.mul(factors, v128.load(vector + o)));
}

@inline function accumulate(vector: usize, bytes: usize, to: usize): void {
  for (let o: usize = 0; o < bytes; o += 16) {
    v128.store(to + o, f64x2.add(v128.load(to + o), v128.load(vector + o)));
  }
}
