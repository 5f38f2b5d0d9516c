import { BinnedColumns } from "../../encode/binned-columns.js";
import { ScratchPool } from "../../runtime/arena.js";
import { kernelMemory } from "../../runtime/memory.js";
import type { Run } from "../../runtime/run.js";
import { malformed, type ShardGroup } from "../../runtime/shard-group.js";
import { sharedBuffer } from "../../runtime/shared-array.js";
import { type ColumnExtent, executorFor, TreeColumns } from "../tree/tree-columns.js";
import type { TreeGrowth } from "../tree/tree-growth.js";
import { CollectedRows } from "./collected-rows.js";
import { growTrees } from "./grow-trees.js";
import { addDecreases, ImpurityDecreases } from "./impurity-decreases.js";
import {
  type PackedRows,
  packBytes,
  packTask,
  RowFormat,
  rowMessages,
  type ShardBins,
} from "./packed-rows.js";
import type { ShardDraws } from "./shard-draws.js";
import { shareTrees } from "./shard-trees.js";
import type { ForestPlan, PooledTree } from "./tree-pool.js";
import { countsOfAll, scheduleTrees, treesAtOnce } from "./tree-schedule.js";

/** A forest to grow on rows of several shards. */
export interface ShardForest {
  readonly growth: TreeGrowth;
  /** How the rows of each tree are drawn. */
  readonly draws: readonly ShardDraws[];
  readonly classes: number;
  /** The rows of this shard. */
  readonly sample: ShardBins;
  readonly features: BinnedColumns["features"];
  /** The bins that occur on any shard. */
  readonly extents: readonly ColumnExtent[];
  /** The numbers of rows of all shards. */
  readonly rowCounts: readonly number[];
}

/** Trees of all shards, and the decreases of impurity by their splits, two words for each column. */
export interface ShardGrowth {
  readonly trees: readonly PooledTree[];
  readonly decreases: Int32Array;
}

/**
 * Grows a forest together with other shards. Each tree grows on one shard, to which all others send the rows that were drawn for it: so it is the tree
 * that one machine with all rows would grow. While the trees of a batch grow, the rows of the next one arrive.
 */
export async function growOnShards(forest: ShardForest, group: ShardGroup, run: Run): Promise<ShardGrowth> {
  const stop = new AbortController();
  const signal = run.signal ? AbortSignal.any([run.signal, stop.signal]) : stop.signal;
  const pipeline = new Pipeline(forest, group, { ...run, signal, progress: () => {} });
  // An error of another shard ends the work on this one, and is the one to report.
  let failure: unknown;
  const watched = <T>(work: Promise<T>): Promise<T> => {
    work.catch((error) => {
      failure ??= error;
      stop.abort();
    });
    return work;
  };
  try {
    const batches = await pipeline.schedule();
    const shared: Promise<PooledTree[]>[] = [];
    let rows = watched(pipeline.collect(await pipeline.pack(batches[0])));
    for (const [b, batch] of batches.entries()) {
      const drawn = await group.waitFor(rows);
      if (b + 1 < batches.length) rows = watched(pipeline.collect(await pipeline.pack(batches[b + 1])));
      const grown = drawn ? await pipeline.grow(drawn) : [];
      shared.push(watched(shareTrees(grown, batch, forest.draws[0].draws + 1, group)));
      const done = batch.flat().reduce((most, tree) => Math.max(most, tree + 1), 0);
      run.progress({ stage: "trees", done, total: forest.draws.length });
    }
    const trees = (await group.waitFor(Promise.all(shared))).flat();
    return { trees, decreases: await pipeline.decreasesOfAll() };
  } catch (error) {
    throw run.signal?.aborted ? error : (failure ?? error);
  } finally {
    pipeline.release();
  }
}

/** Trees that this shard is about to grow: their numbers, their rows, and the states of their generators. */
interface DrawnBatch {
  readonly trees: readonly number[];
  readonly rows: CollectedRows;
  readonly random: PackedRows["random"];
}

/** Drawn rows of this shard for the trees of each shard; undefined for a shard that grows none. */
interface PackedBatch {
  readonly trees: readonly (readonly number[])[];
  readonly packed: readonly (PackedRows | undefined)[];
}

/** The stages of a batch on this shard. */
class Pipeline {
  readonly #forest: ShardForest;
  readonly #group: ShardGroup;
  readonly #run: Run;
  readonly #scratch: ScratchPool;
  readonly #decreases: Int32Array;

