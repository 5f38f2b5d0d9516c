import { Random } from "../../runtime/maths/random.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { Team, type Work } from "../../runtime/parallel/team.js";
import { drawMask, RowDraw } from "../tree/sample-rows.js";
import { TreeSet } from "../tree/tree-set.js";
import { BoostedRows, type BoostedRowsFields, type LossSum } from "./boosted-rows.js";
import { GrowingTree, type GrownBoostedTree, type TreeAddresses, unitTarget } from "./growing-tree.js";
import { searchShardUnit } from "./shard-tree.js";

/** Options of the rounds: see those of `boosted-trees`. */
export interface BoostingOptions {
  readonly rounds: number;
  readonly patience: number;
  readonly rowsPerTree: number;
  readonly columnsPerTree: number;
  readonly columnsPerSplit: number;
}

/** The input of a worker. */
export interface BoostInput extends BoostingOptions {
  readonly rows: BoostedRowsFields;
  /** Held-out rows for early stopping. */
  readonly held: BoostedRowsFields | undefined;
  /** Trees that can grow at the same time: at most one for each worker. */
  readonly trees: readonly TreeAddresses[];
  /** The address of the words that the team shares. */
  readonly team: number;
  readonly workers: number;
  /** The number of this worker; 0 leads. */
  readonly worker: number;
  readonly unit: number;
  readonly seed: number;
  /** Whether the rows are a shard of those that other machines have. */
  readonly sharded?: boolean;
}

/** Jobs of a level on a shard, which all threads of the team share. */
export interface LevelJobs {
  /** Builds histograms in so many units. */
  build(units: number): Promise<void>;
  /** Completes and packs them by the plan at an address. */
  prepare(plan: number, units: number): Promise<void>;
  search(units: number): Promise<void>;
}

/** How the leading thread of a shard works with the other shards. */
export interface ShardPeers {
  /** The number of the first row, among all rows. */
  readonly firstRow: number;
  /** The number of all rows. */
  readonly rows: number;
  /** Begins a tree on the shard. */
  start(tree: GrowingTree, output: number, listed: number | undefined): void;
  /** Finds the best splits of the level of some trees, by the rows of all shards. */
  searchLevel(trees: readonly GrowingTree[], target: number, jobs: LevelJobs): Promise<void>;
  /** Goes to the next level of a tree; returns whether it has nodes to search. */
  descend(tree: GrowingTree): boolean;
  /** Adds up losses of all shards. */
  sumLosses(own: readonly LossSum[]): Promise<LossSum[]>;
}

/** The losses of all rounds. */
export interface LossHistory {
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

// Kinds of jobs. Those that grow trees have the index of the first one as their argument; each tree has its items, one tree after
// the other.
/** The losses of a block of rows, training rows first. */
const MEASURE = 0;
/** For several classes: the gradients of a block of rows. */
const DIFFERENTIATE = 1;
/** The rows that a tree is grown on. */
const DRAW = 2;
/** The units of a level. */
const BUILD = 3;
const SEARCH = 4;
const DIVIDE = 5;
const MOVE = 6;
/** Leaf values for a block of rows that have not got them yet. */
const WALK = 7;
/** A whole tree. */
const TREE = 8;
/** Histograms of a shard for another one; the argument is the address of the plan. */
const PREPARE = 9;

/** Does the items of a job, on this thread or with others. */
type Share = (kind: number, items: number, argument: number) => Promise<void>;

/** One worker of a team that boosts. */
export class Booster {
  readonly #grown: PlacedTree[] = [];
  readonly #input: BoostInput;
  readonly #context: TaskContext;
  readonly #team: Team;
  readonly #rows: BoostedRows;
  readonly #held: BoostedRows | undefined;
  readonly #trees: readonly GrowingTree[];
  readonly #draw: RowDraw | undefined;
  readonly #peers: ShardPeers | undefined;

  /** Only the leader of a shard has peers. */
  constructor(input: BoostInput, context: TaskContext, peers?: ShardPeers) {
    const rows = new BoostedRows(input.rows);
    this.#input = input;
    this.#context = context;
    this.#rows = rows;
    this.#held = input.held && new BoostedRows(input.held);
    this.#trees = input.trees.map((tree) => new GrowingTree(rows, tree));
    this.#draw = input.rowsPerTree < 1 ? new RowDraw(peers?.rows ?? rows.rows, input.rowsPerTree) : undefined;
    this.#peers = peers;
    this.#team = new Team(rows.memory, input.team, input.workers, this.#work, context);
  }

  /** Works for the leader, as all workers but the first do. */
  serve(): Promise<void> {
    return this.#team.serve();
  }

  /** Boosts, with the help of the others. */
  async lead(): Promise<LossHistory> {
    try {
      return await this.#boost();
    } finally {
      this.#team.finish();
    }
  }

