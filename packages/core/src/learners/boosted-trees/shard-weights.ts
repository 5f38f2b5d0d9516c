import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import type { ShardGroup } from "../../runtime/shard-group.js";
import { SMALLEST_WEIGHT } from "../forest/grow-forest.js";
import { relativeShardWeights, sumOf } from "../shard-rows.js";
import { checkTotalWeight } from "./initial-margins.js";

/**
 * Computes the weights of the rows of a shard as one machine computes those of all rows, with the same roundings: sums go from shard to shard in the
 * order of the rows. Undefined if all rows have weight 1.
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
  const relative = await relativeShardWeights(sample, classWeights, counts, SMALLEST_WEIGHT, group);
  return Float64Array.from(labels, (_, i) => ((relative ? relative[i] : 1) * whole) / rows);
}
