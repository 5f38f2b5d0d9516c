import { isErrorCode, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { BlobRef } from "./codec.js";
import type { TaskTimes } from "./task-times.js";
import type { SentMessage } from "./uploads.js";

/** A task in the queue. */
export interface TaskJob {
  readonly version: string;
  readonly run: string;
  /** Number of the `map` in its run, and of the input in its `map`. */
  readonly map: number;
  readonly index: number;
  readonly task: string;
  readonly input: SentMessage;
  /** ID of a worker that must not run the task, because it has already run it and another worker checks the result. */
  readonly avoid?: string;
}

/** Events that a worker reports about a task. */
export type TaskEvent =
  | (TaskPlace & {
      readonly kind: "done";
      /** ID of the worker. */
      readonly by: string;
      readonly output: SentMessage;
      readonly costs: TaskCosts;
    })
  | (TaskPlace & { readonly kind: "failed"; readonly error: SentFailure })
  | (TaskPlace & { readonly kind: "progress"; readonly fraction: number; readonly note: string | undefined });

interface TaskPlace {
  readonly map: number;
  readonly index: number;
  /** Description of the worker. */
  readonly worker: string;
}

/** Costs of a task. */
export interface TaskCosts {
  /** Seconds of computation. */
  readonly seconds: number;
  /** Milliseconds of fetching the input and storing the output, and their sizes in bytes. */
  readonly transfer: number;
  readonly fetched: number;
  readonly sent: number;
  readonly times: TaskTimes;
}

interface SentFailure {
  readonly code: string | undefined;
  readonly message: string;
  readonly hint: string | undefined;
}

/** A run, or one of its maps, that workers must stop. */
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

/** Encodes a message as JSON. */
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

/** Encodes a job as plain data for the queue. */
export function jobData({ input, ...rest }: TaskJob): object {
  return { ...rest, input: messageText(input) };
}

/** Decodes a job; undefined if it is not valid output of `jobData`. */
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

export function eventText(event: TaskEvent): string {
  return JSON.stringify(event.kind === "done" ? { ...event, output: messageText(event.output) } : event);
}

/** Decodes an event; undefined if it is not valid output of `eventText`. */
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

/** Unpacks an error: a `VouchError` or a plain `Error`. */
export function unpackFailure({ code, message, hint }: SentFailure): Error {
  return code !== undefined && isErrorCode(code)
    ? new VouchError(code, message, hint === undefined ? {} : { hint })
    : new Error(message);
}

export function cancellationFrom(text: string): Cancellation | undefined {
  const data = parsed(text);
  if (!isRecord(data) || typeof data.run !== "string") return undefined;
  return { run: data.run, ...(isCount(data.map) && { map: data.map }) };
}

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
