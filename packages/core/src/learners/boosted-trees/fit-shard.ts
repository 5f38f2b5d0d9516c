import type * as z from "zod";
import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { completeRun, type Run } from "../../runtime/parallel/run.js";
import type { ShardGroup } from "../../runtime/shards/shard-group.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { stratifiedTestRows } from "../../table/shard-splits.js";
import { coreOf } from "../model-state.js";
import { parseOptions } from "../options.js";
import { withoutZeroWeights } from "../training-sample.js";
import { boostShard } from "./boost-shard.js";
import type { LabelledBins, WholeWeights } from "./boosted-rows.js";
import { type BoostedTreesModel, boostedParts, boostedTrees, selectBins } from "./boosted-trees.js";
import { addShares, marginsFrom } from "./initial-margins.js";
import { checkShards, shardWeights, sumOf } from "./shard-rows.js";

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
