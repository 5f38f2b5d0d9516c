import { Tree } from "./tree-state";

/**
 * Scores of splits; larger is better. W are weights, c class weights, L and R the two sides.
 *
 *   Gini      Σ c_L² / W_L + Σ c_R² / W_R
 *   entropy   Σ c_L log c_L − W_L log W_L + Σ c_R log c_R − W_R log W_R
 *
 * Each is minus the weighted impurity of the sides, up to a constant of the node. `sum` is Σ c² or Σ c log c of a side.
 */
@inline export function splitScore<T>(tree: Tree, sumLeft: f64, left: f64, sumRight: f64, right: f64): f64 {
  if (tree.entropy) return sumLeft - xLogX<T>(tree, left) + sumRight - xLogX<T>(tree, right);
  return giniScore(sumLeft, left, sumRight, right);
}

/** Computes the score with one division, so that integer weights give equal splits equal scores to the last bit. */
@inline export function giniScore(sumLeft: f64, left: f64, sumRight: f64, right: f64): f64 {
  return (sumLeft * right + sumRight * left) / (left * right);
}

/** Computes the change of the sum when a class of weight `before` gains `more`, which may be negative. */
@inline export function growthOfSum<T>(tree: Tree, before: T, more: T): f64 {
  if (tree.entropy) return xLogX<T>(tree, <f64>(before + more)) - xLogX<T>(tree, <f64>before);
  if (isFloat<T>()) return <f64>more * <f64>(2 * before + more);
  return <f64>(<i64>more * <i64>(2 * before + more));
}

/** Computes the sum of one class. */
@inline export function sumOfOne<T>(tree: Tree, weight: f64): f64 {
  return tree.entropy ? xLogX<T>(tree, weight) : weight * weight;
}

/** Computes the sum of two classes. */
@inline export function sumOfTwo<T>(tree: Tree, first: f64, second: f64): f64 {
  if (tree.entropy) return xLogX<T>(tree, first) + xLogX<T>(tree, second);
  return first * first + second * second;
}

/** Computes the score of a node that is not split. */
@inline export function nodeScore<T>(tree: Tree, sum: f64, weight: f64): f64 {
  return tree.entropy ? sum - xLogX<T>(tree, weight) : sum / weight;
}

/** Computes the score of sides with one class each, up to rounding: no split is better. */
@inline export function perfectScore(tree: Tree): f64 {
  return tree.weight * (tree.entropy ? -1e-12 : 1 - 1e-12);
}

@inline function xLogX<T>(tree: Tree, x: f64): f64 {
  if (isInteger<T>()) return load<f64>(tree.logs + (<usize>x << 3));
  return x > 0 ? x * Math.log(x) : 0;
}

/** Tabulates x · log x up to the number of rows. */
export function prepareLogs(tree: Tree, from: i32, upTo: i32): void {
  for (let x = from; x <= upTo; x++) {
    store<f64>(tree.logs + (<usize>x << 3), x > 0 ? <f64>x * Math.log(<f64>x) : 0);
  }
}
