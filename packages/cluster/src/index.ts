/**
 * Run the work of vouch on many machines, by BullMQ and Redis: an executor that sends portable tasks to workers, and the worker.
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

// Workers

export { type MetricsServer, serveMetrics } from "./metrics.js";
export {
  startWorker,
  type TaskWorker,
  type WorkerEvent,
  type WorkerSettings,
  type WorkerTotals,
} from "./task-worker.js";

// Tasks that run together

export { RedisExchange } from "./exchange.js";

// Also here

export type { Exchange } from "vouch/machines";
