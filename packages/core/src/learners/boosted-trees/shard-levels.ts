import { malformed, type ShardGroup } from "../../runtime/shards/shard-group.js";
import { bytes, i32, type Scope } from "../../runtime/wasm/arena.js";
import {
  MOST_PACKED,
  OWNER_WORDS,
  PART_WORDS,
  PLAN_WORDS,
  SPLIT_BYTES,
} from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type LossSum, sumOfLosses } from "./boosted-rows.js";
import type { LevelJobs, ShardPeers } from "./boosting-team.js";
import type { GrowingTree } from "./growing-tree.js";
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
  /** The bins of each feature, on any shard. */
  readonly bins: readonly number[];
}

/** Bytes after a buffer that kernels may touch. */
const SLACK = 16;

/**
 * Finds the splits of levels together with other shards. The histograms of a level are added up by features: each shard gets
 * the sums of some features, searches them, and sends the best split of each node to all. With B bytes of histograms in a
 * level and S shards, a shard sends B · (S − 1) / S bytes of histograms, whatever S is, and then a hundred bytes for each
 * node.
 */
export class ShardLevels implements ShardPeers {
  readonly firstRow: number;
  readonly rows: number;
  readonly #group: ShardGroup;
  readonly #memory: WasmMemory;
  readonly #trees: ReadonlyMap<number, ShardTree>;
  readonly #ranges: readonly Range[];
  /** Buffers of the messages: one for each other shard, which is sent without a copy, and one for what arrives. */
  readonly #buffers: ReturnType<typeof bufferSlices>;

  constructor({ group, firstRow, rows, slots, sent, trees, bins }: LevelOptions, scope: Scope) {
    const { memory } = trees[0].rows;
    this.#ranges = featureRanges(bins, group.shards);
    const splitBytes = trees.length * (ROOT_BYTES + slots * SPLIT_BYTES);
    const shape = { ranges: this.#ranges, own: group.shard, trees: trees.length, sent, splitBytes };
    this.#buffers = bufferSlices(shape, scope, memory);
    const totals = ShardTree.totalBytes(bins.length, slots);
    const { each } = scope.take({ each: trees.map(() => bytes(totals)) }, memory);
    this.#trees = new Map(
      trees.map((tree, k) => [tree.addresses.tree, new ShardTree(tree, slots, each[k].pointer)]),
    );
    this.#group = group;
    this.#memory = memory;
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
      await jobs.prepare(this.#plan(level), this.#group.shards);
      await this.#addUp(level);
      await this.#search(level, target, rounds > 1, jobs);
      await this.#share(level);
      for (const { tree, batch } of level) tree.release(batch);
    }
  }

  /** Writes the plan of a level, in whose units any thread completes and packs the features of a shard; returns its address. */
  #plan(level: readonly LevelPart[]): number {
    const { plan, parts, owners } = this.#buffers;
    plan.view.set([parts.pointer, level.length, owners.pointer]);
    for (const [i, { tree, batch }] of level.entries())
      parts.view.set([tree.address, ...batch], PART_WORDS * i);
    for (const [shard, range] of this.#ranges.entries())
      owners.view.set([...range, this.#placeFor(shard), 0], OWNER_WORDS * shard);
    return plan.pointer;
  }

  /** Returns the address at which histograms for a shard are packed; 0 for this shard, which adds them up itself. */
  #placeFor(shard: number): number {
    return shard === this.#group.shard ? 0 : this.#buffers.packed[shard].pointer >>> 0;
  }

  /** Views what the units of the plan have packed for a shard. */
  #packed(shard: number): Uint8Array {
    const end = this.#buffers.owners.view[OWNER_WORDS * shard + 3] >>> 0;
    return this.#memory.u8(this.#placeFor(shard), end - this.#placeFor(shard));
  }

  /** Adds up the histograms of all shards, those of the features of this one in the end. */
  async #addUp(level: readonly LevelPart[]): Promise<void> {
    const started = new Set([this.#group.shard]);
    await this.#group.reduce(
      (owner) => (started.has(owner) ? this.#packedTotals(level, owner) : this.#packed(owner)),
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
    const begin = this.#placeFor(owner);
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
    const { pointer, length } = this.#buffers.receive;
    if (bytes.length > length - SLACK) throw malformed(this.#group.shard);
    this.#memory.u8(pointer, bytes.length).set(bytes);
    return pointer;
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
    const { pointer: begin } = this.#buffers.receive;
    let to = begin;
    for (const { tree, batch } of level) {
      if (hasRoot(tree, batch)) {
        const isKnown = this.#featureOf(tree) >= 0 ? 1 : 0;
        this.#memory.f64(to, 3).set([isKnown, ...tree.rootSums]);
        to += ROOT_BYTES;
      }
      to = tree.putSplits(batch, to);
    }
    return this.#memory.u8(begin, to - begin).slice();
  }

  /**
   * Takes the sums of a root from a shard that knows them. Trees start together, so that all levels before this one are roots.
   */
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
    const own = this.#trees.get(tree.addresses.tree);
    if (!own) throw new TypeError("A tree of another shard grows here.");
    return own;
  }
}

function hasRoot(tree: ShardTree, batch: Range): boolean {
  return tree.isRoot && batch !== NO_NODES;
}

/** Determines the sizes of the buffers. */
interface BufferShape {
  /** The features of each shard. */
  readonly ranges: readonly Range[];
  /** The number of this shard. */
  readonly own: number;
  readonly trees: number;
  /** Histograms of a tree that are sent at a time, at most. */
  readonly sent: number;
  readonly splitBytes: number;
}

function bufferSlices(
  { ranges, own, trees, sent, splitBytes }: BufferShape,
  scope: Scope,
  memory: WasmMemory,
) {
  const packed = ranges.map(([first, last]) => (last - first) * trees * sent * MOST_PACKED + SLACK);
  const layout = {
    plan: i32(PLAN_WORDS),
    parts: i32(PART_WORDS * trees),
    owners: i32(OWNER_WORDS * ranges.length),
    packed: packed.map((size, shard) => bytes(shard === own ? 0 : size)),
    receive: bytes(Math.max(splitBytes + SLACK, ...packed)),
  };
  return scope.take(layout, memory);
}
