import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import type { ShardGroup } from "../../runtime/shards/shard-group.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { SMALLEST_WEIGHT } from "../row-weights.js";
import { checkTotalWeight } from "./initial-margins.js";

/** Checks the rows of all shards as those of one machine; returns the rows of each class on each shard. */
export async function checkShards(
  { labels, classes, features, weights }: Sample<BinnedColumns>,
  group: ShardGroup,
): Promise<Float64Array[]> {
  const unlabelled = labels.indexOf(-1);
  if (unlabelled >= 0) {
    throw new VouchError(
      "data/missing-target",
      `Row ${unlabelled + 1} of shard ${group.shard + 1} has no class to train boosted-trees on.`,
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
    throw new VouchError("data/malformed", `Shard ${other + 1} has other classes or features than shard 1.`, {
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
  const present = classes.filter((_, k) => counts.some((ofShard) => ofShard[k] > 0));
  if (present.length > 1) return counts;
  throw new VouchError(
    "data/one-class",
    `All rows to train boosted-trees on have the class "${present[0]}".`,
    {
      hint: "A classifier needs rows of at least two classes.",
    },
  );
}

/** Adds numbers up. */
export function sumOf(numbers: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i];
  return sum;
}

/**
 * Computes the weights of the rows of a shard as one machine computes those of all rows, with the same roundings: sums go from shard to shard in the
 * order of the rows. Undefined if all rows have weight 1.
 *
 * @param counts rows of each class on each shard
 */
export async function shardWeights(
  sample: Sample<BinnedColumns>,
  classWeights: "none" | "balanced",
  counts: readonly Float64Array[],
  group: ShardGroup,
): Promise<Float64Array | undefined> {
  const { weights, labels } = sample;
  const rows = sumOf(counts.map(sumOf));
  const [isWeighted, total] = await group.fold(new Float64Array(2), (numbers) => {
    if (weights) numbers[0] = 1;
    for (const weight of weights ?? []) numbers[1] += weight;
  });
  if (isWeighted === 0 && classWeights === "none") return undefined;
  const whole = isWeighted > 0 ? total : rows;
  checkTotalWeight(whole);
  const relative = await relativeWeights(sample, classWeights, counts, group);
  return Float64Array.from(labels, (_, i) => ((relative ? relative[i] : 1) * whole) / rows);
}

/** Computes weights that are 1 on average over all shards. Undefined if all rows have the same weight. */
async function relativeWeights(
  { weights, labels, classes }: Sample<BinnedColumns>,
  classWeights: "none" | "balanced",
  counts: readonly Float64Array[],
  group: ShardGroup,
): Promise<Float64Array | undefined> {
  const rows = sumOf(counts.map(sumOf));
  const [isWeighted, largest] = await group.fold(new Float64Array(2), (numbers) => {
    if (weights) numbers[0] = 1;
    for (const weight of weights ?? []) numbers[1] = Math.max(numbers[1], weight);
  });
  if (isWeighted === 0 && classWeights === "none") return undefined;
  const scaled = weights?.map((weight) => weight / largest);
  const [scaledTotal] = await group.fold(new Float64Array(1), (numbers) => {
    for (const weight of scaled ?? []) numbers[0] += weight;
  });
  const relative = Float64Array.from(labels, (_, i) =>
    Math.max(SMALLEST_WEIGHT, (scaled ? scaled[i] / scaledTotal : 1 / rows) * rows),
  );
  if (classWeights === "balanced") {
    const ofClass = await group.fold(new Float64Array(classes.length), (sums) => {
      for (let i = 0; i < labels.length; i++) sums[labels[i]] += relative[i];
    });
    const present = ofClass.filter((weight) => weight > 0).length;
    for (let i = 0; i < labels.length; i++) relative[i] *= rows / (present * ofClass[labels[i]]);
  }
  // The first weight, whether there is one, and whether another differs from it.
  const [, , differs] = await group.fold(new Float64Array(3), (numbers) => {
    for (const weight of relative) {
      if (numbers[1] === 0) numbers.set([weight, 1]);
      else if (weight !== numbers[0]) numbers[2] = 1;
    }
  });
  return differs === 0 ? undefined : relative;
}
