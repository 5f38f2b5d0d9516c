import * as real from "../../runtime/maths/portable-math.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { TeamWords } from "../../runtime/parallel/team.js";
import { bytes, Scope } from "../../runtime/wasm/arena.js";
import { BOOSTED_WORKER_BYTES } from "../../runtime/wasm/wasm-exports.js";
import { executorFor, TreeColumns } from "../tree/tree-columns.js";
import { TreeSet } from "../tree/tree-set.js";
import { BoostedRows, type LabelledBins, weightsOfRows } from "./boosted-rows.js";
import {
  Booster,
  type BoostInput,
  type BoostingOptions,
  type LossHistory,
  type WorkerTrees,
} from "./boosting-team.js";
import { type GrowingShape, GrowingTree, type TreeLimits } from "./growing-tree.js";

/** Cells that are added to histograms in a millisecond, very roughly; only for estimates of time. */
const CELLS_PER_MILLISECOND = 1_000_000;

/** The time that a node takes to search a feature, as a number of cells. */
const CELLS_PER_HISTOGRAM = 1000;

/** Shorter work may not need all threads, or none. */
const WORTH_PREPARING = 1000;

/** Bits of a gradient of the heaviest row; fewer if the sum over all rows would not be exact otherwise. */
const GRADIENT_BITS = 30;
const EXACT_BITS = 52;

/** Trees in the order in which they were added, with the losses of the rounds. */
export interface BoostedTrees extends LossHistory {
  readonly trees: TreeSet;
  /** The gain of each split, tree after tree. */
  readonly gains: Float32Array;
}

/** Rows to boost on, and options. */
export interface BoostRequest {
  readonly training: LabelledBins;
  /** Held-out rows for early stopping. */
  readonly held: LabelledBins | undefined;
  /** Initial margins: one for two classes, otherwise one for each class. */
  readonly base: Float64Array;
  readonly options: BoostingOptions & TreeLimits;
}

/** Boosts on the threads of the run: the same trees for any number of threads. */
export async function boostTrees(request: BoostRequest, run: Run): Promise<BoostedTrees> {
  const { training, held, base, options } = request;
  using scope = new Scope();
  const milliseconds = estimatedTime(request);
  // Threads start while this one copies the rows.
  if (milliseconds >= WORTH_PREPARING) run.executor.prepare?.([boostTask.id]);
  const place = (bins: LabelledBins) =>
    BoostedRows.allocate(scope.hold(TreeColumns.of(bins.features)), bins, base, scope);
  const rows = place(training);
  const heldRows = held && place(held);
  const executor = executorFor(rows, run);
  const workers = executor.threads;
  const { maxDepth, columnsPerSplit, rounds } = options;
  const unit = unitFor(rows.rows, weightsOfRows(training).heaviest);
  const trees = Math.min(workers, rows.outputs, treesThatFit(rows.rows));
  const shape = { maxDepth, workers, trees, masksPerNode: columnsPerSplit < 1 };
  const { input } = layTeam(rows, options, unit, shape, scope);
  const common = { ...input, held: heldRows?.fields, seed: run.seed };
  const outputs = await executor.map(
    boostTask,
    Array.from({ length: workers }, (_, worker) => ({ ...common, worker })),
    {
      signal: run.signal,
      milliseconds,
      // Only the leader reports progress; the others end with it.
      onProgress: (done, _, note) => reportRounds(run, Math.min(1, done), rounds, note),
    },
  );
  const [{ history }] = outputs;
  if (!history) throw new TypeError("The first worker has not led the boosting.");
  return { ...history, ...joinBoostedTrees(outputs, history.best * rows.outputs) };
}

/** Allocates what a team shares, and makes what the inputs of its workers have in common. */
export function layTeam(
  rows: BoostedRows,
  options: BoostRequest["options"],
  unit: number,
  shape: GrowingShape,
  scope: Scope,
): {
  readonly trees: readonly GrowingTree[];
  readonly input: Omit<BoostInput, "held" | "seed" | "worker">;
} {
  const { rounds, patience, rowsPerTree, columnsPerTree, columnsPerSplit } = options;
  const { workers } = shape;
  const { scratch } = scope.take({ scratch: bytes(workers * BOOSTED_WORKER_BYTES) }, rows.memory);
  const trees = Array.from({ length: shape.trees }, () =>
    GrowingTree.allocate(rows, options, unit, shape, scratch.pointer, scope),
  );
  const input = {
    rows: rows.fields,
    trees: trees.map(({ addresses }) => addresses),
    team: scope.hold(new TeamWords(rows.memory)).pointer,
    ...{ workers, unit, rounds, patience, rowsPerTree, columnsPerTree, columnsPerSplit },
  };
  return { trees, input };
}

/** Reports the finished fraction of the rounds. */
export function reportRounds(
  { progress }: Pick<Run, "progress">,
  fraction: number,
  rounds: number,
  note: string | undefined,
): void {
  progress({ stage: "boosting", done: Math.round(fraction * rounds), total: rounds, note });
}

/** Bytes of gradients and lists for each row of a growing tree. */
const BYTES_PER_ROW = 16;

/** Limit on these bytes, of all trees that grow at the same time. */
const MOST_ROW_BYTES = 2 ** 30;

/** Counts the trees that can grow on rows at the same time. */
export function treesThatFit(rows: number): number {
  return Math.max(1, Math.floor(MOST_ROW_BYTES / (BYTES_PER_ROW * rows)));
}

/** Returns the units of a gradient of 1: a power of two, so that a row of weight 2 is exactly two rows. */
export function unitFor(rows: number, heaviest: number): number {
  const bits = Math.min(GRADIENT_BITS, EXACT_BITS - Math.ceil(real.log2(rows)));
  return 2 ** (bits - Math.ceil(real.log2(heaviest)));
}

/** Milliseconds on one thread. */
function estimatedTime({ training: { features }, base, options }: BoostRequest): number {
  const { rounds, maxDepth } = options;
  const { rows, columns } = features;
  const trees = rounds * base.length;
  const rowCells = rows * columns * Math.min(maxDepth, 8);
  const nodeCells = Math.min(2 ** maxDepth, rows) * columns * CELLS_PER_HISTOGRAM;
  return (trees * (rowCells + nodeCells)) / CELLS_PER_MILLISECOND;
}

interface BoostOutput extends WorkerTrees {
  /** From the leader only. */
  readonly history: LossHistory | undefined;
}

/** Does the part of one of the workers that boost together. */
export const boostTask = defineTask(
  "boosted-trees/boost",
  async (input: BoostInput, context: TaskContext): Promise<BoostOutput> => {
    const booster = new Booster(input, context);
    const history = input.worker === 0 ? await booster.lead() : undefined;
    if (!history) await booster.serve();
    return { ...booster.grown(), history };
  },
);

/** Joins the first trees of all workers, in their order, with the gains of their splits. */
export function joinBoostedTrees(
  workers: readonly WorkerTrees[],
  count: number,
): { readonly trees: TreeSet; readonly gains: Float32Array } {
  const all = workers.flatMap(({ indices, arrays, gains }) =>
    arrays ? indices.map((index, t) => ({ index, trees: new TreeSet(arrays), gains: gains[t], t })) : [],
  );
  all.sort((a, b) => a.index - b.index);
  const kept = all.slice(0, count);
  const trees = TreeSet.concat(kept.map(({ trees, t }) => trees.slice(t, t + 1)));
  const gains = new Float32Array(trees.splits);
  let at = 0;
  for (const { gains: own } of kept) {
    gains.set(own, at);
    at += own.length;
  }
  return { trees, gains };
}