  async #boost(): Promise<LossHistory> {
    const { rounds, patience } = this.#input;
    const held = this.#held;
    const sums: LossSum[] = [];
    const validationLosses: number[] = [];
    let best = 0;
    await this.#measure();
    for (let round = 0; round < rounds; round++) {
      await this.#growRound(round);
      await this.#measure();
      sums.push(this.#rows.lossSum);
      this.#context.progress((round + 1) / rounds, `training loss ${this.#rows.loss.toPrecision(4)}`);
      if (!held) continue;
      const [sum] = await this.#total([held.lossSum]);
      validationLosses.push(held.meanLoss(sum));
      if (validationLosses[round] < validationLosses[best]) best = round;
      if (round - best >= patience) break;
    }
    const trainingLosses = (await this.#total(sums)).map((sum) => this.#rows.meanLoss(sum));
    return { trainingLosses, validationLosses, best: held ? best + 1 : rounds };
  }

  /** Adds up losses of all shards, if there are several. */
  async #total(sums: readonly LossSum[]): Promise<readonly LossSum[]> {
    return this.#peers ? this.#peers.sumLosses(sums) : sums;
  }

  #measure(): Promise<void> {
    return this.#team.share(MEASURE, this.#rows.blocks + (this.#held?.blocks ?? 0));
  }

