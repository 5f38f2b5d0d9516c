import { VouchError } from "../error.js";
import {
  attachKernelMemory,
  type Block,
  type KernelMemory,
  type KernelMemoryHandle,
  kernelMemory,
} from "../numeric/memory.js";
import { MOST_TREE_CLASSES } from "../numeric/tree-kernels.js";

/** A target as it is sent to another thread: structured-cloneable. */
export interface TreeTargetDescriptor {
  readonly memory: KernelMemoryHandle;
  readonly labels: number;
  /** 0 if rows have no weights. */
  readonly weights: number;
  readonly rows: number;
  readonly classes: number;
}

/** What trees learn: the class of each row and, where rows do not count the same, its weight. The owner releases it. */
export class TreeTarget {
  readonly memory: KernelMemory;
  readonly rows: number;
  readonly classes: number;
  /** The address of the classes, two bytes each. */
  readonly labels: number;
  /** The address of the weights, doubles, or 0. */
  readonly weights: number;
  readonly #blocks: readonly Block[];

  private constructor(memory: KernelMemory, parts: Omit<TreeTargetDescriptor, "memory">, blocks: Block[]) {
    this.memory = memory;
    this.rows = parts.rows;
    this.classes = parts.classes;
    this.labels = parts.labels;
    this.weights = parts.weights;
    this.#blocks = blocks;
  }

  /** A copy of labels and weights in kernel memory. Rows of weight 0 are as good as absent. */
  static of(
    labels: ArrayLike<number>,
    classes: number,
    weights?: Float64Array,
    memory = kernelMemory(),
  ): TreeTarget {
    check(labels, classes, weights);
    const rows = labels.length;
    const blocks = [memory.allocate(2 * rows)];
    try {
      if (weights) blocks.push(memory.allocate(8 * rows));
    } catch (error) {
      memory.release(blocks[0]);
      throw error;
    }
    const [{ pointer }, second] = blocks;
    const bytes = memory.u8(pointer, 2 * rows);
    for (let i = 0; i < rows; i++) {
      bytes[2 * i] = labels[i] & 255;
      bytes[2 * i + 1] = labels[i] >> 8;
    }
    if (weights) memory.f64(second.pointer, rows).set(weights);
    return new TreeTarget(
      memory,
      { labels: pointer, weights: weights ? second.pointer : 0, rows, classes },
      blocks,
    );
  }

  /** Other weights, for all trees that are grown from now on; only of a target that has weights. */
  reweigh(weights: Float64Array): void {
    if (this.weights === 0) throw new Error("The rows have no weights.");
    checkWeights(weights, this.rows);
    this.memory.f64(this.weights, this.rows).set(weights);
  }

  /** What another thread needs to attach the target. */
  descriptor(): TreeTargetDescriptor {
    const { memory, labels, weights, rows, classes } = this;
    return { memory: memory.handle, labels, weights, rows, classes };
  }

  /** The target that another thread, or this one, has laid out. */
  static attach({ memory, ...parts }: TreeTargetDescriptor): TreeTarget {
    return new TreeTarget(attachKernelMemory(memory), parts, []);
  }

  /** Gives the memory back, if this object has allocated it. */
  release(): void {
    for (const block of this.#blocks) this.memory.release(block);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

function check(labels: ArrayLike<number>, classes: number, weights: Float64Array | undefined): void {
  if (!(Number.isInteger(classes) && classes >= 1 && classes <= MOST_TREE_CLASSES)) {
    throw new VouchError("data/not-classes", `Trees cannot tell ${classes} classes apart.`, {
      hint: `There are at most ${MOST_TREE_CLASSES} classes. Is the target a number to be predicted?`,
    });
  }
  for (let i = 0; i < labels.length; i++) {
    if (!(Number.isInteger(labels[i]) && labels[i] >= 0 && labels[i] < classes)) {
      throw new VouchError(
        "data/malformed",
        `Row ${i + 1} has class index ${labels[i]}, but there are ${classes} classes.`,
      );
    }
  }
  if (weights) checkWeights(weights, labels.length);
}

function checkWeights(weights: Float64Array, rows: number): void {
  if (weights.length !== rows) {
    throw new VouchError("data/malformed", `There are ${rows} rows but ${weights.length} weights.`);
  }
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] >= 0 && weights[i] < Infinity) continue;
    throw new VouchError("data/malformed", `The weight of row ${i + 1} is ${weights[i]}.`, {
      hint: "Weights are finite numbers ≥ 0.",
    });
  }
}
