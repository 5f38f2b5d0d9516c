import { checkpoint, type Run } from "../learning/run.js";
import type { Matrix } from "../numeric/matrix.js";
import { computeMatrix } from "./compute-matrix.js";
import type { Kernel } from "./kernel.js";
import { dependsOnProducts, kernelForm } from "./kernel-form.js";
import { KernelMatrix } from "./kernel-matrix.js";
import { precisionFor } from "./suitability.js";

/** So many values are computed between two checkpoints: some milliseconds. */
const VALUES_AT_ONCE = 2 ** 22;

/**
 * The scalar products of all pairs of rows of a sample, computed once: the matrices of linear, polynomial and RBF
 * kernels follow from them element by element. Where single precision would lose digits, and for other kernels, the
 * matrix is computed from the sample.
 */
export class DotProducts {
  readonly #X: Matrix;
  readonly #products: KernelMatrix;

  private constructor(X: Matrix, products: KernelMatrix) {
    this.#X = X;
    this.#products = products;
  }

  /** The products of the rows of X, on all threads of the run. Their caller releases them. */
  static async of(X: Matrix, run: Pick<Run, "executor" | "signal">): Promise<DotProducts> {
    precisionFor({ kind: "linear" }, X);
    return new DotProducts(X, await computeMatrix(X, { kind: "linear" }, "f32", run));
  }

  /** The matrix of a kernel, in memory of its own. */
  async kernelMatrix(kernel: Kernel, run: Pick<Run, "executor" | "signal">): Promise<KernelMatrix> {
    const precision = precisionFor(kernel, this.#X);
    if (!dependsOnProducts(kernel) || precision === "f64")
      return computeMatrix(this.#X, kernel, precision, run);
    const { rows, memory } = this.#products;
    const result = KernelMatrix.allocate(rows, kernel, memory);
    try {
      const rowsAtOnce = Math.max(1, Math.floor(VALUES_AT_ONCE / Math.max(1, rows)));
      for (let begin = 0; begin < rows; begin += rowsAtOnce) {
        await checkpoint(run);
        this.#transform(result, begin, Math.min(begin + rowsAtOnce, rows));
      }
      result.clearPadding();
      return result;
    } catch (error) {
      result.release();
      throw error;
    }
  }

  #transform(result: KernelMatrix, begin: number, end: number): void {
    const { kind, degree, factor } = kernelForm(result.kernel);
    const { pointer, stride, memory, diagonal: norms } = this.#products;
    const normBlock = memory.allocate(stride * 4);
    try {
      memory.f32(normBlock.pointer, norms.length).set(norms);
      for (let i = begin; i < end; i++) {
        const from = pointer + i * stride * 4;
        const to = result.pointer + i * stride * 4;
        memory.kernels.kernelValues32(kind, degree, factor, from, stride, norms[i], normBlock.pointer, to);
      }
    } finally {
      memory.release(normBlock);
    }
  }

  /** Gives the memory of the products back; kernel matrices made from them stay. */
  release(): void {
    this.#products.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
