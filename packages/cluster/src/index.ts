/**
 * Run the work of vouch on many machines, by BullMQ and Redis: an executor that sends portable tasks to workers, and the worker.
 *
 * @packageDocumentation
 */

export type { Exchange } from "vouch/machines";
export {
  type ClusterExecutor,
  type ClusterReport,
  type ClusterSettings,
  clusterExecutor,
} from "./cluster-executor.js";
export { RedisExchange } from "./exchange.js";
export {
  startWorker,
  type TaskWorker,
  type WorkerEvent,
  type WorkerSettings,
  type WorkerTotals,
} from "./task-worker.js";
