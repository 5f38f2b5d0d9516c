import type { BinnedColumns } from "../encode/binned-columns.js";
import type { Sample } from "../encode/sample.js";
import { boostedTrees } from "../learners/boosted-trees/boosted-trees.js";
import { fitBoostedShard } from "../learners/boosted-trees/fit-shard.js";
import { fitForestShard, fitRandomTreesShard } from "../learners/forest/fit-forest-shard.js";
import { forest, randomTrees } from "../learners/forest/forest.js";
import { checkLearner, type Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import type { Run } from "../runtime/run.js";
import type { ShardGroup } from "../runtime/shard-group.js";
import { VouchError } from "../runtime/vouch-error.js";

type Options = Learner["options"];

/** Fits a learner to the rows of a shard, in step with other shards. */
type ShardFit = (
  sample: Sample<BinnedColumns>,
  options: Options,
  group: ShardGroup,
  run: Run,
) => Promise<Model<BinnedColumns>>;

const FITS: Readonly<Record<string, ShardFit>> = {
  [boostedTrees.name]: (sample, options, group, run) =>
    fitBoostedShard(sample, boostedTrees.options.parse(options), group, run),
  [forest.name]: (sample, options, group, run) =>
    fitForestShard(sample, forest.options.parse(options), group, run),
  [randomTrees.name]: (sample, options, group, run) =>
    fitRandomTreesShard(sample, randomTrees.options.parse(options), group, run),
};

/** Returns how to fit a learner on shards; throws if it cannot be. */
export function shardFitOf(learner: Learner): ShardFit {
  checkLearner(learner);
  if (Object.hasOwn(FITS, learner.name)) return FITS[learner.name];
  throw new VouchError("option/invalid", `${learner.name} cannot be trained on shards.`, {
    hint: `Use ${Object.keys(FITS).join(", ")}.`,
  });
}
