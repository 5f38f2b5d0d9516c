import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import type { ShardGroup } from "../../runtime/shard-group.js";
import { SMALLEST_WEIGHT } from "../forest/grow-forest.js";
import { checkTotalWeight } from "./initial-margins.js";

/**
 * Computes the weights of the rows of a shard as one machine computes those of all rows, with the same roundings: sums go from shard to shard in the
 * order of the rows. Undefined if all rows have weight 1.
 */
export async function shardWeights(
  { weights, labels, classes }: Sample<BinnedColumns>,
  classWeights: "none" | "balanced",
  counts: readonly Float64Array[],
  group: ShardGroup,
): Promise<Float64Array | undefined> {
  const rows = counts.reduce((sum, own) => own.reduce((total, count) => total + count, sum), 0);
  const [isWeighted] = await group.fold(new Float64Array(1), (numbers) => {
    if (weights) numbers[0] = 1;
  });
  if (isWeighted === 0 && classWeights === "none") return undefined;
  const [largest, total] = await group.fold(Float64Array.of(0, 0), (numbers) => {
    for (const weight of weights ?? []) {
      numbers[0] = Math.max(numbers[0], weight);
      numbers[1] += weight;
    }
  });
  const whole = isWeighted > 0 ? total : rows;
  checkTotalWeight(whole);
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
  if (differs === 0) relative.fill(1);
  return relative.map((weight) => (weight * whole) / rows);
}
