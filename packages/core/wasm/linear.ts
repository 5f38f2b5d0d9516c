/**
 * Linear support vector machines by dual coordinate descent (Hsieh, Chang, Lin, Keerthi, Sundararajan 2008, Algorithm 3):
 *
 *     minimise ½‖w‖² − Σ αᵢ + ½ Σ Dᵢαᵢ²   with w = Σ yᵢαᵢxᵢ and 0 ≤ αᵢ ≤ Uᵢ
 *
 * one αᵢ at a time, in a new random order for each pass. Hinge loss: D = 0, U = C; squared hinge: D = 1/(2C), U = ∞.
 * Every row has an additional constant feature of value `bias`.
 */
import { denseAdd, denseDot, sparseAdd, sparseDot, squaredNorm } from "./linear-rows";

/** A problem and the state of its solution. `src/learners/linear/` allocates its memory. */
@unmanaged export class Linear {
  // The rows: dense or sparse, of f32 or f64.
  dense: bool;
  wide: bool;
  columns: i32;
  rows: usize;
  /** Start of each sparse row, in bytes from the first: one more u32 than rows. */
  starts: usize;

  /** The selected rows: `size` of type Entry. */
  entries: usize;
  size: i32;
  /** Their order, i32; those from `active` on are shrunk away. */
  order: usize;
  active: i32;
  /** Those that this pass has shrunk away; the others are the first `kept` of the order. */
  aside: usize;
  kept: i32;
  /** Keeps prefetching from being optimised away. */
  touched: i32;

  squared: bool;
  bias: f64;
  /** w, and the weight of the constant feature. */
  weights: usize;
  biasWeight: f64;

  // Stopping
  tolerance: f64;
  maxPasses: i32;
  passes: i32;
  /** The extremes of the projected gradient in the last pass, widened if nothing may be shrunk away. */
  highest: f64;
  lowest: f64;
  /** The extremes so far in this pass. */
  newHighest: f64;
  newLowest: f64;
  /** The next place in the order; −1 between passes. */
  cursor: i32;
  /** The distance of the extremes of the last pass, 0 included. */
  violation: f64;

  // The state of the generator of `src/runtime/maths/random.ts`, sfc32.
  a: u32;
  b: u32;
  c: u32;
  counter: u32;
}

/** Everything that a visit of a row needs, in half a cache line. */
@unmanaged class Entry {
  alpha: f64;
  /** C for the hinge loss, where D = 0; D for the squared hinge loss, where U = ∞. */
  limit: f64;
  /** ‖x‖² + bias² + D: the second derivative by α. */
  curvature: f64;
  /** Address of the values of the row. */
  row: usize;
  /** Twice the number of entries, plus one if the label is −1. */
  lengthAndSign: u32;
}

@inline export const ENTRY: usize = 32;

/** Rows to prefetch. */
@inline const BATCH: i32 = 32;

/** A gradient this small counts as zero. */
@inline const NOTHING: f64 = 1e-12;

/** Sets the rows, which are dense if `starts` is 0. */
export function linearRows(problem: Linear, rows: usize, starts: usize, columns: i32, wide: bool): void {
  problem.rows = rows;
  problem.starts = starts;
  problem.dense = starts == 0;
  problem.columns = columns;
  problem.wide = wide;
}

/** Sets the loss, the value of the constant feature, and the memory of the solution. */
export function linearLayOut(
  problem: Linear, squared: bool, bias: f64,
  entries: usize, order: usize, aside: usize, weights: usize,
): void {
  problem.squared = squared;
  problem.bias = bias;
  problem.entries = entries;
  problem.order = order;
  problem.aside = aside;
  problem.weights = weights;
  problem.size = 0;
}

/** Selects the rows [begin, end) of a list, with their labels (i8) and costs C. */
export function linearTake(problem: Linear, list: usize, labels: usize, costs: usize, begin: i32, end: i32): void {
  for (let k = begin; k < end; k++) {
    const entry = changetype<Entry>(problem.entries + <usize>k * ENTRY);
    const n = place(problem, entry, load<i32>(list + (<usize>k << 2)));
    const cost = load<f64>(costs + (<usize>k << 3));
    const ridge = problem.squared ? 0.5 / cost : 0;
    const norm = problem.wide ? squaredNorm<f64>(problem.dense, entry.row, n) : squaredNorm<f32>(problem.dense, entry.row, n);
    entry.alpha = 0;
    entry.limit = problem.squared ? ridge : cost;
    entry.curvature = norm + problem.bias * problem.bias + ridge;
    const negative: u32 = load<i8>(labels + <usize>k) < 0 ? 1 : 0;
    entry.lengthAndSign = (<u32>n << 1) | negative;
    // A row of cost 0 has no influence.
    if (cost == 0 || ridge == Infinity) continue;
    store<i32>(problem.order + (<usize>problem.size << 2), k);
    problem.size++;
  }
}

