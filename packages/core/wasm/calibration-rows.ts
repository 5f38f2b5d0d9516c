/**
 * The steps from scores to calibrated probabilities, in place, row by row. Rows have one f64 for each class; classes are processed
 * in pairs, and an odd last one by itself.
 */
import { exponentials, logarithms, logarithmsOfMore } from "./boosted-exponential";

/** Bytes of the pairs of classes, without and with an odd last one. */
@inline export function bytesOfPairs(classes: i32): usize {
  return <usize>(classes >> 1) << 4;
}

@inline export function bytesOfAll(classes: i32): usize {
  return <usize>((classes + 1) >> 1) << 4;
}

/** Loads a pair, or the last one and `beyond`. */
@inline export function loadPair(row: usize, o: usize, pairs: usize, beyond: f64): v128 {
  if (o < pairs) return v128.load(row + o);
  return f64x2.replace_lane(v128.load64_zero(row + o), 1, beyond);
}

@inline export function storePair(row: usize, o: usize, pairs: usize, pair: v128): void {
  if (o < pairs) v128.store(row + o, pair);
  else v128.store64_lane(row + o, pair, 0);
}

@inline export function sumOfPair(pair: v128): f64 {
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

// Functions of some length are not inlined, to keep the module small.

/** Computes ln(1 + exp(−|x|)) for two x. */
export function softplusOfMinus(x: v128): v128 {
  return logarithmsOfMore(exponentials(f64x2.neg(f64x2.abs(x))));
}

/** Computes ln x for one normal x > 0. */
function logarithmOf(x: f64): f64 {
  return f64x2.extract_lane(logarithms(f64x2.splat(x)), 0);
}

/** Replaces probabilities p by ln(floor + (1 − classes · floor) p). Reads and writes an even number of values. */
export function logProbabilities(values: usize, count: i32, classes: i32, floor: f64): void {
  const rest = f64x2.splat(1 - <f64>classes * floor), least = f64x2.splat(floor);
  for (let o: usize = 0; o < <usize>count << 3; o += 16) {
    const p = f64x2.min(f64x2.splat(1), f64x2.max(f64x2.splat(0), v128.load(values + o)));
    v128.store(values + o, logarithms(f64x2.add(least, f64x2.mul(rest, p))));
  }
}

/** Replaces decision values by their multiples of `scale`, clipped to ± `most`. Reads and writes an even number of values. */
export function scaleDecisions(values: usize, count: i32, scale: f64, most: f64): void {
  for (let o: usize = 0; o < <usize>count << 3; o += 16) {
    const scaled = f64x2.div(v128.load(values + o), f64x2.splat(scale));
    v128.store(values + o, f64x2.min(f64x2.splat(most), f64x2.max(f64x2.splat(-most), scaled)));
  }
}

/** Writes the logits a_k s_k + b_k of a row of scores, and returns the largest. */
export function logitsOf(scores: usize, classes: i32, slopes: usize, intercepts: usize, to: usize): f64 {
  const pairs = bytesOfPairs(classes), bytes = bytesOfAll(classes);
  let largest = f64x2.splat(-Infinity);
  for (let o: usize = 0; o < bytes; o += 16) {
    const slope = loadPair(slopes, o, pairs, 0), intercept = loadPair(intercepts, o, pairs, -Infinity);
    const logits = f64x2.add(f64x2.mul(slope, loadPair(scores, o, pairs, 0)), intercept);
    storePair(to, o, pairs, logits);
    largest = f64x2.pmax(largest, logits);
  }
  return max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1));
}

/** Replaces logits by their softmax, and returns ln Σ exp(l_k − largest). */
export function softmaxOf(row: usize, classes: i32, largest: f64): f64 {
  const pairs = bytesOfPairs(classes), bytes = bytesOfAll(classes);
  let totals = f64x2.splat(0);
  for (let o: usize = 0; o < bytes; o += 16) {
    const e = exponentials(f64x2.sub(loadPair(row, o, pairs, -Infinity), f64x2.splat(largest)));
    storePair(row, o, pairs, e);
    totals = f64x2.add(totals, e);
  }
  const total = sumOfPair(totals), factor = f64x2.splat(1 / total);
  for (let o: usize = 0; o < bytes; o += 16) {
    storePair(row, o, pairs, f64x2.mul(factor, loadPair(row, o, pairs, 0)));
  }
  return logarithmOf(total);
}

/** Replaces scores by q = softmax(a_k s_k + b_k), then by floor + (1 − classes · floor) q. */
export function softmaxRows(
  cells: usize, rows: i32, classes: i32, slopes: usize, intercepts: usize, floor: f64,
): void {
  for (let i = 0; i < rows; i++, cells += <usize>classes << 3) {
    softmaxOf(cells, classes, logitsOf(cells, classes, slopes, intercepts, cells));
    if (floor > 0) raise(cells, classes, 1, floor);
  }
}

/** Replaces q by floor + (1 − classes · floor) · factor · q. */
function raise(row: usize, classes: i32, factor: f64, floor: f64): void {
  const pairs = bytesOfPairs(classes), rest = f64x2.splat((1 - <f64>classes * floor) * factor), least = f64x2.splat(floor);
  for (let o: usize = 0; o < bytesOfAll(classes); o += 16) {
    storePair(row, o, pairs, f64x2.add(least, f64x2.mul(rest, loadPair(row, o, pairs, 0))));
  }
}

