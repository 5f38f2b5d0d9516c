import { checkpoint, type Run } from "../learning/run.js";
import { gramOnThreads } from "../numeric/gram.js";
import type { Matrix } from "../numeric/matrix.js";
import type { ResidentMatrix } from "../numeric/resident-matrix.js";
import { kernelMatrix } from "./compute-matrix.js";
import type { Kernel } from "./kernel.js";
import { dependsOnProducts, kernelForm } from "./kernel-form.js";
import { KernelMatrix } from "./kernel-matrix.js";
import { checkSuitability } from "./suitability.js";

/** So many values are computed between two checkpoints: some milliseconds. */
const VALUES_AT_ONCE = 2 ** 21;

/**
 * The scalar products of all pairs of rows of a sample, in double precision, computed once: the matrices of linear,
 * polynomial and RBF kernels follow from them element by element. They take twice the memory of a kernel matrix.
 */
export class DotProducts {
  readonly #X: Matrix;
  readonly #products: ResidentMatrix;

  private constructor(X: Matrix, products: ResidentMatrix) {
    this.#X = X;
    this.#products = products;
  }

  /** The products of the rows of X, on all threads of the run. Their caller releases them. */
  static async of(X: Matrix, run: Pick<Run, "executor" | "signal">): Promise<DotProducts> {
    checkSuitability({ kind: "linear" }, X);
    return new DotProducts(X, await gramOnThreads(X, run, { precision: "f64" }));
  }

  /** The matrix of a kernel, in memory of its own; kernels that are no functions of the products start from the sample. */
  async kernelMatrix(kernel: Kernel, run: Pick<Run, "executor" | "signal">): Promise<KernelMatrix> {
    if (!dependsOnProducts(kernel)) return kernelMatrix(this.#X, kernel, run);
    checkSuitability(kernel, this.#X);
    const { rows, memory } = this.#products;
    const result = KernelMatrix.allocate(rows, kernel, memory);
    try {
      const rowsAtOnce = Math.max(1, Math.floor(VALUES_AT_ONCE / Math.max(1, rows)));
      for (let begin = 0; begin < rows; begin += rowsAtOnce) {
        await checkpoint(run);
        this.#transform(result, begin, Math.min(begin + rowsAtOnce, rows));
      }
      return result;
    } catch (error) {
      result.release();
      throw error;
    }
  }

  /** Turns the products of some rows into kernel values. */
  #transform(result: KernelMatrix, begin: number, end: number): void {
    const { kind, degree, factor } = kernelForm(result.kernel);
    const { pointer, rows, memory } = this.#products;
    const room = memory.allocate(2 * result.stride * 8);
    try {
      const norms = memory.f64(room.pointer, rows);
      const sums = room.pointer + result.stride * 8;
      const products = memory.f64(pointer, rows * rows);
      for (let i = 0; i < rows; i++) norms[i] = products[i * (rows + 1)];
      for (let i = begin; i < end; i++) {
        // Kernels read whole registers, so the row needs room after its end.
        memory.f64(sums, rows).set(products.subarray(i * rows, (i + 1) * rows));
        const to = result.pointer + i * result.stride * 4;
        memory.kernels.kernelValues64(kind, degree, factor, sums, result.stride, norms[i], room.pointer, to);
        memory.f32(to + rows * 4, result.stride - rows).fill(0);
      }
    } finally {
      memory.release(room);
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