/** Stores the address of a row and returns its number of values. */
function place(it: Linear, entry: Entry, row: i32): i32 {
  const bytes: usize = it.wide ? 8 : 4;
  if (it.dense) {
    entry.row = it.rows + <usize>row * <usize>it.columns * bytes;
    return it.columns;
  }
  const start = load<u32>(it.starts + (<usize>row << 2)), end = load<u32>(it.starts + (<usize>row << 2), 4);
  entry.row = it.rows + start;
  return <i32>((<usize>end - <usize>start) / (4 + bytes));
}

/** Starts at α = 0; the last four arguments are the state of the generator. */
export function linearStart(
  problem: Linear, tolerance: f64, maxPasses: i32,
  a: u32, b: u32, c: u32, counter: u32,
): void {
  memory.fill(problem.weights, 0, <usize>problem.columns << 3);
  problem.biasWeight = 0;
  problem.tolerance = tolerance;
  problem.maxPasses = maxPasses;
  problem.passes = 0;
  problem.violation = Infinity;
  problem.active = problem.size;
  problem.cursor = -1;
  problem.highest = Infinity;
  problem.lowest = -Infinity;
  problem.a = a;
  problem.b = b;
  problem.c = c;
  problem.counter = counter;
}

/** Does about `work` multiplications; returns 0 if there is more to do, 1 at the tolerance, 2 at the maximum of passes. */
export function linearRun(problem: Linear, work: i32): i32 {
  while (work > 0) {
    if (problem.cursor < 0) {
      if (problem.passes >= problem.maxPasses) return 2;
      beginPass(problem);
      work -= problem.active;
    }
    work = visitRows(problem, work);
    if (problem.cursor == problem.active && endPass(problem)) return 1;
  }
  return 0;
}

export function linearBiasWeight(problem: Linear): f64 {
  return problem.biasWeight;
}

export function linearPasses(problem: Linear): i32 {
  return problem.passes;
}

export function linearViolation(problem: Linear): f64 {
  return problem.violation;
}

/** Writes α and w · x, with the constant feature, of the entries [begin, end). */
export function linearOutcome(problem: Linear, begin: i32, end: i32, alphas: usize, values: usize): void {
  const shift = problem.bias * problem.biasWeight;
  for (let k = begin; k < end; k++) {
    const entry = changetype<Entry>(problem.entries + <usize>k * ENTRY);
    store<f64>(alphas + (<usize>k << 3), entry.alpha);
    store<f64>(values + (<usize>k << 3), dot(problem, entry) + shift);
  }
}

function dot(it: Linear, entry: Entry): f64 {
  const n = entry.lengthAndSign >> 1;
  if (it.dense) return it.wide ? denseDot<f64>(it.weights, entry.row, n) : denseDot<f32>(it.weights, entry.row, n);
  return it.wide ? sparseDot<f64>(it.weights, entry.row, n) : sparseDot<f32>(it.weights, entry.row, n);
}

// Passes

function beginPass(it: Linear): void {
  for (let s = it.active - 1; s > 0; s--) swap(it.order, s, below(it, s + 1));
  it.cursor = 0;
  it.kept = 0;
  it.newHighest = -Infinity;
  it.newLowest = Infinity;
}

/** Ends a pass; returns true if the tolerance is reached. */
function endPass(it: Linear): bool {
  const setAside = it.cursor - it.kept;
  memory.copy(it.order + (<usize>it.kept << 2), it.aside, <usize>setAside << 2);
  it.active = it.kept;
  it.cursor = -1;
  it.passes++;
  // The gradients of few rows can be equal without being 0.
  it.violation = max(it.newHighest, 0) - min(it.newLowest, 0);
  if (it.violation <= it.tolerance) {
    if (it.active == it.size) return true;
    // Good enough for the active rows: now check all of them.
    it.active = it.size;
    it.highest = Infinity;
    it.lowest = -Infinity;
    return false;
  }
  it.highest = it.newHighest > 0 ? it.newHighest : Infinity;
  it.lowest = it.newLowest < 0 ? it.newLowest : -Infinity;
  return false;
}

