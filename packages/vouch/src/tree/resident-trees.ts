import {
  attachKernelMemory,
  type Block,
  type KernelMemory,
  type KernelMemoryHandle,
  kernelMemory,
} from "../numeric/memory.js";
import { NODE_WORDS, SET_WORDS } from "../numeric/tree-kernels.js";
import type { TreeArrays, TreeSet } from "./tree-set.js";

type Starts = Pick<TreeArrays, "nodeStarts" | "setStarts" | "leafStarts">;

/** Resident trees as they are sent to another thread: structured-cloneable. */
export interface ResidentTreesDescriptor extends Starts {
  readonly memory: KernelMemoryHandle;
  readonly pointer: number;
  readonly classes: number;
  readonly columns: number;
}

/** The addresses of a tree. */
export interface ResidentTree {
  readonly nodes: number;
  /** 0 if it has none. */
  readonly sets: number;
  readonly leafClasses: number;
  readonly leafShares: number;
}

/** A tree set in kernel memory, for the scores of many rows. The owner releases it. */
export class ResidentTrees {
  readonly memory: KernelMemory;
  readonly classes: number;
  readonly columns: number;
  readonly #pointer: number;
  readonly #starts: Starts;
  readonly #block: Block | undefined;

  private constructor(memory: KernelMemory, parts: Omit<ResidentTreesDescriptor, "memory">, block?: Block) {
    this.memory = memory;
    this.classes = parts.classes;
    this.columns = parts.columns;
    this.#pointer = parts.pointer;
    this.#starts = parts;
    this.#block = block;
  }

  /** A copy of a tree set. */
  static of(set: TreeSet, memory = kernelMemory()): ResidentTrees {
    const { classes, columns, nodeStarts, setStarts, leafStarts, ...arrays } = set.arrays;
    const { nodes, sets, leafClasses, leafShares } = arrays;
    const words = nodes.length + sets.length + leafClasses.length + leafShares.length;
    const block = memory.allocate(4 * words);
    const ints = memory.i32(block.pointer, words);
    ints.set(nodes);
    ints.set(sets, nodes.length);
    ints.set(leafClasses, nodes.length + sets.length);
    memory.f32(block.pointer + 4 * (words - leafShares.length), leafShares.length).set(leafShares);
    const parts = { pointer: block.pointer, classes, columns, nodeStarts, setStarts, leafStarts };
    return new ResidentTrees(memory, parts, block);
  }

  get trees(): number {
    return this.#starts.nodeStarts.length - 1;
  }

  /** The addresses of tree `index`. */
  tree(index: number): ResidentTree {
    const { nodeStarts, setStarts, leafStarts } = this.#starts;
    const { trees } = this;
    const sets = this.#pointer + 4 * NODE_WORDS * nodeStarts[trees];
    const leafClasses = sets + 4 * SET_WORDS * setStarts[trees];
    const leafShares = leafClasses + 4 * leafStarts[trees];
    return {
      nodes: this.#pointer + 4 * NODE_WORDS * nodeStarts[index],
      sets: setStarts[index + 1] > setStarts[index] ? sets + 4 * SET_WORDS * setStarts[index] : 0,
      leafClasses: leafClasses + 4 * leafStarts[index],
      leafShares: leafShares + 4 * leafStarts[index],
    };
  }

  /** What another thread needs to attach the trees. */
  descriptor(): ResidentTreesDescriptor {
    const { memory, classes, columns } = this;
    return { memory: memory.handle, pointer: this.#pointer, classes, columns, ...this.#starts };
  }

  /** The trees that another thread, or this one, has laid out. */
  static attach({ memory, ...parts }: ResidentTreesDescriptor): ResidentTrees {
    return new ResidentTrees(attachKernelMemory(memory), parts);
  }

  /** Gives the memory back, if this object has allocated it. */
  release(): void {
    if (this.#block) this.memory.release(this.#block);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
