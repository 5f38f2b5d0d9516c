import type { TaskContext } from "../../runtime/executor.js";
import { Random } from "../../runtime/random.js";
import { TreeSet } from "../tree/tree-set.js";
import { Crew, type Work } from "./boost.js";
import { BoostedRows, type BoostedRowsDescriptor } from "./boosted-rows.js";
import {
  type FeatureBlock,
  featureBlocks,
  GrowingTree,
  type GrowingTreeDescriptor,
  type GrownBoostedTree,
} from "./growing-tree.js";

/** A share of the numbers 0 … count − 1, at least one, ascending; each as likely as any other (Knuth, algorithm 3.4.2 S). */
function drawNumbers(count: number, share: number, random: Random): Int32Array {
  const drawn = new Int32Array(Math.max(1, Math.round(count * share)));
  for (let i = 0, found = 0; found < drawn.length; i++) {
    if ((count - i) * random.uniform() < drawn.length - found) drawn[found++] = i;
  }
  return drawn;
}

/** Which of the features that a mask allows are left when a share of them, at least one, is drawn. */
function drawMask(mask: Uint8Array, share: number, random: Random): Uint8Array {
  const allowed: number[] = [];
  for (let j = 0; j < mask.length; j++) if (mask[j]) allowed.push(j);
  const drawn = new Uint8Array(mask.length);
  for (const place of drawNumbers(allowed.length, share, random)) drawn[allowed[place]] = 1;
  return drawn;
}

/** What all workers are told: structured-cloneable. */
export interface BoostInput {
  readonly rows: BoostedRowsDescriptor;
  /** Rows that are kept apart to see when to stop. */
  readonly held: BoostedRowsDescriptor | undefined;
  /** One tree that all workers grow together, or one for each of them. */
  readonly trees: readonly GrowingTreeDescriptor[];
  /** The address of the words that the crew shares. */
  readonly crew: number;
  readonly workers: number;
  /** The number of this worker; 0 leads. */
  readonly worker: number;
  readonly unit: number;
  readonly seed: number;
  readonly rounds: number;
  readonly patience: number;
  readonly rowsPerTree: number;
  readonly columnsPerTree: number;
  readonly columnsPerSplit: number;
}

/** How the losses went, round by round. */
export interface Course {
  readonly trainingLosses: readonly number[];
  /** On rows that are kept apart; empty if there are none. */
  readonly validationLosses: readonly number[];
  /** How many rounds were best there; all if nothing is kept apart. */
  readonly best: number;
}

/** A tree and its place among all trees: round after round, class after class. */
interface PlacedTree extends GrownBoostedTree {
  readonly index: number;
}

// Kinds of work. `ROWS`: losses of a block of rows; then for two classes
const ROWS = 0;
/** … splits by a block of features, */
const FEATURES = 1;
/** … a node of the level, */
const NODE = 2;
/** … values of leaves for a block of rows, where the tree has not seen all of them; */
const WALK = 3;
/** and for several classes the whole tree of a class. */
const CLASS = 4;

/** One worker of those that boost: see `Crew`. */
export class Booster {
  readonly trees: PlacedTree[] = [];
  readonly #input: BoostInput;
  readonly #context: TaskContext;
  readonly #crew: Crew;
  readonly #rows: BoostedRows;
  readonly #held: BoostedRows | undefined;
  readonly #tree: GrowingTree;
  readonly #blocks: readonly FeatureBlock[];
  readonly #everyRow: Int32Array;

  constructor(input: BoostInput, context: TaskContext) {
    const rows = BoostedRows.attach(input.rows);
    const together = rows.outputs === 1;
    this.#input = input;
    this.#context = context;
    this.#rows = rows;
    this.#held = input.held && BoostedRows.attach(input.held);
    this.#tree = GrowingTree.attach(rows, input.trees[together ? 0 : input.worker]);
    this.#blocks = featureBlocks(rows.columns, together ? input.workers : 1);
    this.#everyRow = Int32Array.from({ length: rows.rows }, (_, i) => i);
    this.#crew = new Crew(rows.memory, input.crew, this.#work, context);
  }

  /** What all workers but the first do. */
  serve(): Promise<void> {
    return this.#crew.serve();
  }

  /** Boosts, with the help of the others. */
  async lead(): Promise<Course> {
    try {
      return await this.#boost();
    } finally {
      this.#crew.finish();
    }
  }

