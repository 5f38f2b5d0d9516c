import type * as z from "zod";
import { BinnedColumns, type BinnedFeature } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { throwIfAborted, yieldToEventLoop } from "../../runtime/parallel/event-loop.js";
import { completeRun, type Run } from "../../runtime/parallel/run.js";
import type { ShardGroup } from "../../runtime/shards/shard-group.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { Scope } from "../../runtime/wasm/arena.js";
import { stratifiedTestRows } from "../../table/shard-splits.js";
import { coreOf } from "../model-state.js";
import { parseOptions } from "../options.js";
import { withoutZeroWeights } from "../training-sample.js";
import { type ColumnExtent, executorFor, TreeColumns } from "../tree/tree-columns.js";
import {
  type BoostedTrees,
  type BoostRequest,
  boostTask,
  joinBoostedTrees,
  layTeam,
  reportRounds,
  treesThatFit,
  unitFor,
} from "./boost-trees.js";
import { BoostedRows, type LabelledBins, type WholeWeights } from "./boosted-rows.js";
import { type BoostedTreesModel, boostedParts, boostedTrees, selectBins } from "./boosted-trees.js";
import { Booster } from "./boosting-team.js";
import { addShares, marginsFrom } from "./initial-margins.js";
import { ShardLevels } from "./shard-levels.js";
import { checkShards, shardWeights, sumOf } from "./shard-rows.js";
import { mostSent, slotsFor } from "./shard-tree.js";

/**
 * Fits boosted trees to rows that several shards hold, in the order of the shards. Every shard calls this with its own rows,
 * encoded with the same encoder, and gets the same model: bit for bit that of `boostedTrees` on all rows with the same options
 * and seed. A shard may have no rows.
 */
export async function fitBoostedShard(
  sample: Sample<BinnedColumns>,
  given: z.input<typeof boostedTrees.options>,
  group: ShardGroup,
  partialRun: Partial<Run> = {},
): Promise<BoostedTreesModel> {
  const options = parseOptions("boosted-trees", boostedTrees.options, given);
  const run = completeRun(partialRun);
  const kept = withoutZeroWeights(sample);
  const { classes, labels } = kept;
  const counts = await checkShards(kept, group);
  const weights = await shardWeights(kept, options.classWeights, counts, group);
  const split =
    options.patience > 0
      ? stratifiedTestRows(labels, counts, group.shard, options.validation, run.seed)
      : undefined;
  if (split) checkTrainingClasses(split.trainCounts);
  const training = selectBins(kept, weights, split?.train);
  const held = split && selectBins(kept, weights, split.test);
  const rowCounts = split?.trainRows ?? counts.map((own) => sumOf(own));
  const whole = {
    training: await wholeWeights(training, sumOf(rowCounts), group),
    held: held ? await wholeWeights(held, sumOf(split.testRows), group) : { weight: 0, heaviest: 1 },
  };
  const shares = await group.fold(new Float64Array(classes.length), (sums) =>
    addShares(sums, training, whole.training.weight),
  );
  const base = marginsFrom(shares);
  const boosted = await boostShard({ training, held, base, options, rowCounts, whole }, group, run);
  return boostedTrees.assemble({ ...coreOf(kept), ...boostedParts(boosted, base, options) });
}

function checkTrainingClasses(counts: readonly number[]): void {
  if (counts.filter((count) => count > 0).length > 1) return;
  throw new VouchError(
    "data/too-few-rows",
    "There are too few rows for early stopping of boosted-trees: only one class is left to train on.",
    {
      hint: "Use more rows, or patience=0.",
    },
  );
}

/** Finds the sum of the weights of all shards, in the order of the rows, and the largest one. */
async function wholeWeights(
  { weights }: LabelledBins,
  rows: number,
  group: ShardGroup,
): Promise<WholeWeights> {
  const anyWeights = await group.gatherNumbers([weights ? 1 : 0]);
  if (!anyWeights.some(([has]) => has > 0)) return { weight: rows, heaviest: 1 };
  const [weight, heaviest] = await group.fold(new Float64Array(2), (numbers) => {
    for (const each of weights ?? []) {
      numbers[0] += each;
      numbers[1] = Math.max(numbers[1], each);
    }
  });
  return { weight, heaviest };
}

/** A shard of the rows to boost on. */
interface ShardRequest extends BoostRequest {
  /** The numbers of training rows of all shards. */
  readonly rowCounts: readonly number[];
  /** Facts of the training rows and the held-out rows of all shards. */
  readonly whole: { readonly training: WholeWeights; readonly held: WholeWeights };
}

/**
 * Boosts on a shard of the rows, in step with other shards: every shard returns the trees that one machine with all rows would
 * grow. This thread leads the threads of the run, because it talks to the other shards.
 */
async function boostShard(request: ShardRequest, group: ShardGroup, run: Run): Promise<BoostedTrees> {
  const { training, held, base, options, whole, rowCounts } = request;
  using scope = new Scope();
  const place = (bins: LabelledBins, facts: WholeWeights) => {
    const filled = atLeastOne(bins);
    const columns = scope.hold(TreeColumns.of(filled.features));
    return { columns, rows: BoostedRows.allocate(columns, filled, base, scope, facts) };
  };
  const { columns, rows } = place(training, whole.training);
  const heldRows = held && place(held, whole.held).rows;
  columns.extend(await extentsOfAll(columns, training.labels.length, group));
  const executor = executorFor(columns, run);
  const workers = executor.threads;
  const { maxDepth, columnsPerSplit, rounds } = options;
  const allRows = sumOf(rowCounts);
  // As many trees grow at the same time as there are classes, if they fit on every shard.
  const growing = Math.min(rows.outputs, treesThatFit(Math.max(1, ...rowCounts)));
  const slots = slotsFor(columns.columns, maxDepth, allRows, growing);
  const shard = { rows: allRows, slots };
  const shape = { maxDepth, workers, trees: growing, masksPerNode: columnsPerSplit < 1, shard };
  const { trees, input } = layTeam(rows, options, unitFor(allRows, whole.training.heaviest), shape, scope);
  const common = { ...input, held: heldRows?.fields, seed: run.seed, sharded: true };
  const firstRow = sumOf(rowCounts.slice(0, group.shard));
  const sent = mostSent(slots, maxDepth, allRows);
  const bins = columns.extents.map((extent) => extent.bins);
  const levels = new ShardLevels({ group, firstRow, rows: allRows, slots, sent, trees, bins }, scope);
  const stop = new AbortController();
  const signal = run.signal ? AbortSignal.any([run.signal, stop.signal]) : stop.signal;
  const helping = Array.from({ length: workers - 1 }, (_, i) => ({ ...common, worker: i + 1 }));
  const helpers = helping.length > 0 ? executor.map(boostTask, helping, { signal }) : Promise.resolve([]);
  helpers.catch(() => stop.abort());
  const context = {
    checkpoint: () => yieldToEventLoop(signal),
    progress: (fraction: number, note?: string) => reportRounds(run, fraction, rounds, note),
  };
  const leader = new Booster({ ...common, worker: 0 }, context, levels);
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
async function extentsOfAll(columns: TreeColumns, count: number, group: ShardGroup): Promise<ColumnExtent[]> {
  const own = columns.extents.flatMap(({ bins, missing }) => (count > 0 ? [bins, missing ? 1 : 0] : [0, 0]));
  const all = await group.gatherNumbers(own);
  return Array.from({ length: own.length / 2 }, (_, j) => ({
    bins: Math.max(...all.map((extents) => extents[2 * j])),
    missing: all.some((extents) => extents[2 * j + 1] > 0),
  }));
}
