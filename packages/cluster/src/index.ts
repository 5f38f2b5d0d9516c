/**
 * Run the work of vouch on many machines, by BullMQ and Redis: an executor that sends portable tasks to workers, and
 * the worker.
 *
 * @packageDocumentation
 */

// Runs

export {
  type ClusterExecutor,
  type ClusterReport,
  type ClusterSettings,
  clusterExecutor,
} from "./cluster-executor.js";

export type { TaskRecord, TaskTimes } from "./task-times.js";

// Workers

export { type MetricsServer, serveMetrics } from "./metrics.js";
export { startWorker, type TaskWorker, type WorkerTotals } from "./task-worker.js";
export type { WorkerEvent, WorkerSettings } from "./worker-settings.js";

// Shards

export { joinShards } from "./sharded/join-shards.js";
export { ShardTransport, type ShardTransportOptions } from "./sharded/shard-transport.js";
