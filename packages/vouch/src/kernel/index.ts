export { kernelMatrix } from "./compute-matrix.js";
export { crossKernel } from "./cross-kernel.js";
export { DotProducts } from "./dot-products.js";
export { type Kernel, kernelValue } from "./kernel.js";
export { kernelForm } from "./kernel-form.js";
export { KernelMatrix, type KernelMatrixDescriptor, paddedLength } from "./kernel-matrix.js";
export { KernelOnDemand, type KernelOnDemandDescriptor } from "./kernel-on-demand.js";
export { attachKernelRows, type KernelRows, type KernelRowsDescriptor, kernelRows } from "./kernel-rows.js";
