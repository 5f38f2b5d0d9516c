import type { Precision } from "../numeric/kernels.js";
import { PANEL_STEP } from "../numeric/kernels.js";
import type { Matrix } from "../numeric/matrix.js";
import type { Block, KernelMemory } from "../numeric/memory.js";
import { type Panels, packRows } from "../numeric/panels.js";

/** The rows of a sample packed for kernels, and the squared norm of each. */
export interface PackedSample {
  readonly panels: Panels;
  readonly norms: Block;
}

/** Packs a sample; `releaseSample` gives the memory back. */
export function packSample(X: Matrix, precision: Precision, memory: KernelMemory): PackedSample {
  const panels = packRows(X, precision, memory);
  try {
    const norms = memory.allocate(panels.count * PANEL_STEP);
    const { squaredNorms32, squaredNorms64 } = memory.kernels;
    const compute = precision === "f32" ? squaredNorms32 : squaredNorms64;
    compute(panels.pointer, panels.count, panels.depth, norms.pointer);
    return { panels, norms };
  } catch (error) {
    memory.release(panels.block);
    throw error;
  }
}

/** Gives the memory of a packed sample back. */
export function releaseSample({ panels, norms }: PackedSample, memory: KernelMemory): void {
  memory.release(panels.block);
  memory.release(norms);
}
