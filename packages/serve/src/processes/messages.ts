import { type ErrorCode, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Column } from "@vouch/core/internal/table/column";
import type { MonitorReport } from "../monitors/model-monitor.js";
import type { FeedbackItem, ModelKey } from "../monitors/monitors.js";
import type { ServeOptions } from "../serve-options.js";
import { ServiceError } from "../service-error.js";

/** An error on its way to another process: a library error by its code, or an answer to the client by its status. */
export interface SentError {
  readonly kind: ErrorCode | number;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly headers?: ServiceError["headers"];
}

export function sentError(error: unknown): SentError {
  if (error instanceof ServiceError) {
    return { kind: error.status, message: error.message, hint: error.hint, headers: error.headers };
  }
  if (error instanceof VouchError) return { kind: error.code, message: error.message, hint: error.hint };
  return { kind: "task/failed", message: error instanceof Error ? error.message : String(error) };
}

export function receivedError({ kind, message, hint, headers = {} }: SentError): ServiceError | VouchError {
  const words = hint === undefined ? {} : { hint };
  return typeof kind === "number"
    ? new ServiceError(kind, message, { ...words, headers })
    : new VouchError(kind, message, words);
}

/** A request from a worker to its parent process. */
export type WorkerQuestion =
  | { readonly kind: "feedback"; readonly model: ModelKey; readonly items: readonly FeedbackItem[] }
  | { readonly kind: "report"; readonly model: ModelKey }
  | { readonly kind: "metrics" };

/** Messages from a worker. */
export type FromWorker =
  | { readonly vouch: "loaded" }
  | { readonly vouch: "listening"; readonly http: string; readonly grpc: string | undefined }
  | { readonly vouch: "failed"; readonly error: SentError }
  | { readonly vouch: "log"; readonly line: string }
  /** Metrics of the worker, as JSON from prom-client. */
  | { readonly vouch: "counted"; readonly id: number; readonly metrics: readonly object[] }
  | { readonly vouch: "ask"; readonly id: number; readonly question: WorkerQuestion }
  | {
      readonly vouch: "observed";
      readonly model: ModelKey;
      readonly rows: number;
      readonly columns: readonly Column[];
    };

/** Messages to a worker. */
export type ToWorker =
  | { readonly vouch: "start"; readonly options: ServeOptions }
  | { readonly vouch: "close" }
  | { readonly vouch: "count"; readonly id: number }
  | {
      readonly vouch: "answer";
      readonly id: number;
      readonly answer?: MonitorReport | string | undefined;
      readonly error?: SentError | undefined;
    };

/** Checks whether a message is ours; other libraries use the same channel. */
export function isOwnMessage<Message extends FromWorker | ToWorker>(message: unknown): message is Message {
  return typeof message === "object" && message !== null && "vouch" in message;
}
