import type { TaskContext } from "../../runtime/executor.js";
import { Random } from "../../runtime/random.js";
import { ThreadTeam, type Work } from "../../runtime/thread-team.js";
import { TreeSet } from "../tree/tree-set.js";
import { BoostedRows, type BoostedRowsDescriptor } from "./boosted-rows.js";
import {
  type FeatureBlock,
  featureBlocks,
  GrowingTree,
  type GrowingTreeDescriptor,
  type GrownBoostedTree,
} from "./growing-tree.js";

/** Draws a fraction of the numbers 0 … count − 1, at least one, ascending, uniformly (Knuth, algorithm 3.4.2 S). */
function drawNumbers(count: number, fraction: number, random: Random): Int32Array {
  const drawn = new Int32Array(Math.max(1, Math.round(count * fraction)));
  for (let i = 0, found = 0; found < drawn.length; i++) {
    if ((count - i) * random.uniform() < drawn.length - found) drawn[found++] = i;
  }
  return drawn;
}

/** Draws a fraction of the features that a mask allows, at least one. */
function drawMask(mask: Uint8Array, fraction: number, random: Random): Uint8Array {
  const allowed: number[] = [];
  for (let j = 0; j < mask.length; j++) if (mask[j]) allowed.push(j);
  const drawn = new Uint8Array(mask.length);
  for (const place of drawNumbers(allowed.length, fraction, random)) drawn[allowed[place]] = 1;
  return drawn;
}

/** Options of the rounds: see those of `boosted-trees`. */
export interface BoostingOptions {
  readonly rounds: number;
  readonly patience: number;
  readonly rowsPerTree: number;
  readonly columnsPerTree: number;
  readonly columnsPerSplit: number;
}

/** The input of a worker: structured-cloneable. */
export interface BoostInput extends BoostingOptions {
  readonly rows: BoostedRowsDescriptor;
  /** Held-out rows for early stopping. */
  readonly held: BoostedRowsDescriptor | undefined;
  /** One tree that all workers grow together, or one for each of them. */
  readonly trees: readonly GrowingTreeDescriptor[];
  /** The address of the words that the team shares. */
  readonly team: number;
  readonly workers: number;
  /** The number of this worker; 0 leads. */
  readonly worker: number;
  readonly unit: number;
  readonly seed: number;
}

/** The losses of all rounds. */
export interface Course {
  readonly trainingLosses: readonly number[];
  /** On held-out rows; empty if there are none. */
  readonly validationLosses: readonly number[];
  /** The number of rounds with the lowest held-out loss; all without held-out rows. */
  readonly best: number;
}

/** A tree and its place among all trees: round after round, class after class. */
interface PlacedTree extends GrownBoostedTree {
  readonly index: number;
}

// Kinds of jobs.
/** The losses of a block of rows. */
const ROWS = 0;
/** For two classes: the splits by a block of features, … */
const FEATURES = 1;
/** … a node of the level, … */
const NODE = 2;
/** … and leaf values for a block of rows, if the tree has not seen all of them. */
const WALK = 3;
/** For several classes: the whole tree of a class. */
const CLASS = 4;

/** One worker of a team that boosts. */
export class Booster {
  readonly #trees: PlacedTree[] = [];
  readonly #input: BoostInput;
  readonly #context: TaskContext;
  readonly #team: ThreadTeam;
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
    this.#team = new ThreadTeam(rows.memory, input.team, this.#work, context);
  }

  /** Works for the leader, as all workers but the first do. */
  serve(): Promise<void> {
    return this.#team.serve();
  }

  /** Boosts, with the help of the others. */
  async lead(): Promise<Course> {
    try {
      return await this.#boost();
    } finally {
      this.#team.finish();
    }
  }

  async #boost(): Promise<Course> {
    const { rounds, patience } = this.#input;
    const trainingLosses: number[] = [];
    const validationLosses: number[] = [];
    let best = 0;
    await this.#measure();
    for (let round = 0; round < rounds; round++) {
      if (this.#rows.outputs === 1) await this.#growTogether(round);
      else await this.#team.share(CLASS, this.#rows.outputs, round);
      await this.#measure();
      trainingLosses.push(this.#rows.loss);
      this.#context.progress((round + 1) / rounds, `training loss ${this.#rows.loss.toPrecision(4)}`);
      if (!this.#held) continue;
      validationLosses.push(await this.#heldLoss(this.#held));
      if (validationLosses[round] < validationLosses[best]) best = round;
      if (round - best >= patience) break;
    }
    return { trainingLosses, validationLosses, best: this.#held ? best + 1 : rounds };
  }

  #measure(): Promise<void> {
    return this.#team.share(ROWS, this.#rows.blocks);
  }

  async #heldLoss(held: BoostedRows): Promise<number> {
    for (let block = 0; block < held.blocks; block++) {
      held.measureBlock(block);
      await this.#context.checkpoint();
    }
    return held.loss;
  }

  readonly #work: Work = (kind, item, argument) => {
    const tree = this.#tree;
    switch (kind) {
      case ROWS:
        this.#rows.measureBlock(item, tree.gradients, this.#input.unit);
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

  /** Grows the tree of two classes, all workers together. */
  async #growTogether(round: number): Promise<void> {
    const random = this.#start(round, 0);
    do {
      this.#drawNodeMasks(random);
      await this.#team.share(FEATURES, this.#blocks.length);
      this.#tree.decide();
      await this.#team.share(NODE, this.#tree.width);
    } while (this.#tree.descend());
    if (this.#isSampled) await this.#team.share(WALK, this.#rows.blocks);
    await this.#finish(round, 0);
  }

  /** Grows the tree of one of several classes, alone. */
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

  /**
   * Returns the address of the margins that leaf values are added to as leaves form; 0 if the tree has not seen all rows,
   * which walk through it later.
   */
  #marginsToAddTo(output: number): number {
    return this.#isSampled ? 0 : this.#rows.margins(output);
  }

  /** Begins a tree; returns the rest of its random numbers. */
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

  /** Keeps a grown tree, and adds its values to the held-out rows. */
  async #finish(round: number, output: number): Promise<void> {
    const held = this.#held;
    for (let block = 0; held && block < held.blocks; block++) {
      this.#tree.addTo(held, block, output);
      await this.#context.checkpoint();
    }
    this.#trees.push({ ...this.#tree.take(output, this.#input.unit), index: this.#indexOf(round, output) });
  }

  #indexOf(round: number, output: number): number {
    return round * this.#rows.outputs + output;
  }

  /** Returns the trees that this worker has grown. */
  grown(): WorkerTrees {
    const trees = this.#trees;
    return {
      indices: trees.map(({ index }) => index),
      arrays: trees.length > 0 ? TreeSet.concat(trees.map(({ tree }) => tree)).arrays : undefined,
      gains: trees.map(({ gains }) => gains),
    };
  }
}

/** The trees of a worker, joined: structured-cloneable. */
export interface WorkerTrees {
  readonly indices: readonly number[];
  /** Undefined if there are none. */
  readonly arrays: TreeSet["arrays"] | undefined;
  readonly gains: readonly Float32Array[];
}
