import type { BinnedFeature } from "../../encode/binned-columns.js";
import { BinnedColumns } from "../../encode/binned-columns.js";
import { throwIfAborted, yieldToEventLoop } from "../../runtime/parallel/event-loop.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { TeamWords } from "../../runtime/parallel/team.js";
import type { ShardGroup } from "../../runtime/shards/shard-group.js";
import { Arena, Scope } from "../../runtime/wasm/arena.js";
import { BOOSTED_WORKER_BYTES } from "../../runtime/wasm/wasm-exports.js";
import { type ColumnExtent, executorFor } from "../tree/tree-columns.js";
import {
  type BoostedTrees,
  type BoostRequest,
  boostTask,
  joinBoostedTrees,
  treesThatFit,
  unitFor,
} from "./boost-trees.js";
import { BoostedRows, type LabelledBins, type WholeWeights } from "./boosted-rows.js";
import { Booster, type BoostInput } from "./boosting-team.js";
import { GrowingTree } from "./growing-tree.js";
import { ShardLevels } from "./shard-levels.js";
import { mostSent, slotsFor } from "./shard-tree.js";

/** A shard of the rows to boost on. */
export interface ShardRequest extends BoostRequest {
  /** The numbers of training rows of all shards. */
  readonly rowCounts: readonly number[];
  /** Facts of the training rows and the held-out rows of all shards. */
  readonly whole: { readonly training: WholeWeights; readonly held: WholeWeights };
}

/**
 * Boosts on a shard of the rows, in step with other shards: every shard returns the trees that one machine with all rows would grow. This
 * thread leads the threads of the run, because it talks to the other shards.
 */
export async function boostShard(request: ShardRequest, group: ShardGroup, run: Run): Promise<BoostedTrees> {
  const { training, held, base, options, whole, rowCounts } = request;
  const memory = new Scope();
  const stop = new AbortController();
  const signal = run.signal ? AbortSignal.any([run.signal, stop.signal]) : stop.signal;
  try {
    const rows = memory.hold(BoostedRows.of(atLeastOne(training), base, whole.training));
    const heldRows = held && memory.hold(BoostedRows.of(atLeastOne(held), base, whole.held));
    rows.columns.extend(await extentsOfAll(rows, training.labels.length, group));
    const executor = executorFor(rows.columns, run);
    const plan = planFor(rows, request, executor.threads, memory);
    const common: Omit<BoostInput, "worker"> = {
      ...plan.common,
      rows: rows.descriptor(),
      held: heldRows?.descriptor(),
      seed: run.seed,
      sharded: true,
    };
    const firstRow = rowCounts.slice(0, group.shard).reduce((sum, count) => sum + count, 0);
    const levels = new ShardLevels(
      { group, firstRow, rows: totalOf(rowCounts), slots: plan.slots, sent: plan.sent, trees: plan.trees },
      memory,
    );
    const inputs = Array.from({ length: executor.threads - 1 }, (_, i) => ({ ...common, worker: i + 1 }));
    const helpers = inputs.length > 0 ? executor.map(boostTask, inputs, { signal }) : Promise.resolve([]);
    helpers.catch(() => stop.abort());
    const leader = new Booster({ ...common, worker: 0 }, contextOf(run, options.rounds, signal), levels);
    try {
      const history = await leader.lead();
      return { ...history, ...joinBoostedTrees([leader.grown()], history.best * rows.outputs) };
    } finally {
      // The memory is released afterwards. An error of the leader is the one to report, unless a thread has caused it.
      await helpers.catch((error) => {
        throwIfAborted(run.signal);
        throw error;
      });
    }
  } finally {
    memory.release();
  }
}

/** Lays out the growing trees: as many as classes if they fit on every shard. */
function planFor(rows: BoostedRows, request: ShardRequest, workers: number, memory: Scope) {
  const { options, whole, rowCounts } = request;
  const { rounds, patience, rowsPerTree, columnsPerTree, columnsPerSplit, maxDepth } = options;
  const allRows = totalOf(rowCounts);
  const unit = unitFor(allRows, whole.training.heaviest);
  const growing = Math.min(rows.outputs, treesThatFit(Math.max(1, ...rowCounts)));
  const slots = slotsFor(rows.columns.columns, maxDepth, allRows, growing);
  const masksPerNode = columnsPerSplit < 1;
  const shape = { maxDepth, workers, trees: growing, masksPerNode, shard: { rows: allRows, slots } };
  const scratchBytes = workers * BOOSTED_WORKER_BYTES;
  const { pointer } = memory.hold(Arena.allocate(scratchBytes, rows.memory)).u8(scratchBytes);
  const trees = Array.from({ length: growing }, () =>
    memory.hold(GrowingTree.allocate(rows, options, unit, shape, pointer)),
  );
  const common = {
    trees: trees.map((tree) => tree.descriptor()),
    team: memory.hold(new TeamWords(rows.memory)).pointer,
    ...{ workers, unit, rounds, patience, rowsPerTree, columnsPerTree, columnsPerSplit },
  };
  return { trees, slots, sent: mostSent(slots, maxDepth, allRows), common };
}

function contextOf(run: Run, rounds: number, signal: AbortSignal): TaskContext {
  return {
    checkpoint: () => yieldToEventLoop(signal),
    progress: (fraction, note) =>
      run.progress({
        stage: "boosting",
        done: Math.round(fraction * rounds),
        total: rounds,
        ...(note !== undefined && { note }),
      }),
  };
}

/** Gives a shard without rows a row of weight 0, which changes no sum. */
function atLeastOne(bins: LabelledBins): LabelledBins {
  if (bins.labels.length > 0) return bins;
  const features: readonly BinnedFeature[] = bins.features.features;
  return {
    features: new BinnedColumns(1, features, new Uint8Array(features.length)),
    labels: new Int32Array(1),
    weights: new Float64Array(1),
  };
}

/** Finds the bins that occur on any shard. */
async function extentsOfAll(rows: BoostedRows, count: number, group: ShardGroup): Promise<ColumnExtent[]> {
  const own = rows.columns.extents.flatMap(({ bins, missing }) =>
    count > 0 ? [bins, missing ? 1 : 0] : [0, 0],
  );
  const all = await group.gatherNumbers(own);
  return Array.from({ length: own.length / 2 }, (_, j) => ({
    bins: Math.max(...all.map((extents) => extents[2 * j])),
    missing: all.some((extents) => extents[2 * j + 1] > 0),
  }));
}

function totalOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