  constructor(forest: ShardForest, group: ShardGroup, run: Run) {
    this.#forest = forest;
    this.#group = group;
    this.#run = run;
    const memory = kernelMemory();
    const { threads } = executorFor({ memory }, run);
    const bytes = packBytes(memory.kernels.treeStateBytes(), forest.sample.rows);
    this.#scratch = ScratchPool.allocate(threads, bytes, memory);
    this.#decreases = new Int32Array(2 * forest.features.length);
  }

  /** Agrees with the other shards on who grows which trees. */
  async schedule(): Promise<number[][][]> {
    const { draws, features } = this.#forest;
    const own = treesAtOnce(this.#run.executor.threads, draws[0].draws, features.length);
    return scheduleTrees(draws.length, await countsOfAll(own, this.#group));
  }

  /** Draws the rows of the trees of all shards, as far as they are here. */
  async pack(trees: readonly (readonly number[])[]): Promise<PackedBatch> {
    const { draws, sample } = this.#forest;
    const scratch = this.#scratch.descriptor();
    const growing = trees.map((_, shard) => shard).filter((shard) => trees[shard].length > 0);
    const inputs = growing.map((shard) => ({ scratch, sample, trees: trees[shard].map((t) => draws[t]) }));
    const found = await executorFor(this.#scratch, this.#run).map(packTask, inputs, this.#mapOptions());
    return { trees, packed: trees.map((_, shard) => found[growing.indexOf(shard)]) };
  }

  #mapOptions() {
    return this.#run.signal ? { signal: this.#run.signal } : {};
  }

  /** Sends drawn rows to the shards that grow the trees; returns those for the trees of this shard, if it grows any. */
  async collect({ trees, packed }: PackedBatch): Promise<DrawnBatch | undefined> {
    const { sample, rowCounts } = this.#forest;
    const { shard } = this.#group;
    const { columns } = sample;
    const weighted = sample.weights !== undefined;
    const own = trees[shard];
    const rows = new CollectedRows({ columns, trees: own.length, weighted }, rowCounts);
    await this.#group.stream(
      (to) => {
        const bag = packed[to];
        return bag ? rowMessages(bag, new RowFormat(columns, trees[to].length, weighted)) : [];
      },
      async (from, messages) => {
        if (own.length > 0) await rows.read(from, messages);
        else for await (const _ of messages);
      },
    );
    const bag = packed[shard];
    return bag && { trees: own, rows, random: bag.random };
  }

  /** Grows the trees of this shard. */
  async grow({ trees, rows, random }: DrawnBatch): Promise<PooledTree[]> {
    const { growth, classes, features, extents, draws } = this.#forest;
    const { bins, labels, counts, weights, rows: count } = rows.arrays;
    const run = this.#run;
    using columns = await TreeColumns.onThreads(new BinnedColumns(count, features, bins), run);
    columns.extend(extents);
    using decreases = new ImpurityDecreases(columns);
    const plans = trees.map((tree, k): ForestPlan => {
      const { seed, bootstrap, draws: own } = draws[tree];
      const drawn = drawnFor(counts[k]);
      return {
        ...{ growth, trees: 1, bootstrap, seed, draws: own, rows: drawn.rows },
        bag: { counts: drawn.counts, random: random[k] },
        decreases: decreases.pointer,
      };
    });
    const grown = await growTrees(columns, { labels, classes, ...(weights && { weights }) }, plans, run);
    addDecreases(this.#decreases, decreases.words());
    return grown.map((tree) => ({ ...tree, index: trees[tree.index] })).sort((a, b) => a.index - b.index);
  }

  /** Adds up the decreases of impurity by the trees of all shards. */
  async decreasesOfAll(): Promise<Int32Array> {
    const all = await this.#group.gather(new Uint8Array(this.#decreases.slice().buffer));
    const sums = new Int32Array(this.#decreases.length);
    for (const [shard, bytes] of all.entries()) {
      if (bytes.length !== 4 * sums.length) throw malformed(shard);
      addDecreases(sums, new Int32Array(bytes.slice().buffer));
    }
    return sums;
  }

  release(): void {
    this.#scratch.release();
  }
}

/** Lists the rows that were drawn for a tree, and how often. */
function drawnFor(counts: Uint16Array): { readonly rows: Int32Array; readonly counts: Uint16Array } {
  let drawn = 0;
  for (let row = 0; row < counts.length; row++) drawn += counts[row] > 0 ? 1 : 0;
  const rows = new Int32Array(sharedBuffer(4 * drawn));
  const times = new Uint16Array(sharedBuffer(2 * drawn));
  for (let row = 0, place = 0; row < counts.length; row++) {
    if (counts[row] === 0) continue;
    rows[place] = row;
    times[place++] = counts[row];
  }
  return { rows, counts: times };
}
