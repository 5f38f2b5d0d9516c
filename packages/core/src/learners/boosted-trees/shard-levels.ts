import { malformed, type ShardGroup } from "../../runtime/shards/shard-group.js";
import { Arena, type Scope } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { SPLIT_BYTES } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type LossSum, sumOfLosses } from "./boosted-rows.js";
import type { LevelJobs, ShardPeers } from "./boosting-team.js";
import type { GrowingTree } from "./growing-tree.js";
import { LevelBuffers } from "./shard-buffers.js";
import { type LevelPart, NO_NODES, type Range, ShardTree } from "./shard-tree.js";

/** Bytes of the gradient and the Hessian of a root, and whether the shard has computed them. */
const ROOT_BYTES = 24;

/** Divides features into contiguous ranges with about equally many bins, one for each shard. */
function featureRanges(bins: readonly number[], shards: number): Range[] {
  const total = bins.reduce((sum, count) => sum + count + 1, 0);
  const ends: number[] = [];
  let [seen, feature] = [0, 0];
  for (let shard = 1; shard <= shards; shard++) {
    const goal = (total * shard) / shards;
    while (feature < bins.length && (shard === shards || seen + (bins[feature] + 1) / 2 <= goal)) {
      seen += bins[feature++] + 1;
    }
    ends.push(feature);
  }
  return ends.map((end, shard) => [shard === 0 ? 0 : ends[shard - 1], end]);
}

interface LevelOptions {
  readonly group: ShardGroup;
  readonly firstRow: number;
  readonly rows: number;
  /** Histograms that a level may have at a time, and those of them that are sent. */
  readonly slots: number;
  readonly sent: number;
  readonly trees: readonly GrowingTree[];
}

/**
 * Finds the splits of levels together with other shards. The histograms of a level are added up by features: each shard gets the sums of some
 * features, searches them, and sends the best split of each node to all. With B bytes of histograms in a level and S shards, a shard sends
 * B · (S − 1) / S bytes of histograms, whatever S is, and then a hundred bytes for each node.
 */
export class ShardLevels implements ShardPeers {
  readonly firstRow: number;
  readonly rows: number;
  readonly #group: ShardGroup;
  readonly #memory: WasmMemory;
  readonly #trees: ReadonlyMap<GrowingTree["address"], ShardTree>;
  readonly #ranges: readonly Range[];
  readonly #buffers: LevelBuffers;

