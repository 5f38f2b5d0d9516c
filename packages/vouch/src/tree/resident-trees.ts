import { attachKernelMemory } from "../numeric/memory.js";
import { type Descriptor, Resident } from "../numeric/resident.js";
import { NODE_WORDS, SET_WORDS } from "../numeric/tree-kernels.js";
import { wordsOfSplits, writeFewCategories } from "./few-categories.js";
import type { TreeColumns } from "./tree-columns.js";
import type { TreeArrays, TreeSet } from "./tree-set.js";

/** Where the trees are, and where each of them begins. */
interface Parts extends Pick<TreeArrays, "classes" | "columns" | "nodeStarts" | "setStarts" | "leafStarts"> {
  /** The address of the nodes, behind which the sets, the classes and the shares are. */
  readonly pointer: number;
  /** Whether sets have the short form of `few-categories.ts`. */
  readonly fewCategories: boolean;
}

/** Resident trees as they are sent to another thread: structured-cloneable. */
export type ResidentTreesDescriptor = Descriptor<Parts>;

/** The addresses of a tree. */
export interface ResidentTree {
  readonly nodes: number;
  /** 0 if it has none. */
  readonly sets: number;
  readonly leafClasses: number;
  readonly leafShares: number;
}

/** A tree set in kernel memory, for the scores of many rows. The owner releases it. */
export class ResidentTrees extends Resident<Parts> {
  /** A copy of a tree set, in the memory of the columns whose rows are to walk through it. */
  static of({ arrays }: TreeSet, { memory, fewCategories }: TreeColumns): ResidentTrees {
    const { classes, columns, nodeStarts, setStarts, leafStarts, leafClasses, leafShares } = arrays;
    const startOfClasses = arrays.nodes.length + setWords(arrays, fewCategories, nodeStarts.length - 1);
    const startOfShares = startOfClasses + leafClasses.length;
    const block = memory.allocate(4 * (startOfShares + leafShares.length));
    const { pointer } = block;
    const ints = memory.i32(pointer, startOfShares);
    const nodes = ints.subarray(0, arrays.nodes.length);
    const sets = ints.subarray(arrays.nodes.length, startOfClasses);
    nodes.set(arrays.nodes);
    if (fewCategories) writeFewCategories(arrays, nodes, sets);
    else sets.set(arrays.sets);
    ints.set(leafClasses, startOfClasses);
    memory.f32(pointer + 4 * startOfShares, leafShares.length).set(leafShares);
    const parts = { pointer, fewCategories, classes, columns, nodeStarts, setStarts, leafStarts };
    return new ResidentTrees(memory, parts, [block]);
  }

  get trees(): number {
    return this.parts.nodeStarts.length - 1;
  }

  get classes(): number {
    return this.parts.classes;
  }

  get columns(): number {
    return this.parts.columns;
  }

  /** Whether only rows of few categories may walk through the trees. */
  get fewCategories(): boolean {
    return this.parts.fewCategories;
  }

  /** The addresses of tree `index`. */
  tree(index: number): ResidentTree {
    const { pointer, fewCategories, nodeStarts, setStarts, leafStarts } = this.parts;
    const { trees } = this;
    const sets = pointer + 4 * NODE_WORDS * nodeStarts[trees];
    const leafClasses = sets + 4 * setWords(this.parts, fewCategories, trees);
    const leafShares = leafClasses + 4 * leafStarts[trees];
    // Bits of few categories are at four times a left child: that of the root's split is 1.
    const ofTree = 4 * (setWords(this.parts, fewCategories, index) - Number(fewCategories));
    return {
      nodes: pointer + 4 * NODE_WORDS * nodeStarts[index],
      sets: setStarts[index + 1] > setStarts[index] ? sets + ofTree : 0,
      leafClasses: leafClasses + 4 * leafStarts[index],
      leafShares: leafShares + 4 * leafStarts[index],
    };
  }

  /** The trees that another thread, or this one, has laid out. */
  static attach({ memory, ...parts }: ResidentTreesDescriptor): ResidentTrees {
    return new ResidentTrees(attachKernelMemory(memory), parts, []);
  }
}

/** Words of the sets of the trees before one, in the form they are kept in. */
function setWords(
  { nodeStarts, setStarts }: Pick<Parts, "nodeStarts" | "setStarts">,
  fewCategories: boolean,
  tree: number,
): number {
  return fewCategories ? wordsOfSplits(nodeStarts, tree) : SET_WORDS * setStarts[tree];
}
