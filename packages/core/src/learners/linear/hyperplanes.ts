import type { Size } from "../../runtime/codec/part-io.js";
import { converted, object, type Part } from "../../runtime/codec/parts.js";
import { float64, matrix } from "../../runtime/codec/tensor-parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { depthBlocks, multiplyTransposed } from "../../runtime/maths/product.js";
import { SparseRows } from "../../runtime/maths/sparse-rows.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { ImageSection } from "../description.js";
import { imageSections } from "../image-section.js";

/** Dense rows multiplied at a time: packing them takes memory. */
const ROWS_AT_ONCE = 1024;

/** Several functions f(x) = w·x + b. */
export class Hyperplanes {
  /** A row w for each function. */
  readonly weights: Matrix;
  readonly biases: Float64Array;

  constructor(weights: Matrix, biases: Float64Array) {
    this.weights = weights;
    this.biases = biases;
  }

  /** Computes f(x) for each row of features, a column for each function. */
  values(features: Matrix | SparseRows): Matrix {
    const values =
      features instanceof SparseRows ? this.#sparseProducts(features) : this.#denseProducts(features);
    const { columns } = values;
    for (let i = 0; i < values.rows; i++) {
      const row = values.row(i);
      // 0 · x is NaN for NaN and ±∞ only.
      let probe = 0;
      for (let k = 0; k < columns; k++) {
        row[k] += this.biases[k];
        probe += 0 * row[k];
      }
      if (probe !== 0) throw tooLarge(i);
    }
    return values;
  }

  /** Sums sign · w_j · x_j of function `machine` over the features j of each raw column, for each row. */
  columnTerms(
    machine: number,
    sign: 1 | -1,
    features: Matrix | SparseRows,
    columnOf: readonly number[],
    columns: number,
  ): Matrix {
    const weights = this.weights.row(machine);
    const terms = new Matrix(features.rows, columns);
    for (let i = 0; i < features.rows; i++) {
      const sums = terms.row(i);
      if (features instanceof SparseRows) {
        for (let e = features.starts[i]; e < features.starts[i + 1]; e++) {
          const j = features.indices[e];
          sums[columnOf[j]] += sign * weights[j] * features.values[e];
        }
      } else {
        const cells = features.row(i);
        for (let j = 0; j < cells.length; j++) sums[columnOf[j]] += sign * weights[j] * cells[j];
      }
    }
    return terms;
  }

  #denseProducts({ rows, columns, values }: Matrix): Matrix {
    const products = new Matrix(rows, this.biases.length);
    for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
      const to = Math.min(rows, from + ROWS_AT_ONCE);
      const block = new Matrix(to - from, columns, values.subarray(from * columns, to * columns));
      products.values.set(multiplyTransposed(block, this.weights).values, from * this.biases.length);
    }
    return products;
  }

  /** Adds up the products in the order of `multiplyTransposed`: a row has the same values, sparse or dense. */
  #sparseProducts({ rows, columns, starts, indices, values }: SparseRows): Matrix {
    const products = new Matrix(rows, this.biases.length);
    const byFeature = transposed(this.weights);
    const ends = depthBlocks(columns);
    const part = new Float64Array(this.biases.length);
    for (let i = 0; i < rows; i++) {
      const sums = products.row(i);
      let e = starts[i];
      for (const end of ends) {
        if (e === starts[i + 1]) break;
        part.fill(0);
        for (; e < starts[i + 1] && indices[e] < end; e++) {
          const weights = byFeature.row(indices[e]);
          for (let k = 0; k < part.length; k++) part[k] += values[e] * weights[k];
        }
        for (let k = 0; k < part.length; k++) sums[k] += part[k];
      }
    }
    return products;
  }
}

function transposed({ rows, columns, values }: Matrix): Matrix {
  const result = new Matrix(columns, rows);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) result.values[j * rows + i] = values[i * columns + j];
  }
  return result;
}

function tooLarge(row: number): VouchError {
  return new VouchError(
    "data/not-finite",
    `Row ${row + 1} has numbers so large that its decision values are not finite.`,
    { hint: "Check the row for a value in a different unit than in the training rows." },
  );
}

/** Makes the codec of this many hyperplanes. */
export function hyperplanes(count: Size): Part<Hyperplanes> {
  return converted(
    object({ weights: matrix(count, "features"), biases: float64([count]) }),
    (planes) => planes,
    ({ weights, biases }) => new Hyperplanes(weights, biases),
  );
}

/** Describes the weights of linear functions as images, one for each class named, if the features are the pixels of one. */
export function weightImages(
  { weights }: Hyperplanes,
  featureNames: readonly string[],
  classes: readonly string[],
): ImageSection[] {
  return imageSections("weights of the pixels", featureNames, classes.length, (k) => ({
    name: classes[k],
    weights: weights.row(k),
  }));
}
