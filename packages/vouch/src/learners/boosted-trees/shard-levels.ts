import { Arena, type MemoryScope } from "../../runtime/arena.js";
import { alignUp } from "../../runtime/heap.js";
import type { KernelMemory } from "../../runtime/memory.js";
import { framedParts, frameParts, malformed, type ShardGroup } from "../../runtime/shard-group.js";
import { type LossSum, sumOfLosses } from "./boosted-rows.js";
import type { GrowingTree } from "./growing-tree.js";
import type { ShardPeers } from "./rounds.js";
import { type Range, ShardTree } from "./shard-tree.js";

/** Bytes of the gradient and the Hessian of a root, and whether the shard has computed them. */
const ROOT_BYTES = 24;

/** Place of the feature in a split, an i32, and of the cut. See `kernels/boosted-state.ts`. */
const FEATURE_PLACE = 24;
const CUT_PLACE = 28;

/** Divides features into contiguous ranges with about equally many bins, one for each shard. */
export function featureRanges(bins: readonly number[], shards: number): Range[] {
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
  readonly slots: number;
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
  readonly #memory: KernelMemory;
  readonly #trees: ReadonlyMap<GrowingTree["address"], ShardTree>;
  readonly #ranges: readonly Range[];
  readonly #buffer: number;
  readonly #bufferBytes: number;
  /** Levels that were searched. */
  levels = 0;

  constructor({ group, firstRow, rows, slots, trees }: LevelOptions, memory: MemoryScope) {
    const [tree] = trees;
    const { columns, memory: kernelMemory } = tree.rows;
    const { kernels } = kernelMemory;
    const totals = ShardTree.totalBytes(columns.columns, slots);
    this.#bufferBytes = columns.columns * kernels.boostedMostPacked();
    const arena = memory.hold(
      Arena.allocate(trees.length * alignUp(totals) + alignUp(this.#bufferBytes + 16), kernelMemory),
    );
    this.#buffer = arena.u8(this.#bufferBytes + 16).pointer;
    this.#trees = new Map(
      trees.map((each) => [each.address, new ShardTree(each, slots, arena.u8(totals).pointer)]),
    );
    this.#group = group;
    this.#memory = kernelMemory;
    this.#ranges = featureRanges(
      columns.extents.map(({ bins }) => bins),
      group.shards,
    );
    this.firstRow = firstRow;
    this.rows = rows;
  }

  start(tree: GrowingTree, output: number, listed: number | undefined): void {
    this.#shardTree(tree).start(output, listed);
  }

  descend(tree: GrowingTree): boolean {
    return this.#shardTree(tree).descend();
  }

  async searchLevel(
    growing: readonly GrowingTree[],
    target: number,
    build: (units: number) => Promise<void>,
    search: (units: number) => Promise<void>,
  ): Promise<void> {
    const trees = growing.map((tree) => this.#shardTree(tree));
    const batches = trees.map((tree) => tree.batches());
    const rounds = Math.max(...batches.map(({ length }) => length));
    this.levels++;
    for (let round = 0; round < rounds; round++) {
      const level = trees.map((tree, t) => ({ tree, batch: batches[t][round] ?? NOTHING }));
      await build(level.reduce((sum, { tree, batch }) => sum + tree.planBuild(batch, target), 0));
      for (const { tree, batch } of level) tree.finish(batch);
      await this.#addUp(level);
      await this.#search(level, target, rounds > 1, search);
      await this.#share(level);
      for (const { tree, batch } of level) tree.release(batch);
    }
  }

  /** Adds up the histograms of all shards, those of the features of this one in the end. */
  async #addUp(level: readonly LevelPart[]): Promise<void> {
    const sent = level.flatMap(({ tree, batch }) => tree.startTotals(batch).map((node) => ({ tree, node })));
    await this.#group.reduce(
      (owner) => frameParts(sent.map(({ tree, node }) => this.#packed(tree, node, this.#ranges[owner]))),
      (owner, bytes) => {
        for (const [i, packed] of framedParts(bytes, sent.length).entries()) {
          this.#add(sent[i].tree, sent[i].node, this.#ranges[owner], packed);
        }
      },
    );
    for (const { tree, batch } of level) tree.deriveTotals(batch, this.#own);
  }

  get #own(): Range {
    return this.#ranges[this.#group.shard];
  }

  #packed(tree: ShardTree, node: number, range: Range): Uint8Array {
    const end = tree.pack(node, range, this.#buffer);
    return this.#memory.u8(this.#buffer, end - (this.#buffer >>> 0)).slice();
  }

  #add(tree: ShardTree, node: number, range: Range, packed: Uint8Array): void {
    if (packed.length > this.#bufferBytes) throw malformed(this.#group.shard);
    this.#memory.u8(this.#buffer, packed.length).set(packed);
    const limit = (this.#buffer >>> 0) + packed.length;
    if (tree.addPacked(node, range, this.#buffer, limit) !== limit) throw malformed(this.#group.shard);
  }

  /** Searches the features of this shard; on this thread if there are several batches, which share the numbers of units. */
  async #search(
    level: readonly LevelPart[],
    target: number,
    isAlone: boolean,
    search: (units: number) => Promise<void>,
  ): Promise<void> {
    let units = 0;
    for (const { tree, batch } of level) {
      if (tree.isRoot && batch !== NOTHING) this.#sumRoot(tree);
      const before = tree.tree.searches;
      const planned = tree.planSearch(batch, this.#own, target);
      units += planned;
      for (let unit = before; isAlone && unit < planned; unit++) tree.search(unit);
    }
    if (!isAlone) await search(units);
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
    const length = all[this.#group.shard].length;
    const places = all.map((bytes, shard) => {
      if (bytes.length !== length) throw malformed(shard);
      return { bytes, shard, view: new DataView(bytes.buffer, bytes.byteOffset, length) };
    });
    let at = 0;
    for (const { tree, batch } of level) {
      if (tree.isRoot && batch !== NOTHING) {
        const known = places.find(({ view }) => view.getFloat64(at, true) === 1);
        if (!known) throw malformed(this.#group.shard);
        tree.sums(0).set([known.view.getFloat64(at + 8, true), known.view.getFloat64(at + 16, true)]);
        at += ROOT_BYTES;
      }
      for (const node of tree.openNodes(batch)) {
        for (const { bytes, view, shard } of places) {
          if (shard === this.#group.shard) continue;
          const split = bytes.subarray(at, at + tree.splitBytes);
          this.#check(view, at, shard);
          this.#memory.u8(this.#buffer, split.length).set(split);
          tree.takeSplit(node, this.#buffer);
        }
        at += tree.splitBytes;
      }
    }
  }

  #found(level: readonly LevelPart[]): Uint8Array {
    const parts = level.flatMap(({ tree, batch }) => {
      const root = tree.isRoot && batch !== NOTHING ? [this.#rootBytes(tree)] : [];
      return [...root, ...tree.openNodes(batch).map((node) => tree.split(node))];
    });
    const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  #rootBytes(tree: ShardTree): Uint8Array {
    const [gradient, hessian] = tree.sums(0);
    const isKnown = this.#featureOf(tree) >= 0 ? 1 : 0;
    return new Uint8Array(Float64Array.of(isKnown, gradient, hessian).buffer);
  }

  /** Checks a split of another shard: kernels would read other memory. */
  #check(view: DataView, at: number, shard: number): void {
    const feature = view.getInt32(at + FEATURE_PLACE, true);
    const [first, end] = this.#ranges[shard];
    if (feature === -1) return;
    const cut = view.getInt32(at + CUT_PLACE, true);
    if (feature < first || feature >= end || cut < 0 || cut > 255) throw malformed(shard);
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

/** Some nodes of the level of a tree. */
interface LevelPart {
  readonly tree: ShardTree;
  readonly batch: Range;
}

/** The nodes of a tree that has no more of them. */
const NOTHING: Range = [0, 0];
