/**
 * Log-losses of calibrated scores of several classes, Σᵢ wᵢ Lᵢ with Lᵢ = −Σ_k t_k ln p_k and p = softmax(a_k s_k + b_k), and their
 * derivatives. Rows of weight 0 do not count. Sums are in the order of the rows.
 */
import { exponentials, logarithms } from "./boosted-exponential";
import { PANEL_STEP } from "./panels";
import { multiplyPanels } from "./product";

/** Labelled rows of scores. `src/evaluate/calibration-losses.ts` allocates their memory. */
@unmanaged class ScoredRows {
  rows: i32;
  classes: i32;
  /** f64, `classes` for each row. */
  scores: usize;
  /** Class of each row, i32, and its weight, f64. */
  labels: usize;
  weights: usize;
  /** The target probability of each other class, f64, by the class of the row. */
  others: usize;
  /** Probabilities of one row, f64; an odd number is padded with 0. */
  shares: usize;
}

/** Rows whose probabilities are multiplied at a time: their panels stay in the cache. */
@inline const BLOCK: i32 = 64;

export function calibrationBytes(): i32 {
  return offsetof<ScoredRows>();
}

export function calibrationRows(
  problem: usize, rows: i32, classes: i32, scores: usize,
  labels: usize, weights: usize, others: usize, shares: usize,
): void {
  const it = changetype<ScoredRows>(problem);
  it.rows = rows;
  it.classes = classes;
  it.scores = scores;
  it.labels = labels;
  it.weights = weights;
  it.others = others;
  it.shares = shares;
}

@inline function weightOf(it: ScoredRows, i: i32): f64 {
  return load<f64>(it.weights + (<usize>i << 3));
}

@inline function scoresOf(it: ScoredRows, i: i32): usize {
  return it.scores + (<usize>i * it.classes << 3);
}

@inline function labelOf(it: ScoredRows, i: i32): i32 {
  return load<i32>(it.labels + (<usize>i << 2));
}

@inline function sumOf(lanes: v128): f64 {
  return f64x2.extract_lane(lanes, 0) + f64x2.extract_lane(lanes, 1);
}

/** Bytes of pairs of classes, without and with an odd last one. */
@inline function pairBytes(it: ScoredRows): usize {
  return <usize>(it.classes >> 1) << 4;
}

@inline function shareBytes(it: ScoredRows): usize {
  return <usize>((it.classes + 1) >> 1) << 4;
}

/** Loads a pair of scores, or the last one and 0. */
@inline function pairAt(scores: usize, o: usize, pairs: usize): v128 {
  return o < pairs ? v128.load(scores + o) : v128.load64_zero(scores + o);
}

/** Sums the weighted losses. */
export function calibrationLoss(problem: usize, slopes: usize, intercepts: usize): f64 {
  const it = changetype<ScoredRows>(problem);
  let loss: f64 = 0;
  for (let i = 0; i < it.rows; i++) {
    const weight = weightOf(it, i);
    if (weight != 0) loss += weight * lossOfRow(it, i, slopes, intercepts);
  }
  return loss;
}

/** Computes the probabilities of a row, and returns its loss ln Σ exp(l_k) − Σ t_k l_k. */
function lossOfRow(it: ScoredRows, i: i32, slopes: usize, intercepts: usize): f64 {
  const scores = scoresOf(it, i), shares = it.shares, pairs = pairBytes(it), bytes = shareBytes(it);
  let largest = f64x2.splat(-Infinity), sums = f64x2.splat(0);
  for (let o: usize = 0; o < pairs; o += 16) {
    const logits = f64x2.add(f64x2.mul(v128.load(slopes + o), v128.load(scores + o)), v128.load(intercepts + o));
    v128.store(shares + o, logits);
    largest = f64x2.pmax(largest, logits);
    sums = f64x2.add(sums, logits);
  }
  let most = max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1)), all = sumOf(sums);
  if (pairs < bytes) {
    const logit = load<f64>(slopes + pairs) * load<f64>(scores + pairs) + load<f64>(intercepts + pairs);
    v128.store(shares + pairs, f64x2(logit, -Infinity));
    most = max(most, logit);
    all += logit;
  }
  const label = labelOf(it, i), other = load<f64>(it.others + (<usize>label << 3));
  const own = load<f64>(shares + (<usize>label << 3));
  let total = f64x2.splat(0);
  for (let o: usize = 0; o < bytes; o += 16) {
    const e = exponentials(f64x2.sub(v128.load(shares + o), f64x2.splat(most)));
    v128.store(shares + o, e);
    total = f64x2.add(total, e);
  }
  const sum = sumOf(total), factor = f64x2.splat(1 / sum);
  for (let o: usize = 0; o < bytes; o += 16) v128.store(shares + o, f64x2.mul(factor, v128.load(shares + o)));
  if (pairs < bytes) store<f64>(shares + pairs, 0, 8);
  // Targets are `other` everywhere, plus the rest of 1 for the own class. Differences to the largest logit lose no digits.
  
  return f64x2.extract_lane(logarithms(f64x2.splat(sum)), 0)
    + (1 - <f64>it.classes * other) * (most - own) + other * (<f64>it.classes * most - all);
}

