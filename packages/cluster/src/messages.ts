import { isErrorCode, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { BlobRef } from "./codec.js";
import type { TaskTimes } from "./task-times.js";
import type { SentMessage } from "./uploads.js";

/** One task, as it is in the queue. */
export interface TaskJob {
  readonly version: string;
  readonly run: string;
  /** The number of the `map` in its run, and that of the input in its `map`. */
  readonly map: number;
  readonly index: number;
  readonly task: string;
  readonly input: SentMessage;
  /** The id of a worker that does not run the task: it has done so already, and another one checks the result. */
  readonly avoid?: string;
}

/** What a worker tells a run about one of its tasks. */
export type TaskEvent =
  | (TaskPlace & {
      readonly kind: "done";
      /** The id of the worker. */
      readonly by: string;
      readonly output: SentMessage;
      readonly costs: TaskCosts;
    })
  | (TaskPlace & { readonly kind: "failed"; readonly error: SentFailure })
  | (TaskPlace & { readonly kind: "progress"; readonly fraction: number; readonly note: string | undefined });

interface TaskPlace {
  readonly map: number;
  readonly index: number;
  /** The worker, in words. */
  readonly worker: string;
}

/** What a task cost its worker. */
export interface TaskCosts {
  /** Seconds of the task itself. */
  readonly seconds: number;
  /** Milliseconds of fetching its input and storing its output, and the bytes of both. */
  readonly transfer: number;
  readonly fetched: number;
  readonly sent: number;
  readonly times: TaskTimes;
}

/** An error as it is sent. */
interface SentFailure {
  readonly code: string | undefined;
  readonly message: string;
  readonly hint: string | undefined;
}

/** A run, or one of its maps, that workers are to stop. */
export interface Cancellation {
  readonly run: string;
  readonly map?: number;
}

/** A worker, as runs see it. */
export interface WorkerFacts {
  readonly id: string;
  /** Host and process. */
  readonly name: string;
  readonly version: string;
  readonly threads: number;
}

const HASH = /^[0-9a-f]{64}$/;
const RUN = /^[0-9a-f]{32}$/;

/** Writes a message as JSON text. */
function messageText(message: SentMessage): object {
  return "blob" in message ? message : { base64: Buffer.from(message.bytes).toString("base64") };
}

function messageFrom(value: unknown): SentMessage | undefined {
  if (!isRecord(value)) return undefined;
  if (typeof value.base64 === "string")
    return { bytes: Uint8Array.from(Buffer.from(value.base64, "base64")) };
  const blob = refFrom(value.blob);
  return blob && { blob };
}

function refFrom(value: unknown): BlobRef | undefined {
  if (!isRecord(value)) return undefined;
  const { hash, bytes } = value;
  return typeof hash === "string" && HASH.test(hash) && isCount(bytes) ? { hash, bytes } : undefined;
}

/** Writes a job as plain data for the queue. */
export function jobData({ input, ...rest }: TaskJob): object {
  return { ...rest, input: messageText(input) };
}

/** Reads a job of the queue; undefined unless it is one that `jobData` writes. */
export function jobFrom(data: unknown): TaskJob | undefined {
  if (!isRecord(data)) return undefined;
  const { version, run, map, index, task, avoid } = data;
  const input = messageFrom(data.input);
  if (typeof version !== "string" || typeof run !== "string" || !RUN.test(run) || typeof task !== "string") {
    return undefined;
  }
  if (!isCount(map) || !isCount(index) || !input) return undefined;
  return { version, run, map, index, task, input, ...(typeof avoid === "string" && { avoid }) };
}

/** Writes an event as text. */
export function eventText(event: TaskEvent): string {
  return JSON.stringify(event.kind === "done" ? { ...event, output: messageText(event.output) } : event);
}

/** Reads an event; undefined unless it is one that `eventText` writes. */
export function eventFrom(text: string): TaskEvent | undefined {
  const data = parsed(text);
  if (!isRecord(data)) return undefined;
  const { kind, map, index } = data;
  if (!isCount(map) || !isCount(index)) return undefined;
  const place = { map, index, worker: String(data.worker) };
  if (kind === "failed" && isRecord(data.error)) {
    const { code, message, hint } = data.error;
    return {
      ...place,
      kind,
      error: { code: textOrNone(code), message: String(message), hint: textOrNone(hint) },
    };
  }
  if (kind === "progress") {
    return { ...place, kind, fraction: finite(data.fraction), note: textOrNone(data.note) };
  }
  const output = messageFrom(data.output);
  if (kind !== "done" || !output || !isRecord(data.costs)) return undefined;
  const { seconds, transfer, fetched, sent } = data.costs;
  return {
    ...place,
    kind,
    by: String(data.by),
    output,
    costs: {
      seconds: finite(seconds),
      transfer: finite(transfer),
      fetched: finite(fetched),
      sent: finite(sent),
      times: timesFrom(data.costs.times),
    },
  };
}

function timesFrom(value: unknown): TaskTimes {
  const { taken, began, ended, stored } = isRecord(value) ? value : {};
  return { taken: finite(taken), began: finite(began), ended: finite(ended), stored: finite(stored) };
}

/** Packs a thrown value. */
export function packFailure(thrown: unknown): SentFailure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { code, hint } = error instanceof VouchError ? error : {};
  return { code, message: error.message, hint };
}

/** Unpacks an error: a `VouchError` if it was one, otherwise an `Error`. */
export function unpackFailure({ code, message, hint }: SentFailure): Error {
  return code !== undefined && isErrorCode(code)
    ? new VouchError(code, message, hint === undefined ? {} : { hint })
    : new Error(message);
}

/** Reads a cancellation. */
export function cancellationFrom(text: string): Cancellation | undefined {
  const data = parsed(text);
  if (!isRecord(data) || typeof data.run !== "string") return undefined;
  return { run: data.run, ...(isCount(data.map) && { map: data.map }) };
}

/** Reads the facts about a worker. */
export function workerFrom(text: string): WorkerFacts | undefined {
  const data = parsed(text);
  if (!isRecord(data)) return undefined;
  const { id, name, version, threads } = data;
  if (typeof id !== "string" || typeof name !== "string" || typeof version !== "string") return undefined;
  return isCount(threads) && threads > 0 && threads <= 1024 ? { id, name, version, threads } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function finite(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
