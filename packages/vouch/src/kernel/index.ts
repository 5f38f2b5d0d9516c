export { crossKernel } from "./cross-kernel.js";
export { DotProducts, kernelMatrix } from "./dot-products.js";
export { type Kernel, kernelValue } from "./kernel.js";
export { KernelMatrix, type KernelMatrixDescriptor } from "./kernel-matrix.js";