  constructor({ group, firstRow, rows, slots, sent, trees }: LevelOptions, memory: Scope) {
    const [tree] = trees;
    const { columns, memory: wasmMemory } = tree.rows;
    this.#ranges = featureRanges(
      columns.extents.map(({ bins }) => bins),
      group.shards,
    );
    const splitBytes = trees.length * (ROOT_BYTES + slots * SPLIT_BYTES);
    this.#buffers = memory.hold(
      LevelBuffers.allocate(
        { ranges: this.#ranges, own: group.shard, trees: trees.length, sent, splitBytes },
        wasmMemory,
      ),
    );
    const totals = ShardTree.totalBytes(columns.columns, slots);
    const arena = memory.hold(Arena.allocate(trees.length * alignUp(totals), wasmMemory));
    this.#trees = new Map(
      trees.map((each) => [each.address, new ShardTree(each, slots, arena.u8(totals).pointer)]),
    );
    this.#group = group;
    this.#memory = wasmMemory;
    this.firstRow = firstRow;
    this.rows = rows;
  }

  start(tree: GrowingTree, output: number, listed: number | undefined): void {
    this.#shardTree(tree).start(output, listed);
  }

  descend(tree: GrowingTree): boolean {
    return this.#shardTree(tree).descend();
  }

  async searchLevel(growing: readonly GrowingTree[], target: number, jobs: LevelJobs): Promise<void> {
    const trees = growing.map((tree) => this.#shardTree(tree));
    const batches = trees.map((tree) => tree.batches());
    const rounds = Math.max(...batches.map(({ length }) => length));
    for (let round = 0; round < rounds; round++) {
      const level = trees.map((tree, t) => ({ tree, batch: batches[t][round] ?? NO_NODES }));
      await jobs.build(level.reduce((sum, { tree, batch }) => sum + tree.planBuild(batch, target), 0));
      await jobs.prepare(this.#buffers.plan(level), this.#group.shards);
      await this.#addUp(level);
      await this.#search(level, target, rounds > 1, jobs);
      await this.#share(level);
      for (const { tree, batch } of level) tree.release(batch);
    }
  }

  /** Adds up the histograms of all shards, those of the features of this one in the end. */
  async #addUp(level: readonly LevelPart[]): Promise<void> {
    const started = new Set([this.#group.shard]);
    await this.#group.reduce(
      (owner) => (started.has(owner) ? this.#packedTotals(level, owner) : this.#buffers.packed(owner)),
      (owner, bytes) => {
        if (!started.has(owner)) {
          started.add(owner);
          for (const { tree, batch } of level) tree.startTotals(batch, this.#ranges[owner]);
        }
        this.#add(level, owner, bytes);
      },
    );
  }

  get #own(): Range {
    return this.#ranges[this.#group.shard];
  }

  #packedTotals(level: readonly LevelPart[], owner: number): Uint8Array {
    const begin = this.#buffers.placeFor(owner);
    let to = begin;
    for (const { tree, batch } of level) to = tree.packTotals(batch, this.#ranges[owner], to);
    return this.#memory.u8(begin, to - begin);
  }

  #add(level: readonly LevelPart[], owner: number, bytes: Uint8Array): void {
    let from = this.#received(bytes);
    const limit = from + bytes.length;
    for (const { tree, batch } of level) {
      from = tree.addPacked(batch, this.#ranges[owner], from, limit);
      if (from === 0) throw malformed(this.#group.shard);
    }
    if (from !== limit) throw malformed(this.#group.shard);
  }

  /** Copies a message to WebAssembly memory. */
  #received(bytes: Uint8Array): number {
    const { receive, receiveBytes } = this.#buffers;
    if (bytes.length > receiveBytes) throw malformed(this.#group.shard);
    this.#memory.u8(receive, bytes.length).set(bytes);
    return receive;
  }

  /** Searches the features of this shard; on this thread if there are several batches, which share the numbers of units. */
  async #search(
    level: readonly LevelPart[],
    target: number,
    isAlone: boolean,
    jobs: LevelJobs,
  ): Promise<void> {
    let units = 0;
    for (const { tree, batch } of level) {
      if (hasRoot(tree, batch)) this.#sumRoot(tree);
      const before = tree.tree.searches;
      const planned = tree.planSearch(batch, this.#own, target);
      units += planned;
      for (let unit = before; isAlone && unit < planned; unit++) tree.search(unit);
    }
    if (!isAlone) await jobs.search(units);
  }

  /** Computes the sums of the root, if this shard has a feature that the tree may split. */
  #sumRoot(tree: ShardTree): void {
    const feature = this.#featureOf(tree);
    if (feature >= 0) tree.sumRoot(feature);
  }

  #featureOf({ tree: { mask } }: ShardTree): number {
    const [first, end] = this.#own;
    const offset = mask.subarray(first, end).indexOf(1);
    return offset < 0 ? -1 : first + offset;
  }

  /** Sends the best splits to all shards, and keeps the best of all. */
  async #share(level: readonly LevelPart[]): Promise<void> {
    const all = await this.#group.gather(this.#found(level));
    for (const { tree, batch } of level) if (hasRoot(tree, batch)) this.#takeRoot(tree, level, all);
    for (const [shard, bytes] of all.entries()) {
      if (bytes.length !== all[this.#group.shard].length) throw malformed(shard);
      if (shard === this.#group.shard) continue;
      let from = this.#received(bytes);
      for (const { tree, batch } of level) {
        if (hasRoot(tree, batch)) from += ROOT_BYTES;
        from = tree.takeSplits(batch, this.#ranges[shard], from);
        if (from === 0) throw malformed(shard);
      }
    }
  }

  /** Writes the best splits of this shard, each tree that begins with the sums of its root before them. */
  #found(level: readonly LevelPart[]): Uint8Array {
    const { receive } = this.#buffers;
    let to = receive;
    for (const { tree, batch } of level) {
      if (hasRoot(tree, batch)) {
        const isKnown = this.#featureOf(tree) >= 0 ? 1 : 0;
        this.#memory.f64(to, 3).set([isKnown, ...tree.rootSums]);
        to += ROOT_BYTES;
      }
      to = tree.putSplits(batch, to);
    }
    return this.#memory.u8(receive, to - receive).slice();
  }

  /** Takes the sums of a root from a shard that knows them. Trees start together, so that all levels before this one are roots. */
  #takeRoot(tree: ShardTree, level: readonly LevelPart[], all: readonly Uint8Array[]): void {
    const at = level.findIndex((part) => part.tree === tree) * this.#rootPartBytes;
    for (const bytes of all) {
      if (bytes.length < at + ROOT_BYTES) continue;
      const view = new DataView(bytes.buffer, bytes.byteOffset + at, ROOT_BYTES);
      if (view.getFloat64(0, true) !== 1) continue;
      tree.rootSums.set([view.getFloat64(8, true), view.getFloat64(16, true)]);
      return;
    }
    throw malformed(this.#group.shard);
  }

  /** Bytes of the sums of a root and its split. */
  get #rootPartBytes(): number {
    return ROOT_BYTES + SPLIT_BYTES;
  }

  async sumLosses(own: readonly LossSum[]): Promise<LossSum[]> {
    const all = await this.#group.gatherNumbers(own.flatMap(({ high, low }) => [high, low]));
    return own.map((_, i) => sumOfLosses(all.map((sums) => ({ high: sums[2 * i], low: sums[2 * i + 1] }))));
  }

  #shardTree(tree: GrowingTree): ShardTree {
    const own = this.#trees.get(tree.address);
    if (!own) throw new TypeError("A tree of another shard grows here.");
    return own;
  }
}

function hasRoot(tree: ShardTree, batch: Range): boolean {
  return tree.isRoot && batch !== NO_NODES;
}
