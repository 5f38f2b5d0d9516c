/**
 * Run the work of vouch on many machines, by BullMQ and Redis: an executor that sends portable tasks to workers, and the worker.
 *
 * @packageDocumentation
 */

export type { Exchange } from "vouch/machines";
export { RedisExchange } from "./exchange.js";