  async #boost(): Promise<Course> {
    const { rounds, patience } = this.#input;
    const trainingLosses: number[] = [];
    const validationLosses: number[] = [];
    let best = 0;
    await this.#judge();
    for (let round = 0; round < rounds; round++) {
      if (this.#rows.outputs === 1) await this.#growTogether(round);
      else await this.#crew.share(CLASS, this.#rows.outputs, round);
      await this.#judge();
      trainingLosses.push(this.#rows.loss);
      this.#context.progress((round + 1) / rounds, `training loss ${this.#rows.loss.toPrecision(4)}`);
      if (!this.#held) continue;
      validationLosses.push(await this.#heldLoss(this.#held));
      if (validationLosses[round] < validationLosses[best]) best = round;
      if (round - best >= patience) break;
    }
    return { trainingLosses, validationLosses, best: this.#held ? best + 1 : rounds };
  }

  #judge(): Promise<void> {
    return this.#crew.share(ROWS, this.#rows.blocks);
  }

  async #heldLoss(held: BoostedRows): Promise<number> {
    for (let block = 0; block < held.blocks; block++) {
      held.judgeBlock(block);
      await this.#context.checkpoint();
    }
    return held.loss;
  }

  readonly #work: Work = (kind, item, argument) => {
    const tree = this.#tree;
    switch (kind) {
      case ROWS:
        this.#rows.judgeBlock(item, tree.gradients, this.#input.unit);
        return undefined;
      case FEATURES:
        this.#search(item, this.#input.worker);
        return undefined;
      case NODE:
        tree.settle(item, this.#marginsToAddTo(0));
        return undefined;
      case WALK:
        tree.addTo(this.#rows, item, 0);
        return undefined;
      default:
        return this.#growAlone(argument, item);
    }
  };

  /** For two classes: all workers grow one tree. */
  async #growTogether(round: number): Promise<void> {
    const random = this.#start(round, 0);
    do {
      this.#drawNodeMasks(random);
      await this.#crew.share(FEATURES, this.#blocks.length);
      this.#tree.decide();
      await this.#crew.share(NODE, this.#tree.width);
    } while (this.#tree.descend());
    if (this.#isSampled) await this.#crew.share(WALK, this.#rows.blocks);
    await this.#finish(round, 0);
  }

  /** For several classes: each worker grows the tree of a class. */
  async #growAlone(round: number, output: number): Promise<void> {
    const tree = this.#tree;
    const rows = this.#rows;
    for (let block = 0; block < rows.blocks; block++) this.#differentiate(block, output);
    const random = this.#start(round, output);
    const margins = this.#marginsToAddTo(output);
    do {
      this.#drawNodeMasks(random);
      for (let block = 0; block < this.#blocks.length; block++) {
        this.#search(block, 0);
        await this.#context.checkpoint();
      }
      tree.decide();
      for (let node = 0; node < tree.width; node++) tree.settle(node, margins);
    } while (tree.descend());
    if (this.#isSampled) {
      for (let block = 0; block < rows.blocks; block++) tree.addTo(rows, block, output);
    }
    await this.#finish(round, output);
  }

  #differentiate(block: number, output: number): void {
    const { memory, labels, weights, normalisers } = this.#rows;
    const { gradients } = this.#tree;
    const [begin, end] = this.#rows.blockRange(block);
    const margins = this.#rows.margins(output);
    const { unit } = this.#input;
    memory.kernels.boostedSoftmax(margins, normalisers, labels, weights, begin, end, output, gradients, unit);
  }

  #search(block: number, worker: number): void {
    const { first, width } = this.#blocks[block];
    const isWanted =
      this.#input.columnsPerTree === 1 || this.#tree.mask.subarray(first, first + width).includes(1);
    if (isWanted) this.#tree.search(this.#blocks[block], worker);
  }

  get #isSampled(): boolean {
    return this.#input.rowsPerTree < 1;
  }

  /** A tree that has not seen all rows tells them its values later. */
  #marginsToAddTo(output: number): number {
    return this.#isSampled ? 0 : this.#rows.margins(output);
  }

  /** Begins a tree; the rest of its random numbers. */
  #start(round: number, output: number): Random {
    const { seed, rowsPerTree, columnsPerTree } = this.#input;
    const random = new Random(seed).fork(this.#indexOf(round, output));
    const tree = this.#tree;
    if (columnsPerTree < 1) {
      tree.mask.set(drawMask(new Uint8Array(tree.mask.length).fill(1), columnsPerTree, random));
    }
    tree.start(this.#isSampled ? drawNumbers(this.#rows.rows, rowsPerTree, random) : this.#everyRow);
    return random;
  }

  #drawNodeMasks(random: Random): void {
    const { columnsPerSplit } = this.#input;
    if (columnsPerSplit === 1) return;
    const { mask, width } = this.#tree;
    this.#tree.setNodeMasks(Array.from({ length: width }, () => drawMask(mask, columnsPerSplit, random)));
  }

  /** Keeps a grown tree, and tells the rows kept apart its values. */
  async #finish(round: number, output: number): Promise<void> {
    const held = this.#held;
    for (let block = 0; held && block < held.blocks; block++) {
      this.#tree.addTo(held, block, output);
      await this.#context.checkpoint();
    }
    this.trees.push({ ...this.#tree.take(output, this.#input.unit), index: this.#indexOf(round, output) });
  }

  #indexOf(round: number, output: number): number {
    return round * this.#rows.outputs + output;
  }
}

/** The trees of a worker, joined: structured-cloneable. */
export interface WorkerTrees {
  readonly indices: readonly number[];
  /** Absent if the worker has grown none. */
  readonly arrays: TreeSet["arrays"] | undefined;
  readonly gains: readonly Float32Array[];
}

/** What a worker has grown. */
export function treesOf({ trees }: Booster): WorkerTrees {
  return {
    indices: trees.map(({ index }) => index),
    arrays: trees.length > 0 ? TreeSet.concat(trees.map(({ tree }) => tree)).arrays : undefined,
    gains: trees.map(({ gains }) => gains),
  };
}