/**
 * Replaces scores by the log-odds ln(q_k / (1 − q_k)) of q = softmax(a_k s_k + b_k). The sum over the other classes is computed
 * without the largest one where it would cancel, so that no digit is lost when a class is almost certain. `scratch` is one row.
 */
export function logOddsRows(
  cells: usize, rows: i32, classes: i32, slopes: usize, intercepts: usize, scratch: usize,
): void {
  const pairs = bytesOfPairs(classes), bytes = bytesOfAll(classes);
  for (let i = 0; i < rows; i++, cells += <usize>classes << 3) {
    const largest = logitsOf(cells, classes, slopes, intercepts, cells);
    let best: usize = 0;
    while (load<f64>(cells + best) < largest) best += 8;
    for (let o: usize = 0; o < bytes; o += 16) {
      const own = f64x2.sub(loadPair(cells, o, pairs, -Infinity), f64x2.splat(largest));
      storePair(cells, o, pairs, own);
      storePair(scratch, o, pairs, exponentials(own));
    }
    store<f64>(scratch + best, 0);
    let sums = f64x2.splat(0);
    for (let o: usize = 0; o < bytes; o += 16) sums = f64x2.add(sums, loadPair(scratch, o, pairs, 0));
    const others = sumOfPair(sums);
    for (let o: usize = 0; o < bytes; o += 16) {
      // ln Σ_{j≠k} exp(l_j − largest); the exponential of k is in the sum unless k is the largest.
      const rest = f64x2.max(f64x2.splat(0), f64x2.sub(f64x2.splat(others), loadPair(scratch, o, pairs, 0)));
      const logarithm = logarithms(f64x2.add(f64x2.splat(1), rest));
      storePair(cells, o, pairs, f64x2.sub(loadPair(cells, o, pairs, 0), logarithm));
    }
    store<f64>(cells + best, -logarithmOf(others));
  }
}

/** Replaces log-odds by σ(a·ln p − b·ln(1 − p) + c), with a, b and c of each class; see `shareRow`. */
export function betaRows(cells: usize, rows: i32, classes: i32, a: usize, b: usize, c: usize, floor: f64): void {
  const pairs = bytesOfPairs(classes), zero = f64x2.splat(0), one = f64x2.splat(1);
  for (let i = 0; i < rows; i++, cells += <usize>classes << 3) {
    for (let o: usize = 0; o < bytesOfAll(classes); o += 16) {
      const x = loadPair(cells, o, pairs, 0), rest = softplusOfMinus(x);
      const above = f64x2.mul(loadPair(b, o, pairs, 0), f64x2.add(f64x2.max(x, zero), rest));
      const below = f64x2.mul(loadPair(a, o, pairs, 0), f64x2.add(f64x2.max(f64x2.neg(x), zero), rest));
      const logits = f64x2.add(f64x2.sub(above, below), loadPair(c, o, pairs, 0));
      const e = exponentials(f64x2.neg(f64x2.abs(logits)));
      const numerator = v128.bitselect(one, e, f64x2.ge(logits, zero));
      storePair(cells, o, pairs, f64x2.div(numerator, f64x2.add(one, e)));
    }
    shareRow(cells, classes, floor);
  }
}

/**
 * Replaces log-odds by the values of a piecewise linear curve of each class, constant outside of its knots; see `shareRow`. The
 * knots of class k are starts[k] … starts[k + 1] − 1; a class may have none.
 */
export function isotonicRows(
  cells: usize, rows: i32, classes: i32, starts: usize, at: usize, probabilities: usize, floor: f64,
): void {
  for (let i = 0; i < rows; i++, cells += <usize>classes << 3) {
    for (let k: usize = 0; k < <usize>classes; k++) {
      const first = load<u32>(starts + (k << 2)), count = load<u32>(starts + (k << 2), 4) - first;
      const place = cells + (k << 3), offset = <usize>first << 3;
      if (count > 0) store<f64>(place, interpolated(at + offset, probabilities + offset, count, load<f64>(place)));
    }
    shareRow(cells, classes, floor);
  }
}

function interpolated(at: usize, probabilities: usize, count: u32, x: f64): f64 {
  let right: usize = 0;
  for (let length = count; length > 0; ) {
    const half = length >> 1;
    if (load<f64>(at + (right + half << 3)) < x) {
      right += half + 1;
      length -= half + 1;
    } else length = half;
  }
  if (right == 0) return load<f64>(probabilities);
  const before = right - 1 << 3;
  if (right == count) return load<f64>(probabilities + before);
  const share = (x - load<f64>(at + before)) / (load<f64>(at + before, 8) - load<f64>(at + before));
  const from = load<f64>(probabilities + before);
  return from + share * (load<f64>(probabilities + before, 8) - from);
}

/**
 * Divides the probabilities of classes against the rest by their sum, and raises them to the floor. Of two classes only the
 * second has one.
 */
function shareRow(row: usize, classes: i32, floor: f64): void {
  let sum: f64 = 1;
  if (classes == 2) store<f64>(row, 1 - load<f64>(row, 8));
  else {
    sum = 0;
    for (let o: usize = 0; o < <usize>classes << 3; o += 8) {
      const p = max(load<f64>(row + o), LEAST);
      store<f64>(row + o, p);
      sum += p;
    }
  }
  raise(row, classes, 1 / sum, floor);
}

/** Smallest probability of a class against the rest, so that a sum is not 0. */
@inline const LEAST: f64 = 1e-300;