/** Writes the first and second derivative by x of Σ wᵢ Lᵢ with p = softmax(x · s); all slopes are x and all intercepts 0. */
export function temperatureDerivatives(problem: usize, slopes: usize, intercepts: usize, to: usize): void {
  const it = changetype<ScoredRows>(problem);
  const pairs = pairBytes(it), bytes = shareBytes(it);
  let slope: f64 = 0, curvature: f64 = 0;
  for (let i = 0; i < it.rows; i++) {
    const weight = weightOf(it, i);
    if (weight == 0) continue;
    lossOfRow(it, i, slopes, intercepts);
    const scores = scoresOf(it, i), label = labelOf(it, i), other = load<f64>(it.others + (<usize>label << 3));
    let all = f64x2.splat(0), means = all, squares = all;
    for (let o: usize = 0; o < bytes; o += 16) {
      const score = pairAt(scores, o, pairs), product = f64x2.mul(v128.load(it.shares + o), score);
      all = f64x2.add(all, score);
      means = f64x2.add(means, product);
      squares = f64x2.add(squares, f64x2.mul(product, score));
    }
    const mean = sumOf(means), own = load<f64>(scores + (<usize>label << 3));
    slope += weight * (mean - (1 - <f64>it.classes * other) * own - other * sumOf(all));
    curvature += weight * max<f64>(0, sumOf(squares) - mean * mean);
  }
  store<f64>(to, slope);
  store<f64>(to, curvature, 8);
}

/** Bytes of scratch of `vectorDerivatives`. */
export function vectorScratchBytes(classes: i32): i32 {
  return <i32>PANEL_STEP * BLOCK * ((classes + 1) >> 1);
}

/**
 * Adds derivatives of Σ wᵢ Lᵢ by slopes and intercepts. Vectors of classes are padded to an even number n. The gradient has slopes,
 * then intercepts. The Hessian is the diagonals Σ w p s², Σ w p s and Σ w p by two slopes, slope and intercept, and two intercepts
 * of a class, minus the products Σ w q qᵀ with q = (p∘s, p), 2n × 2n, of which only the lower triangle is written.
 */
export function vectorDerivatives(
  problem: usize, slopes: usize, intercepts: usize,
  gradient: usize, diagonals: usize, products: usize, panels: usize,
): void {
  const it = changetype<ScoredRows>(problem);
  const size = <i32>(shareBytes(it) >> 2), count = size >> 2;
  for (let begin = 0; begin < it.rows; begin += BLOCK) {
    const depth = min(BLOCK, it.rows - begin);
    for (let k = 0; k < depth; k++) {
      const i = begin + k, step = panels + <usize>k * PANEL_STEP;
      addRow(it, i, slopes, intercepts, gradient, diagonals, step, <usize>depth * PANEL_STEP);
    }
    multiplyPanels<f64>(panels, panels, depth, products, size, size, size, 0, count, true, true);
  }
}

/** Adds a row to gradient and diagonals, and writes √w · (p∘s, p) to a step of the panels. */
function addRow(
  it: ScoredRows, i: i32, slopes: usize, intercepts: usize,
  gradient: usize, diagonals: usize, step: usize, panelBytes: usize,
): void {
  const weight = weightOf(it, i), pairs = pairBytes(it), bytes = shareBytes(it);
  if (weight == 0) {
    for (let o: usize = 0; o < 2 * bytes; o += 16) v128.store(placeIn(step, o, panelBytes), f64x2.splat(0));
    return;
  }
  lossOfRow(it, i, slopes, intercepts);
  const scores = scoresOf(it, i), label = <usize>labelOf(it, i) << 3, other = load<f64>(it.others + label);
  const weights = f64x2.splat(weight), root = f64x2.splat(Math.sqrt(weight)), others = f64x2.splat(other);
  for (let o: usize = 0; o < bytes; o += 16) {
    const p = v128.load(it.shares + o), s = pairAt(scores, o, pairs), ps = f64x2.mul(p, s);
    const residual = f64x2.mul(weights, f64x2.sub(p, others));
    addPair(gradient + o, f64x2.mul(residual, s));
    addPair(gradient + bytes + o, residual);
    addPair(diagonals + o, f64x2.mul(weights, f64x2.mul(ps, s)));
    addPair(diagonals + bytes + o, f64x2.mul(weights, ps));
    addPair(diagonals + 2 * bytes + o, f64x2.mul(weights, p));
    v128.store(placeIn(step, o, panelBytes), f64x2.mul(root, ps));
    v128.store(placeIn(step, bytes + o, panelBytes), f64x2.mul(root, p));
  }
  const missing = weight * (1 - <f64>it.classes * other), score = load<f64>(scores + label);
  store<f64>(gradient + label, load<f64>(gradient + label) - missing * score);
  store<f64>(gradient + bytes + label, load<f64>(gradient + bytes + label) - missing);
}

@inline function addPair(to: usize, pair: v128): void {
  v128.store(to, f64x2.add(v128.load(to), pair));
}

/** Returns the place of the pair at byte `o` of a vector in a step of its panels. */
@inline function placeIn(step: usize, o: usize, panelBytes: usize): usize {
  return step + o / PANEL_STEP * panelBytes + o % PANEL_STEP;
}
