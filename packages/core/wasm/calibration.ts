/**
 * Log-losses of calibrated scores of several classes, Σᵢ wᵢ Lᵢ with Lᵢ = −Σ_k t_k ln p_k and p = softmax(a_k s_k + b_k), and their
 * derivatives. Rows of weight 0 do not count. Sums are in the order of the rows.
 */
import { bytesOfAll, bytesOfPairs, loadPair, logitsOf, softmaxOf, sumOfPair } from "./calibration-rows";
import { PANEL_STEP } from "./panels";
import { multiplyPanels } from "./product";

/** Labelled rows of scores. `src/validation/calibrator-losses.ts` allocates their memory. */
@unmanaged export class ScoredRows {
  rows: i32;
  classes: i32;
  /** f64, `classes` for each row. */
  scores: usize;
  /** Class of each row, i32, and its weight, f64. */
  labels: usize;
  weights: usize;
  /** The target probability of each other class, f64, by the class of the row. */
  others: usize;
  /** Probabilities at the last loss, f64, `classes` for each row. */
  shares: usize;
}

/** Rows whose probabilities are multiplied at a time: their panels stay in the cache. */
@inline const BLOCK: i32 = 64;

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

/** Returns the offset of a row of scores or probabilities. */
@inline function rowOf(it: ScoredRows, i: i32): usize {
  return <usize>i * it.classes << 3;
}

/** Returns the offset of the class of a row in a vector of doubles. */
@inline function labelOf(it: ScoredRows, i: i32): usize {
  return <usize>load<i32>(it.labels + (<usize>i << 2)) << 3;
}

/** Sums the weighted losses; the rows keep their probabilities for the derivatives. */
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
  const classes = it.classes;
  const shares = it.shares + rowOf(it, i), pairs = bytesOfPairs(classes), label = labelOf(it, i);
  const largest = logitsOf(it.scores + rowOf(it, i), classes, slopes, intercepts, shares);
  const other = load<f64>(it.others + label), own = largest - load<f64>(shares + label);
  // Differences to the largest logit lose no digits.
  let rest = f64x2.splat(0);
  for (let o: usize = 0; o < bytesOfAll(classes); o += 16) {
    rest = f64x2.add(rest, f64x2.sub(f64x2.splat(largest), loadPair(shares, o, pairs, largest)));
  }
  // Targets are `other` for every class, plus what is missing to 1 for the own one.
  return softmaxOf(shares, classes, largest) + (1 - <f64>classes * other) * own + other * sumOfPair(rest);
}

/** Writes the first and second derivative by x of Σ wᵢ Lᵢ with p = softmax(x · s). */
export function temperatureDerivatives(problem: usize, to: usize): void {
  const it = changetype<ScoredRows>(problem), pairs = bytesOfPairs(it.classes);
  let slope: f64 = 0, curvature: f64 = 0;
  for (let i = 0; i < it.rows; i++) {
    const weight = weightOf(it, i);
    if (weight == 0) continue;
    const scores = it.scores + rowOf(it, i), shares = it.shares + rowOf(it, i), label = labelOf(it, i);
    const other = load<f64>(it.others + label);
    let all = f64x2.splat(0), means = all, squares = all;
    for (let o: usize = 0; o < bytesOfAll(it.classes); o += 16) {
      const score = loadPair(scores, o, pairs, 0), product = f64x2.mul(loadPair(shares, o, pairs, 0), score);
      all = f64x2.add(all, score);
      means = f64x2.add(means, product);
      squares = f64x2.add(squares, f64x2.mul(product, score));
    }
    const mean = sumOfPair(means), own = load<f64>(scores + label);
    slope += weight * (mean - (1 - <f64>it.classes * other) * own - other * sumOfPair(all));
    curvature += weight * max<f64>(0, sumOfPair(squares) - mean * mean);
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
  problem: usize, gradient: usize, diagonals: usize, products: usize, panels: usize,
): void {
  const it = changetype<ScoredRows>(problem), size = <i32>(bytesOfAll(it.classes) >> 2);
  for (let begin = 0; begin < it.rows; begin += BLOCK) {
    const depth = min(BLOCK, it.rows - begin), panelBytes = <usize>depth * PANEL_STEP;
    for (let k = 0; k < depth; k++) {
      addRow(it, begin + k, gradient, diagonals, panels + <usize>k * PANEL_STEP, panelBytes);
    }
    multiplyPanels<f64>(panels, panels, depth, products, size, size, size, 0, size >> 2, true, true);
  }
}

/** Adds a row to gradient and diagonals, and writes √w · (p∘s, p) to a step of the panels. */
function addRow(
  it: ScoredRows, i: i32, gradient: usize, diagonals: usize, step: usize, panelBytes: usize,
): void {
  const weight = weightOf(it, i), pairs = bytesOfPairs(it.classes), bytes = bytesOfAll(it.classes);
  if (weight == 0) {
    for (let o: usize = 0; o < 2 * bytes; o += 16) v128.store(placeIn(step, o, panelBytes), f64x2.splat(0));
    return;
  }
  const scores = it.scores + rowOf(it, i), shares = it.shares + rowOf(it, i), label = labelOf(it, i);
  const other = load<f64>(it.others + label);
  const weights = f64x2.splat(weight), root = f64x2.splat(Math.sqrt(weight));
  for (let o: usize = 0; o < bytes; o += 16) {
    const p = loadPair(shares, o, pairs, 0), s = loadPair(scores, o, pairs, 0), ps = f64x2.mul(p, s);
    const residual = f64x2.mul(weights, f64x2.sub(p, f64x2.splat(other)));
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
