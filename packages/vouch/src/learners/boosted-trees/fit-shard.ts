import type * as z from "zod";
import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { completeRun, type Run } from "../../runtime/run.js";
import type { ShardGroup } from "../../runtime/shard-group.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { stratifiedTestRows } from "../../table/shard-splits.js";
import { coreOf } from "../model-state.js";
import { parseOptions } from "../options.js";
import { boostShard } from "./boost-shard.js";
import type { LabelledBins, WholeWeights } from "./boosted-rows.js";
import { type BoostedTreesModel, boostedParts, boostedTrees, selectBins } from "./boosted-trees.js";
import { addShares, marginsFrom } from "./initial-margins.js";
import { shardWeights } from "./shard-weights.js";

/**
 * Fits boosted trees to rows that are divided among shards, in the order of the shards. Every shard calls this with its own rows, encoded with the same
 * encoder, and gets the same model: bit for bit that of `boostedTrees` on all rows with the same options and seed. A shard may have no rows.
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

function withoutZeroWeights(sample: Sample<BinnedColumns>): Sample<BinnedColumns> {
  const { weights } = sample;
  if (!weights?.includes(0)) return sample;
  return sample.select(Array.from(weights.keys()).filter((row) => weights[row] > 0));
}

/** Checks the rows of all shards as those of one machine; returns the rows of each class on each shard. */
async function checkShards(
  { labels, classes, features, weights }: Sample<BinnedColumns>,
  group: ShardGroup,
): Promise<Float64Array[]> {
  const unlabelled = labels.indexOf(-1);
  if (unlabelled >= 0) {
    throw new VouchError(
      "data/missing-target",
      `Row ${unlabelled + 1} of shard ${group.shard} has no class to train boosted-trees on.`,
    );
  }
  const own = new Float64Array(classes.length + 2);
  for (const label of labels) own[label]++;
  own[classes.length] = features.columns;
  own[classes.length + 1] = weights ? 1 : 0;
  const shapes = await group.gather(
    new TextEncoder().encode(
      JSON.stringify({ classes, features: features.features.map(({ name }) => name) }),
    ),
  );
  const isOther = (bytes: Uint8Array) =>
    bytes.length !== shapes[0].length || bytes.some((byte, i) => byte !== shapes[0][i]);
  const other = shapes.findIndex(isOther);
  if (other >= 0) {
    throw new VouchError("data/malformed", `Shard ${other} has other classes or features than shard 0.`, {
      hint: "Encode all shards with the same encoder.",
    });
  }
  const all = await group.gatherNumbers(own);
  const counts = all.map((numbers) => numbers.subarray(0, classes.length));
  const filled = all.filter((_, shard) => sumOf(counts[shard]) > 0);
  if (filled.length === 0)
    throw new VouchError("data/no-rows", "There are no rows to train boosted-trees on.");
  if (filled.some((numbers) => numbers[classes.length + 1] !== filled[0][classes.length + 1])) {
    throw new VouchError(
      "data/malformed",
      "Rows of some shards have weights, and those of others have none.",
    );
  }
  const present = classes.filter((_, k) => counts.some((own) => own[k] > 0));
  if (present.length > 1) return counts;
  throw new VouchError(
    "data/one-class",
    `All rows to train boosted-trees on have the class "${present[0]}".`,
    {
      hint: "A classifier needs rows of at least two classes.",
    },
  );
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

function sumOf(numbers: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i];
  return sum;
}