function visitRows(it: Linear, work: i32): i32 {
  while (it.cursor < it.active && work > 0) {
    const end = min(it.cursor + BATCH, it.active);
    it.touched = touch(it, it.cursor, end);
    if (it.dense) work = it.wide ? visitBatch<f64>(it, end, work, true) : visitBatch<f32>(it, end, work, true);
    else work = it.wide ? visitBatch<f64>(it, end, work, false) : visitBatch<f32>(it, end, work, false);
  }
  return work;
}

/**
 * Prefetches rows. Rows in random order are not in the cache, and a visit cannot begin before its row is loaded. Reading from
 * several rows at a time lets the processor wait for all of them at once.
 */
function touch(it: Linear, begin: i32, end: i32): i32 {
  const bytes: usize = it.wide ? 8 : 4;
  let touched = it.touched;
  for (let s = begin; s < end; s++) {
    const entry = entryAt(it, s);
    const n = entry.lengthAndSign >> 1;
    if (n == 0) continue;
    const last = it.dense ? (<usize>n * bytes) - 4 : (<usize>n * (4 + bytes)) - 4;
    touched ^= load<i32>(entry.row) ^ load<i32>(entry.row + (last >> 1)) ^ load<i32>(entry.row + last);
  }
  return touched;
}

/** Visits rows from the cursor on; returns the remaining work. */
@inline function visitBatch<T>(it: Linear, end: i32, work: i32, dense: bool): i32 {
  const w = it.weights, bias = it.bias, squared = it.squared, highest = it.highest, lowest = it.lowest;
  let newHighest = it.newHighest, newLowest = it.newLowest, biasWeight = it.biasWeight, kept = it.kept;
  for (let s = it.cursor; s < end; s++) {
    const entry = entryAt(it, s);
    const row = entry.row, n = <i32>(entry.lengthAndSign >> 1), alpha = entry.alpha, limit = entry.limit;
    const sign: f64 = (entry.lengthAndSign & 1) != 0 ? -1 : 1;
    const sum = (dense ? denseDot<T>(w, row, n) : sparseDot<T>(w, row, n)) + bias * biasWeight;
    const gradient = sign * sum - 1 + (squared ? alpha * limit : 0);
    const upper = squared ? Infinity : limit;
    work -= n + 8;

    let projected = gradient, done = false;
    if (alpha == 0) {
      done = gradient > highest;
      projected = min(gradient, 0);
    } else if (alpha == upper) {
      done = gradient < lowest;
      projected = max(gradient, 0);
    }
    const number = load<i32>(it.order + (<usize>s << 2));
    if (done) {
      store<i32>(it.aside + (<usize>(s - kept) << 2), number);
      continue;
    }
    store<i32>(it.order + (<usize>kept << 2), number);
    kept++;
    newHighest = max(newHighest, projected);
    newLowest = min(newLowest, projected);
    if (abs(projected) > NOTHING) {
      const next = min(max(alpha - gradient / entry.curvature, 0), upper);
      const step = (next - alpha) * sign;
      entry.alpha = next;
      biasWeight += step * bias;
      if (dense) denseAdd<T>(step, row, n, w);
      else sparseAdd<T>(step, row, n, w);
    }
  }
  it.cursor = end;
  it.kept = kept;
  it.biasWeight = biasWeight;
  it.newHighest = newHighest;
  it.newLowest = newLowest;
  return work;
}

/** Returns the row at place s of the order. */
@inline function entryAt(it: Linear, s: i32): Entry {
  return changetype<Entry>(it.entries + (<usize>load<i32>(it.order + (<usize>s << 2)) << 5));
}

@inline function swap(order: usize, i: i32, j: i32): void {
  const at = order + (<usize>i << 2), other = order + (<usize>j << 2);
  const row = load<i32>(at);
  store<i32>(at, load<i32>(other));
  store<i32>(other, row);
}

/** Draws a random integer in [0, n), with a bias of at most n / 2³². */
@inline function below(it: Linear, n: i32): i32 {
  const b = it.b, c = it.c;
  const sum = it.a + b + it.counter;
  it.counter += 1;
  it.a = b ^ (b >> 9);
  it.b = c + (c << 3);
  it.c = rotl<u32>(c, 21) + sum;
  return <i32>((<u64>sum * <u64>n) >> 32);
}
