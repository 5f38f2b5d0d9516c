/**
 * The log-loss Σ wᵢ (ln(1 + e^l) − tᵢ l) of one event, with l = Σ_j x_j c_j(i), as a function of the factors x of a few columns c,
 * and its derivatives. Columns, targets and weights are f64 and padded to an even number of rows with zeros; a column follows the
 * other.
 */
import { exponentials } from "./boosted-exponential";
import { softplusOfMinus } from "./calibration-rows";
import { dot } from "./vector";

/** Computes the logits of two rows. */
@inline function logitsAt(columns: usize, count: i32, rows: i32, factors: usize, o: usize): v128 {
  let logits = f64x2.splat(0);
  for (let j = 0; j < count; j++) {
    const factor = v128.load64_splat(factors + (<usize>j << 3));
    logits = f64x2.add(logits, f64x2.mul(factor, v128.load(columns + (<usize>j * rows << 3) + o)));
  }
  return logits;
}

export function eventLoss(
  columns: usize, count: i32, rows: i32, targets: usize, weights: usize, factors: usize,
): f64 {
  const zero = f64x2.splat(0);
  let loss = zero;
  for (let o: usize = 0; o < <usize>rows << 3; o += 16) {
    const logits = logitsAt(columns, count, rows, factors, o);
    const linear = f64x2.sub(f64x2.max(logits, zero), f64x2.mul(v128.load(targets + o), logits));
    const rest = softplusOfMinus(logits);
    loss = f64x2.add(loss, f64x2.mul(v128.load(weights + o), f64x2.add(linear, rest)));
  }
  return f64x2.extract_lane(loss, 0) + f64x2.extract_lane(loss, 1);
}

/** Writes gradient and Hessian, of which only the lower triangle is meaningful. `scratch` is three columns. */
export function eventDerivatives(
  columns: usize, count: i32, rows: i32, targets: usize, weights: usize, factors: usize,
  gradient: usize, hessian: usize, scratch: usize,
): void {
  const bytes = <usize>rows << 3, residuals = scratch, curvatures = scratch + bytes, products = curvatures + bytes;
  const one = f64x2.splat(1), zero = f64x2.splat(0);
  for (let o: usize = 0; o < bytes; o += 16) {
    const logits = logitsAt(columns, count, rows, factors, o), weight = v128.load(weights + o);
    // e = exp(−|l|): the smaller of the two probabilities is e / (1 + e).
    const e = exponentials(f64x2.neg(f64x2.abs(logits)));
    const larger = f64x2.div(one, f64x2.add(one, e)), smaller = f64x2.mul(e, larger);
    const p = v128.bitselect(larger, smaller, f64x2.ge(logits, zero));
    v128.store(residuals + o, f64x2.mul(weight, f64x2.sub(p, v128.load(targets + o))));
    v128.store(curvatures + o, f64x2.mul(weight, f64x2.mul(larger, smaller)));
  }
  for (let j = 0; j < count; j++) {
    const column = columns + <usize>j * bytes;
    store<f64>(gradient + (<usize>j << 3), dot<f64>(residuals, column, rows));
    for (let o: usize = 0; o < bytes; o += 16) {
      v128.store(products + o, f64x2.mul(v128.load(curvatures + o), v128.load(column + o)));
    }
    for (let k = 0; k <= j; k++) {
      store<f64>(hessian + (<usize>(j * count + k) << 3), dot<f64>(products, columns + <usize>k * bytes, rows));
    }
  }
}
