import { VouchError } from "../error.js";
import type { Matrix } from "../numeric/matrix.js";

/**
 * The columns of all monomials of the features of degree 1 … k, one after the other: x₁, x₁², x₁x₂, … There are
 * C(n+k, k) − 1 of them. A column is valid until the next one is asked for, since its memory is used again.
 */
export function* monomialColumns(matrix: Matrix, degree: number): Generator<Float64Array> {
  if (!(Number.isInteger(degree) && degree >= 1)) {
    throw new VouchError("option/invalid", `The degree is ${degree}, but must be a whole number from 1.`);
  }
  const products = Array.from({ length: degree }, () => new Float64Array(matrix.rows));
  yield* extend(matrix, products, 0, 0);
}

/** All products of the monomial of the level above with one more feature, each followed by its own extensions. */
function* extend(
  matrix: Matrix,
  products: readonly Float64Array[],
  level: number,
  firstFeature: number,
): Generator<Float64Array> {
  if (level === products.length) return;
  const { rows, columns, values } = matrix;
  for (let feature = firstFeature; feature < columns; feature++) {
    const product = products[level];
    for (let i = 0; i < rows; i++) {
      const factor = values[i * columns + feature];
      product[i] = level === 0 ? factor : products[level - 1][i] * factor;
    }
    yield product;
    yield* extend(matrix, products, level + 1, feature);
  }
}
