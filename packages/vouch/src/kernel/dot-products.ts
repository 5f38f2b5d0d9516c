import type { Run } from "../learning/run.js";
import { gram } from "../numeric/gram.js";
import type { Matrix } from "../numeric/matrix.js";
import type { ResidentMatrix } from "../numeric/resident-matrix.js";
import { type Kernel, kernelValue } from "./kernel.js";
import { KernelMatrix } from "./kernel-matrix.js";

/** The kernel matrix of the rows of X. */
export async function kernelMatrix(
  X: Matrix,
  kernel: Kernel,
  _run: Pick<Run, "executor" | "signal">,
): Promise<KernelMatrix> {
  const result = KernelMatrix.allocate(X.rows, kernel);
  for (let i = 0; i < X.rows; i++) {
    const row = result.row(i);
    for (let j = 0; j < X.rows; j++) row[j] = kernelValue(kernel, X.row(i), X.row(j));
  }
  return result;
}

/**
 * The scalar products of all pairs of rows of a sample, computed once: the matrices of linear, polynomial and RBF
 * kernels follow from them element by element.
 */
export class DotProducts {
  readonly #X: Matrix;
  readonly #products: ResidentMatrix;

  private constructor(X: Matrix, products: ResidentMatrix) {
    this.#X = X;
    this.#products = products;
  }

  static async of(X: Matrix, _run: Pick<Run, "executor" | "signal">): Promise<DotProducts> {
    return new DotProducts(X, gram(X, { precision: "f32" }));
  }

  /** The matrix of a kernel, in memory of its own. */
  async kernelMatrix(kernel: Kernel, run: Pick<Run, "executor" | "signal">): Promise<KernelMatrix> {
    return kernelMatrix(this.#X, kernel, run);
  }

  /** Gives the memory of the products back; kernel matrices made from them stay. */
  release(): void {
    this.#products.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
