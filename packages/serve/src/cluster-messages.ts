import type { ErrorCode } from "vouch/errors";
import type { Column } from "vouch/predict";
import type { ServeOptions } from "./serve-options.js";
import type { WatchReport } from "./watch/model-watch.js";
import type { FeedbackItem, WatchedVersion } from "./watch-keeper.js";

/** An error on its way to another process. */
export interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What a worker asks the process that started it. */
export type WorkerQuestion =
  | { readonly kind: "feedback"; readonly model: WatchedVersion; readonly items: readonly FeedbackItem[] }
  | { readonly kind: "report"; readonly model: WatchedVersion }
  | { readonly kind: "metrics" };

/** Messages from a worker. */
export type FromWorker =
  | { readonly vouch: "loaded" }
  | { readonly vouch: "listening"; readonly http: string; readonly grpc: string | undefined }
  | { readonly vouch: "failed"; readonly error: SentError }
  | { readonly vouch: "log"; readonly line: string }
  /** The metrics of the worker, as prom-client writes them to JSON. */
  | { readonly vouch: "counted"; readonly id: number; readonly metrics: readonly object[] }
  | { readonly vouch: "ask"; readonly id: number; readonly question: WorkerQuestion }
  | {
      readonly vouch: "observed";
      readonly model: WatchedVersion;
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
      readonly answer?: WatchReport | string | undefined;
      readonly error?: SentError | undefined;
    };

/** Tells whether a message is one of these: other libraries send theirs on the same channel. */
export function isOwnMessage<Message extends FromWorker | ToWorker>(message: unknown): message is Message {
  return typeof message === "object" && message !== null && "vouch" in message;
}
