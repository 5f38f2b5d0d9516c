/**
 * Train on rows that are divided among several processes or machines: for packages that run shards. It loads boosted trees.
 *
 * @packageDocumentation
 */
// Shards

export { type Exchange, memoryExchange } from "./runtime/exchange.js";
export { type GroupTraffic, ShardGroup } from "./runtime/shard-group.js";

// Boosted trees

export { fitBoostedShard } from "./learners/boosted-trees/fit-shard.js";
export { type ShardTrainingOptions, trainShard } from "./train/train-shard.js";

// Also here

export { BinnedColumns, type BinnedFeature, MISSING_BIN } from "./encode/binned-columns.js";
export { Sample } from "./encode/sample.js";
export { type ThreadExecutor, threadExecutor } from "./runtime/threads.js";
export { interrupted, VouchError } from "./runtime/vouch-error.js";
