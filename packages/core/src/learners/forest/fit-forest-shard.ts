import type * as z from "zod";
import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { completeRun, type Run } from "../../runtime/run.js";
import type { ShardGroup } from "../../runtime/shard-group.js";
import { coreOf } from "../model-state.js";
import { parseOptions } from "../options.js";
import { fitOnShards } from "./fit-on-shards.js";
import { bestGrowth, type ForestModel, forest, randomGrowth, randomTrees } from "./forest.js";

/**
 * Fits a random forest to rows that several shards hold, in the order of the shards. Every shard calls this with its own rows, encoded with the same
 * encoder, and gets the same model: bit for bit that of `forest` on all rows with the same options and seed. A shard may have no rows. Only
 * `outOfBagScores` are absent, since no shard has them all.
 */
export async function fitForestShard(
  sample: Sample<BinnedColumns>,
  given: z.input<typeof forest.options>,
  group: ShardGroup,
  run: Partial<Run> = {},
): Promise<ForestModel> {
  const options = parseOptions("forest", forest.options, given);
  const growth = bestGrowth(options, sample.features.columns);
  const shard = await fitOnShards("forest", sample, options, growth, group, completeRun(run));
  return forest.assemble({ ...coreOf(shard.sample), ...shard.fit });
}

/** Fits completely random trees to rows that several shards hold, as `fitForestShard` fits a random forest. */
export async function fitRandomTreesShard(
  sample: Sample<BinnedColumns>,
  given: z.input<typeof randomTrees.options>,
  group: ShardGroup,
  run: Partial<Run> = {},
): Promise<ForestModel> {
  const options = parseOptions("random-trees", randomTrees.options, given);
  const growth = randomGrowth(options);
  const shard = await fitOnShards("random-trees", sample, options, growth, group, completeRun(run));
  return randomTrees.assemble({ ...coreOf(shard.sample), ...shard.fit });
}