  /**
   * Grows the trees of a round. As long as there is one for each worker, each grows one alone; all workers grow the others
   * together.
   */
  async #growRound(round: number): Promise<void> {
    const { outputs } = this.#rows;
    const { workers, sharded = false } = this.#input;
    const first = round * outputs;
    const alone = !this.#peers && this.#trees.length === workers ? outputs - (outputs % workers) : 0;
    if (alone > 0) await this.#team.share(TREE, alone, first);
    for (let output = alone; output < outputs; output += this.#trees.length) {
      const trees = this.#trees.slice(0, outputs - output);
      await this.#grow(trees, first + output, unitTarget(workers, sharded), (...job) =>
        this.#team.share(...job),
      );
    }
  }

  /** Grows the tree with an index alone, in the room of this worker. */
  #growAlone(index: number): Promise<void> {
    const trees = [this.#trees[this.#input.worker]];
    return this.#grow(trees, index, 1, async (kind, items, argument) => {
      for (let item = 0; item < items; item++) {
        this.#do(trees, kind, item, argument);
        await this.#context.checkpoint();
      }
    });
  }

  /** Grows trees with indices from `first` on, level by level, in about `target` units of work at a time. */
  async #grow(trees: readonly GrowingTree[], first: number, target: number, share: Share): Promise<void> {
    const draw = this.#peers ? undefined : this.#draw;
    const { blocks } = this.#rows;
    if (this.#rows.outputs > 1) await share(DIFFERENTIATE, trees.length * blocks, first);
    if (draw) await share(DRAW, trees.length * draw.pieces, first);
    const streams = trees.map((tree, k) => this.#start(tree, first + k));
    for (let growing = trees.length; growing > 0; ) {
      const each = Math.ceil(target / growing);
      trees.forEach((tree, k) => {
        this.#drawNodeMasks(tree, streams[k]);
      });
      const units = (plan: (tree: GrowingTree) => number) => trees.reduce((sum, tree) => sum + plan(tree), 0);
      await this.#searchLevel(trees, first, each, units, share);
      await share(
        DIVIDE,
        units((tree) => tree.decide(each)),
        first,
      );
      await share(
        MOVE,
        units((tree) => tree.planMoves()),
        first,
      );
      growing = trees.filter((tree) => this.#peers?.descend(tree) ?? tree.descend()).length;
    }
    await share(WALK, trees.length * this.#walkBlocks, first);
    for (const [k, tree] of trees.entries()) {
      this.#grown.push({ ...tree.take(this.#outputOf(first + k), this.#input.unit), index: first + k });
    }
  }

  /** Finds the best splits of a level. */
  async #searchLevel(
    trees: readonly GrowingTree[],
    first: number,
    each: number,
    units: (plan: (tree: GrowingTree) => number) => number,
    share: Share,
  ): Promise<void> {
    if (this.#peers) {
      await this.#peers.searchLevel(trees, each, {
        build: (count) => share(BUILD, count, first),
        prepare: (plan, count) => share(PREPARE, count, plan),
        search: (count) => share(SEARCH, count, first),
      });
      return;
    }
    await share(
      BUILD,
      units((tree) => tree.planBuild(each)),
      first,
    );
    await share(
      SEARCH,
      units((tree) => tree.planSearch()),
      first,
    );
  }

  readonly #work: Work = (kind, item, argument) => {
    if (kind === TREE) return this.#growAlone(argument + item);
    this.#do(this.#trees, kind, item, argument);
    return undefined;
  };

  #do(trees: readonly GrowingTree[], kind: number, item: number, argument: number): void {
    const { worker } = this.#input;
    switch (kind) {
      case MEASURE:
        this.#measureBlock(item);
        break;
      case DIFFERENTIATE: {
        const { blocks } = this.#rows;
        const k = Math.floor(item / blocks);
        this.#differentiate(trees[k], item % blocks, this.#outputOf(argument + k));
        break;
      }
      case DRAW:
        this.#drawRows(trees, item, argument);
        break;
      case BUILD:
        onUnit(trees, item, "builds", (tree, unit) => tree.build(unit, worker));
        break;
      case PREPARE:
        this.#rows.memory.exports.boostedPackHistograms(argument, item);
        break;
      case SEARCH:
        onUnit(trees, item, "searches", (tree, unit) =>
          this.#input.sharded ? searchShardUnit(tree, unit, worker) : tree.search(unit, worker),
        );
        break;
      case DIVIDE:
        onUnit(trees, item, "divides", (tree, unit) => tree.divide(unit));
        break;
      case MOVE:
        onUnit(trees, item, "moves", (tree, unit) => tree.move(unit));
        break;
      default:
        this.#walk(trees, item, argument);
    }
  }

  #measureBlock(item: number): void {
    const rows = this.#rows;
    if (item < rows.blocks) rows.measureBlock(item, this.#trees[0].addresses.gradients, this.#input.unit);
    else this.#held?.measureBlock(item - rows.blocks);
  }

  #differentiate({ addresses: { gradients } }: GrowingTree, block: number, output: number): void {
    const { labels, weights, normalisers } = this.#rows.fields;
    const [begin, end] = this.#rows.blockRange(block);
    const margins = this.#rows.margins(output);
    const { unit } = this.#input;
    const { exports } = this.#rows.memory;
    exports.boostedSoftmax(margins, normalisers, labels, weights, begin, end, output, gradients, unit);
  }

  /** Draws some of the rows that a tree is grown on. */
  #drawRows(trees: readonly GrowingTree[], item: number, first: number): void {
    const draw = this.#draw;
    if (!draw) return;
    const k = Math.floor(item / draw.pieces);
    const piece = item % draw.pieces;
    const { drawn, place } = draw.draw(piece, this.#streamOf(first + k).fork(piece));
    trees[k].listRows(drawn, place);
  }

  /** Begins a tree; returns the rest of its random numbers. */
  #start(tree: GrowingTree, index: number): Random {
    const { columnsPerTree } = this.#input;
    const random = this.#streamOf(index);
    if (columnsPerTree < 1) {
      tree.mask.set(drawMask(new Uint8Array(tree.mask.length).fill(1), columnsPerTree, random));
    }
    if (this.#peers)
      this.#peers.start(tree, this.#outputOf(index), this.#listShardRows(tree, index, this.#peers));
    else tree.start(this.#outputOf(index), this.#draw?.count);
    return random;
  }

  /** Draws those of the rows of a tree that are on this shard; undefined if it is grown on all. */
  #listShardRows(tree: GrowingTree, index: number, { firstRow, rows }: ShardPeers): number | undefined {
    if (!this.#draw) return undefined;
    const end = Math.min(rows, firstRow + this.#rows.rows);
    const stream = this.#streamOf(index);
    const drawn = this.#draw.drawRange(firstRow, end, (piece) => stream.fork(piece));
    tree.listRows(
      drawn.map((row) => row - firstRow),
      0,
    );
    return drawn.length;
  }

  #drawNodeMasks(tree: GrowingTree, random: Random): void {
    const { columnsPerSplit } = this.#input;
    if (columnsPerSplit === 1) return;
    const { mask, level } = tree;
    tree.setNodeMasks(
      Array.from({ length: level[1] - level[0] }, () => drawMask(mask, columnsPerSplit, random)),
    );
  }

  /** Blocks of rows that get the values of a grown tree by walking through it: all if it is sampled, and held-out rows. */
  get #walkBlocks(): number {
    return (this.#draw ? this.#rows.blocks : 0) + (this.#held?.blocks ?? 0);
  }

  #walk(trees: readonly GrowingTree[], item: number, first: number): void {
    const k = Math.floor(item / this.#walkBlocks);
    const block = item % this.#walkBlocks;
    const output = this.#outputOf(first + k);
    const own = this.#draw ? this.#rows.blocks : 0;
    if (block < own) trees[k].addTo(this.#rows, block, output);
    else if (this.#held) trees[k].addTo(this.#held, block - own, output);
  }

  #outputOf(index: number): number {
    return index % this.#rows.outputs;
  }

  #streamOf(index: number): Random {
    return new Random(this.#input.seed).fork(index);
  }

  /** Returns the trees that this worker has grown or led. */
  grown(): WorkerTrees {
    const trees = this.#grown;
    return {
      indices: trees.map(({ index }) => index),
      arrays: trees.length > 0 ? TreeSet.concat(trees.map(({ tree }) => tree)).arrays : undefined,
      gains: trees.map(({ gains }) => gains),
    };
  }
}

/** Works on a unit of the trees that grow together: those of the first come first. */
function onUnit(
  trees: readonly GrowingTree[],
  item: number,
  kind: "builds" | "searches" | "divides" | "moves",
  work: (tree: GrowingTree, unit: number) => void,
): void {
  let unit = item;
  for (const tree of trees) {
    const count = tree[kind];
    if (unit < count) {
      work(tree, unit);
      return;
    }
    unit -= count;
  }
}

/** The trees of a worker, joined: structured-cloneable. */
export interface WorkerTrees {
  readonly indices: readonly number[];
  /** Undefined if there are none. */
  readonly arrays: TreeSet["arrays"] | undefined;
  readonly gains: readonly Float32Array[];
}
