/**
 * Define your own learners, criteria, executors and tasks: what a learner outside the library, a cluster or an
 * experiment needs.
 *
 * @packageDocumentation
 */

// Learners

export { defineLearner } from "@vouch/core/internal/learners/define-learner";
export type {
  DefinedLearner,
  Fitted,
  LearnerDefinition,
} from "@vouch/core/internal/learners/learner-definition";
export type { Complexity } from "@vouch/core/internal/learners/model";
export type { TrainingSample } from "@vouch/core/internal/learners/training-sample";

// Parts of models

export {
  checked,
  converted,
  list,
  object,
  optional,
  type Part,
  type PartsOf,
  variant,
} from "@vouch/core/internal/runtime/codec/parts";
export type { State } from "@vouch/core/internal/runtime/codec/state";
export { float64, int32, matrix, records, shares } from "@vouch/core/internal/runtime/codec/tensor-parts";

// Encoded rows

export { BinnedColumns } from "@vouch/core/internal/encode/binned-columns";
export { type Encoder, type Encoding, labelledSample } from "@vouch/core/internal/encode/encoder";
export { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
export { type Features, Sample } from "@vouch/core/internal/encode/sample";
export { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
export { Random } from "@vouch/core/internal/runtime/maths/random";
export { SparseRows } from "@vouch/core/internal/runtime/maths/sparse-rows";

// Statistics

export { mean, standardDeviation } from "@vouch/core/internal/runtime/maths/statistics";

// Tasks and executors

export { portableTasks } from "@vouch/core/internal/portable-tasks";
export type { Cluster, MapOptions, Task, TaskContext } from "@vouch/core/internal/runtime/parallel/executor";
export { checkpoint, completeRun } from "@vouch/core/internal/runtime/parallel/run";
export { definePortableTask, defineTask } from "@vouch/core/internal/runtime/parallel/task";
export { interrupted } from "@vouch/core/internal/runtime/vouch-error";

// Shards

export { type Exchange, memoryExchange } from "@vouch/core/internal/runtime/shards/exchange";
export { ShardGroup } from "@vouch/core/internal/runtime/shards/shard-group";
export { type ShardTrainingOptions, trainShard } from "@vouch/core/internal/train/train-shard";
