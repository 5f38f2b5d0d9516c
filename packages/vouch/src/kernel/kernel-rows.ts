import type { Run } from "../learning/run.js";
import type { Matrix } from "../numeric/matrix.js";
import { kernelMatrix } from "./compute-matrix.js";
import type { Kernel } from "./kernel.js";
import { KernelMatrix, type KernelMatrixDescriptor } from "./kernel-matrix.js";
import { KernelOnDemand, type KernelOnDemandDescriptor } from "./kernel-on-demand.js";

/** The kernel values of a sample: all of them at hand, or rows computed on demand. */
export type KernelRows = KernelMatrix | KernelOnDemand;

/** Either as it is sent to another thread. */
export type KernelRowsDescriptor = KernelMatrixDescriptor | KernelOnDemandDescriptor;

/** The matrix of the kernel if it takes at most so many megabytes (2²⁰ bytes), otherwise its rows on demand. */
export async function kernelRows(
  X: Matrix,
  kernel: Kernel,
  megabytes: number,
  run: Pick<Run, "executor" | "signal">,
): Promise<KernelRows> {
  const bytes = megabytes * 2 ** 20;
  return KernelMatrix.bytes(X.rows) <= bytes
    ? kernelMatrix(X, kernel, run)
    : KernelOnDemand.of(X, kernel, bytes);
}

/** The kernel values that another thread, or this one, has made. */
export function attachKernelRows(descriptor: KernelRowsDescriptor): KernelRows {
  return "sample" in descriptor ? KernelOnDemand.attach(descriptor) : KernelMatrix.attach(descriptor);
}
