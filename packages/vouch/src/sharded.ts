/**
 * Train on shards of the rows, in several processes or on several machines: for packages that run shards. It loads the learners that can be trained on shards.
 *
 * @packageDocumentation
 */
// Shards

export { type Exchange, memoryExchange } from "./runtime/exchange.js";
export { type GroupTraffic, ShardGroup } from "./runtime/shard-group.js";

// Training

export { fitBoostedShard } from "./learners/boosted-trees/fit-shard.js";
export { fitForestShard, fitRandomTreesShard } from "./learners/forest/fit-forest-shard.js";
export { agreeOnRequest } from "./train/request/shard-request.js";
export { type ShardTrained, trainFromShard } from "./train/train-rows-on-shard.js";
export { type ShardTrainingOptions, trainShard } from "./train/train-shard.js";

// Also here

export { BinnedColumns, type BinnedFeature, MISSING_BIN } from "./encode/binned-columns.js";
export { Sample } from "./encode/sample.js";
export { boostedTrees } from "./learners/boosted-trees/boosted-trees.js";
export { forest, randomTrees } from "./learners/forest/forest.js";
export { type ThreadExecutor, threadExecutor } from "./runtime/threads.js";
export { interrupted, VouchError } from "./runtime/vouch-error.js";
