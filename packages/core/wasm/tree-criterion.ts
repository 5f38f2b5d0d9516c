import { Grower } from "./tree-state";

/**
 * Scores of splits; larger is better. W are weights, c class weights, L and R the two sides.
 *
 *   Gini      Σ c_L² / W_L + Σ c_R² / W_R
 *   entropy   Σ c_L log c_L − W_L log W_L + Σ c_R log c_R − W_R log W_R
 *
 * Each is minus the weighted impurity of the sides, up to a constant of the node. `sum` is Σ c² or Σ c log c of a side.
 */
@inline export function splitScore<T>(grower: Grower, sumLeft: f64, left: f64, sumRight: f64, right: f64): f64 {
  if (grower.entropy) return sumLeft - xLogX<T>(grower, left) + sumRight - xLogX<T>(grower, right);
  return giniScore(sumLeft, left, sumRight, right);
}

/** Computes the score with one division, so that integer weights give equal splits equal scores to the last bit. */
@inline export function giniScore(sumLeft: f64, left: f64, sumRight: f64, right: f64): f64 {
  return (sumLeft * right + sumRight * left) / (left * right);
}

/** Computes the change of the sum when a class of weight `before` gains `more`, which may be negative. */
@inline export function growthOfSum<T>(grower: Grower, before: T, more: T): f64 {
  if (grower.entropy) return xLogX<T>(grower, <f64>(before + more)) - xLogX<T>(grower, <f64>before);
  if (isFloat<T>()) return <f64>more * <f64>(2 * before + more);
  return <f64>(<i64>more * <i64>(2 * before + more));
}

/** Computes the sum of one class. */
@inline export function sumOfOne<T>(grower: Grower, weight: f64): f64 {
  return grower.entropy ? xLogX<T>(grower, weight) : weight * weight;
}

/** Computes the sum of two classes. */
@inline export function sumOfTwo<T>(grower: Grower, first: f64, second: f64): f64 {
  if (grower.entropy) return xLogX<T>(grower, first) + xLogX<T>(grower, second);
  return first * first + second * second;
}

/** Computes the score of a node that is not split. */
@inline export function nodeScore<T>(grower: Grower, sum: f64, weight: f64): f64 {
  return grower.entropy ? sum - xLogX<T>(grower, weight) : sum / weight;
}

/** Computes the score of sides with one class each, up to rounding: no split is better. */
@inline export function perfectScore(grower: Grower): f64 {
  return grower.weight * (grower.entropy ? -1e-12 : 1 - 1e-12);
}

@inline function xLogX<T>(grower: Grower, x: f64): f64 {
  if (isInteger<T>()) return load<f64>(grower.logs + (<usize>x << 3));
  return x > 0 ? x * Math.log(x) : 0;
}

/** Tabulates x · log x up to the number of rows. */
export function prepareLogs(grower: Grower, from: i32, upTo: i32): void {
  for (let x = from; x <= upTo; x++) {
    store<f64>(grower.logs + (<usize>x << 3), x > 0 ? <f64>x * Math.log(<f64>x) : 0);
  }
}
