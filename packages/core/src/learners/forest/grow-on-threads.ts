import * as real from "../../runtime/maths/portable-math.js";
import type { Executor } from "../../runtime/parallel/executor.js";
import { OPERATIONS_PER_MILLISECOND } from "../../runtime/parallel/for-ranges.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { ArenaPool, bytesOf, i32, Scope } from "../../runtime/wasm/arena.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { WORK_PER_CELL } from "../tree/growth-options.js";
import { executorFor, type TreeColumns } from "../tree/tree-columns.js";
import { clearSlots, slotBytes } from "../tree/tree-grower.js";
import { TreeTarget } from "../tree/tree-target.js";
import {
  type ForestPlan,
  forestThreadLayout,
  growTask,
  POOL_WORDS,
  type PoolInput,
  type RawTree,
} from "./forest-thread.js";

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
  using scope = new Scope();
  const treeTarget = scope.hold(TreeTarget.of(labels, classes, weights, columns.memory));
  const pool = poolOf(columns, treeTarget, plans, Math.min(executor.threads, trees), executor, scope);
  const inputs = Array.from({ length: executor.threads }, () => pool);
  const grown = await executor.map(growTask, inputs, {
    signal: run.signal,
    milliseconds: growthMilliseconds(plans, columns.columns),
    onProgress: (done, total) =>
      run.progress({ stage: "trees", done: Math.floor((done * trees) / total), total: trees }),
  });
  return grown.flat();
}

/** Estimates the time to grow the trees of plans on one thread, very roughly. */
export function growthMilliseconds(plans: readonly ForestPlan[], columns: number): number {
  const cells = plans.reduce((sum, plan) => sum + cellsOf(plan, columns), 0);
  return (WORK_PER_CELL * cells) / OPERATIONS_PER_MILLISECOND;
}

/** Allocates everything that the threads of a pool share. */
function poolOf(
  columns: TreeColumns,
  target: TreeTarget,
  plans: readonly ForestPlan[],
  mostSlots: number,
  { threads }: Executor,
  scope: Scope,
): PoolInput {
  const { memory } = columns;
  const mostRows = plans.reduce((most, { rows }) => Math.max(most, rows.length), 0);
  const mostVotes = plans.reduce(
    (most, { votes, rows }) => Math.max(most, votes ? (votes.rows?.length ?? rows.length) : 0),
    0,
  );
  const scratchBytes = bytesOf(forestThreadLayout(columns, target, mostVotes));
  const scratch = scope.hold(ArenaPool.allocate(threads, scratchBytes, memory));
  const shape = { mostRows, entropy: plans.some(({ growth }) => growth.criterion === "entropy") };
  const size = slotBytes(columns, target, shape);
  const { pointer, slotCount } = slotsFor(mostSlots, size, memory, scope);
  const slots = { ...shape, pointer, bytes: size };
  clearSlots(columns, target, slots, slotCount);
  const { words } = scope.take({ words: i32(POOL_WORDS + slotCount) }, memory);
  words.view.fill(0);
  return {
    columns,
    target,
    scratch,
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
  size: number,
  memory: WasmMemory,
  scope: Scope,
): { readonly pointer: number; readonly slotCount: number } {
  const slotCount = Math.max(1, Math.min(wanted, Math.floor(MOST_SLOT_BYTES / size)));
  try {
    return { pointer: scope.allocate(slotCount * size, memory).pointer, slotCount };
  } catch (error) {
    const isExhausted = error instanceof VouchError && error.code === "memory/exhausted";
    if (!isExhausted || slotCount === 1) throw error;
    return slotsFor(slotCount >> 1, size, memory, scope);
  }
}

function cellsOf({ growth, trees, rows }: ForestPlan, columns: number): number {
  const features = growth.splits === "random" ? 1 : Math.min(growth.featuresPerSplit, columns);
  return trees * rows.length * real.log2(rows.length + 1) * features;
}
