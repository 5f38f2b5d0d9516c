import { type Arena, MemoryScope, ScratchPool, type ScratchPoolDescriptor } from "../../runtime/arena.js";
import type { TaskContext } from "../../runtime/executor.js";
import { alignUp } from "../../runtime/heap.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/kernels.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import { executorFor, TreeColumns, type TreeColumnsDescriptor } from "../tree/tree-columns.js";
import { TreeGrower } from "../tree/tree-grower.js";
import type { TreeArrays, TreeSet } from "../tree/tree-set.js";
import { TreeTarget, type TreeTargetDescriptor } from "../tree/tree-target.js";
import { drawOnShard, type ShardDraws } from "./shard-draws.js";
import { paddedRows, type VotePlaces } from "./tree-voter.js";

/** Rows that vote between two pauses: a few milliseconds. */
const ROWS_PER_STEP = 1 << 14;

/** Walks of a row through a tree in a millisecond, very roughly; only for estimates of time. */
const WALKS_PER_MILLISECOND = 5_000;

/** A tree is not grown here, so it needs no slot. */
const NO_SLOTS = { pointer: 0, bytes: 0, mostRows: 0, entropy: false };

/** Where the rows of a shard are among those of all shards. */
export interface ShardPlace {
  /** Number of rows on earlier shards. */
  readonly first: number;
  /** Number of rows on all shards. */
  readonly rows: number;
  /** Number of rows of all shards on which the losses of pairs are measured. */
  readonly measured: number;
}

/** A tree that votes on the rows of a shard that it has not drawn, or on listed ones. */
interface VoteInput {
  readonly columns: TreeColumnsDescriptor;
  readonly target: TreeTargetDescriptor;
  readonly scratch: ScratchPoolDescriptor;
  readonly trees: TreeArrays;
  readonly tree: number;
  readonly draws: ShardDraws;
  readonly votes: VotePlaces;
  readonly place: ShardPlace;
}

/** The trees that vote, and where. */
export interface VoteRequest {
  readonly trees: TreeSet;
  /** How the rows of each tree were drawn. */
  readonly draws: readonly ShardDraws[];
  /** Where each tree votes; the measured rows of `outOfBag` are those of this shard. Sums of losses go on from those that are there. */
  readonly votesOf: (tree: number) => VotePlaces;
  readonly place: ShardPlace;
}

/** Lets trees of a forest, grown on any shards, vote on the rows of this one. */
export class ShardVoter {
  readonly #columns: TreeColumns;
  readonly #target: TreeTarget;
  readonly #request: VoteRequest;
  readonly #held = new MemoryScope();
  readonly #scratch: ScratchPool;
  readonly #run: Run;

