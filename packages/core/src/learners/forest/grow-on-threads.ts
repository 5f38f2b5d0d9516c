import * as real from "../../runtime/maths/portable-math.js";
import type { Executor } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { Arena, ArenaPool, Scope } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { executorFor, type TreeColumns } from "../tree/tree-columns.js";
import { TreeGrower } from "../tree/tree-grower.js";
import { TreeTarget } from "../tree/tree-target.js";
import { type ForestPlan, growTask, POOL_WORDS, type PoolInput, type RawTree } from "./forest-thread.js";
import { TreeVoter } from "./tree-voter.js";

/** Cells of a feature that are read in a millisecond, very roughly; only for estimates of time. */
const CELLS_PER_MILLISECOND = 100_000;

/** Trees that grow at the same time take no more memory than this, unless one alone does: threads can share a tree. */
const MOST_SLOT_BYTES = 2 ** 30;

/** The target of all trees of a forest. */
export interface ForestTarget {
  /** Class index of each row of the columns. */
  readonly labels: Int32Array;
  readonly classes: number;
  /** ≥ 0; absent if all rows weigh the same. */
  readonly weights?: Float64Array;
}

/** Grows the trees of all plans on the threads of the run. Trees are in any order. */
export async function growOnThreads(
  columns: TreeColumns,
  target: ForestTarget,
  plans: readonly ForestPlan[],
  run: Run,
): Promise<RawTree[]> {
  const executor = executorFor(columns, run);
  const trees = plans.reduce((sum, plan) => sum + plan.trees, 0);
  const { labels, classes, weights } = target;
  const held = new Scope();
  try {
    const treeTarget = held.hold(TreeTarget.of(labels, classes, weights, columns.memory));
    const pool = poolOf(columns, treeTarget, plans, Math.min(executor.threads, trees), executor, held);
    const inputs = Array.from({ length: executor.threads }, () => pool);
    const grown = await executor.map(growTask, inputs, {
      ...(run.signal && { signal: run.signal }),
      milliseconds: growthMilliseconds(plans, columns.columns),
      onProgress: (done, total) =>
        run.progress({ stage: "trees", done: Math.floor((done * trees) / total), total: trees }),
    });
    return grown.flat();
  } finally {
    held.release();
  }
}

/** Estimates the time to grow the trees of plans on one thread, very roughly. */
export function growthMilliseconds(plans: readonly ForestPlan[], columns: number): number {
  return plans.reduce((sum, plan) => sum + cellsOf(plan, columns), 0) / CELLS_PER_MILLISECOND;
}

/** Allocates everything that the threads of a pool share. */
function poolOf(
  columns: TreeColumns,
  target: TreeTarget,
  plans: readonly ForestPlan[],
  mostSlots: number,
  { threads }: Executor,
  held: Scope,
): PoolInput {
  const { memory } = columns;
  const mostRows = plans.reduce((most, { rows }) => Math.max(most, rows.length), 0);
  const mostVotes = plans.reduce(
    (most, { votes, rows }) => Math.max(most, votes ? (votes.rows?.length ?? rows.length) : 0),
    0,
  );
  const shape = { mostRows, entropy: plans.some(({ growth }) => growth.criterion === "entropy") };
  const { scratch, slot: bytes } = TreeGrower.sizes(columns, target, shape);
  const each = scratch + alignUp(TreeVoter.bytes(mostVotes)) + 2 * alignUp(1);
  const arenas = held.hold(ArenaPool.allocate(threads, each, memory));
  const { arena, slotCount } = slotsFor(mostSlots, bytes, columns, held);
  const slots = { ...shape, pointer: arena.u8(slotCount * bytes).pointer, bytes };
  const words = held.hold(Arena.allocate(4 * (POOL_WORDS + slotCount), memory)).i32(POOL_WORDS + slotCount);
  words.view.fill(0);
  clearSlots(columns, target, slots, slotCount, scratch);
  return {
    columns: columns.descriptor(),
    target: target.descriptor(),
    scratch: arenas.descriptor(),
    slots,
    words: words.pointer,
    slotCount,
    plans: plans.map((plan) => ({ ...plan, rows: onSharedMemory(plan.rows) })),
    mostVotes,
  };
}

/** Allocates as many slots as wanted, or as memory allows. */
function slotsFor(
  wanted: number,
  bytes: number,
  { memory }: Pick<TreeColumns, "memory">,
  held: Scope,
): { readonly arena: Arena; readonly slotCount: number } {
  const slotCount = Math.max(1, Math.min(wanted, Math.floor(MOST_SLOT_BYTES / bytes)));
  try {
    return { arena: held.hold(Arena.allocate(slotCount * bytes, memory)), slotCount };
  } catch (error) {
    const isExhausted = error instanceof VouchError && error.code === "memory/exhausted";
    if (!isExhausted || slotCount === 1) throw error;
    return slotsFor(slotCount >> 1, bytes, { memory }, held);
  }
}

function clearSlots(
  columns: TreeColumns,
  target: TreeTarget,
  slots: PoolInput["slots"],
  count: number,
  scratch: number,
): void {
  using arena = Arena.allocate(scratch, columns.memory);
  const grower = new TreeGrower(columns, target, arena, slots);
  for (let slot = 0; slot < count; slot++) grower.clearSlot(slot);
}

function cellsOf({ growth, trees, rows }: ForestPlan, columns: number): number {
  const features = growth.splits === "random" ? 1 : Math.min(growth.featuresPerSplit, columns);
  return trees * rows.length * real.log2(rows.length + 1) * features;
}
