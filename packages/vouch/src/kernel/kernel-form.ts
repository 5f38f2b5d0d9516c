import type { Kernel } from "./kernel.js";

/** A kernel as the functions in kernel memory take it. */
export interface KernelForm {
  readonly kind: number;
  readonly degree: number;
  /** The scale of a polynomial, or γ. */
  readonly factor: number;
}

/** The numbers of the kinds in `kernels/kernel-values.ts`. */
const KINDS = { linear: 0, polynomial: 1, rbf: 2, "chi-square": 3, intersection: 4 } as const;

/** Whether the kernel is a function of x·y, ‖x‖² and ‖y‖². */
export function dependsOnProducts({ kind }: Kernel): boolean {
  return KINDS[kind] <= KINDS.rbf;
}

/** The kernel in numbers. */
export function kernelForm(kernel: Kernel): KernelForm {
  const kind = KINDS[kernel.kind];
  switch (kernel.kind) {
    case "polynomial":
      return { kind, degree: kernel.degree, factor: kernel.scale };
    case "rbf":
    case "chi-square":
      return { kind, degree: 1, factor: kernel.gamma };
    default:
      return { kind, degree: 1, factor: 1 };
  }
}