  constructor(columns: TreeColumns, target: TreeTarget, request: VoteRequest, run: Run) {
    this.#columns = columns;
    this.#target = target;
    this.#request = request;
    this.#run = run;
    const bytes = voterBytes(columns, target, request.trees.arrays);
    this.#scratch = this.#held.hold(
      ScratchPool.allocate(executorFor(columns, run).threads, bytes, columns.memory),
    );
  }

  /** Lets trees `begin` … `end` − 1 vote. */
  async vote(begin: number, end: number): Promise<void> {
    const { trees, draws, votesOf, place } = this.#request;
    const { signal } = this.#run;
    const common = {
      columns: this.#columns.descriptor(),
      target: this.#target.descriptor(),
      scratch: this.#scratch.descriptor(),
      trees: trees.arrays,
      place,
    };
    const inputs = Array.from({ length: end - begin }, (_, k): VoteInput => {
      const tree = begin + k;
      return { ...common, tree, draws: draws[tree], votes: votesOf(tree) };
    });
    await executorFor(this.#columns, this.#run).map(voteTask, inputs, {
      ...(signal && { signal }),
      milliseconds: (inputs.length * this.#columns.rows) / WALKS_PER_MILLISECOND,
    });
  }

  release(): void {
    this.#held.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

const voteTask = defineTask(
  "forest/vote",
  (input: VoteInput, context: TaskContext): Promise<void> =>
    ScratchPool.attach(input.scratch).with((arena) => voteOnRows(input, arena, context)),
);

/** Returns the bytes of a voter: the state of a tree, the largest tree, the draws of all rows, and the rows of a step. */
function voterBytes(columns: TreeColumns, target: TreeTarget, trees: TreeArrays): number {
  const { scratch } = TreeGrower.sizes(columns, target, NO_SLOTS);
  const largest = (starts: Int32Array) =>
    starts.reduce((most, start, t) => (t === 0 ? most : Math.max(most, start - starts[t - 1])), 0);
  const words = [
    NODE_WORDS * largest(trees.nodeStarts),
    SET_WORDS * largest(trees.setStarts),
    largest(trees.leafStarts),
    largest(trees.leafStarts),
    ROWS_PER_STEP,
    ROWS_PER_STEP,
  ];
  const walkers = alignUp(columns.memory.kernels.treeWalkerBytes());
  return (
    scratch +
    walkers +
    alignUp(2 * columns.rows) +
    words.reduce((sum, count) => sum + alignUp(4 * count), 0) +
    2 * alignUp(1)
  );
}

async function voteOnRows(input: VoteInput, arena: Arena, context: TaskContext): Promise<void> {
  const columns = TreeColumns.attach(input.columns);
  const { memory, cells } = columns;
  const { kernels } = memory;
  const { state } = new TreeGrower(columns, TreeTarget.attach(input.target), arena, NO_SLOTS);
  const { nodes, sets } = copyTree(input, state, arena);
  const list = arena.i32(ROWS_PER_STEP).pointer;
  const leaves = arena.i32(ROWS_PER_STEP).pointer;
  const walkers = arena.u8(kernels.treeWalkerBytes()).pointer;
  const { tree, votes, place } = input;
  const { sums, units, outOfBag } = votes;
  const drawn = votes.rows ? 0 : arena.u8(2 * columns.rows).pointer;
  if (!votes.rows) await drawOnShard(input.draws, drawn, state, memory, () => context.checkpoint());
  const padded = paddedRows(outOfBag?.measured ?? 0);
  const losses = (outOfBag?.losses ?? 0) + 2 * padded * tree;
  const bits = (outOfBag?.bits ?? 0) + (padded / 8) * tree;
  if (outOfBag) kernels.treeClearLosses(outOfBag.measured, losses, bits);
  const length = votes.rows ? votes.rows.length : columns.rows;
  let sum = outOfBag ? memory.f64(outOfBag.lossSums + 8 * tree, 1)[0] : 0;
  let voted = 0;
  for (let begin = 0; begin < length; begin += ROWS_PER_STEP) {
    const end = Math.min(length, begin + ROWS_PER_STEP);
    const count = votes.rows ? end - begin : kernels.treeListUndrawn(drawn, begin, end, list);
    const rows = votes.rows ? votes.rows.pointer + 4 * begin : list;
    if (count > 0) {
      const { pointer, stride } = cells;
      kernels.treeWalkRows(nodes, sets, false, pointer, stride, rows, count, leaves, walkers);
      kernels.treeAddVotes(state, rows, leaves, count, sums, units);
    }
    if (outOfBag) {
      kernels.treeCountVotes(rows, count, outOfBag.votes);
      const { first, rows: all, measured } = place;
      sum = kernels.treeAddLosses(state, rows, leaves, count, sum, first, all, measured, losses, bits);
    }
    voted += count;
    await context.checkpoint();
  }
  if (!outOfBag) return;
  memory.f64(outOfBag.lossSums + 8 * tree, 1)[0] = sum;
  memory.i32(outOfBag.lossCounts + 4 * tree, 1)[0] = voted;
}

/** Copies a tree to kernel memory and makes it the one that votes; returns the addresses of its nodes and its sets, 0 if it has none. */
function copyTree({ trees, tree }: VoteInput, state: number, arena: Arena) {
  const { memory } = arena;
  const part = (starts: Int32Array, words: number) =>
    [starts[tree] * words, starts[tree + 1] * words] as const;
  const put = (from: Int32Array) => {
    const { pointer, view } = arena.i32(from.length);
    view.set(from);
    return pointer;
  };
  const nodes = put(trees.nodes.subarray(...part(trees.nodeStarts, NODE_WORDS)));
  const sets = trees.sets.subarray(...part(trees.setStarts, SET_WORDS));
  const setPointer = sets.length > 0 ? put(sets) : 0;
  const leafClasses = put(trees.leafClasses.subarray(...part(trees.leafStarts, 1)));
  const shares = trees.leafShares.subarray(...part(trees.leafStarts, 1));
  const leafShares = arena.f32(shares.length);
  leafShares.view.set(shares);
  memory.kernels.treeUse(state, nodes, leafClasses, leafShares.pointer);
  return { nodes, sets: setPointer };
}
