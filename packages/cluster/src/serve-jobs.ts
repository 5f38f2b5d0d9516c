import { parentPort } from "node:worker_threads";
import { limitMemory, yieldToEventLoop } from "vouch/errors";
import {
  type AnyTask,
  type Exchange,
  type Executor,
  findTask,
  interrupted,
  type TaskContext,
  type TaskLoader,
  threadExecutor,
  throwIfAborted,
  VouchError,
} from "vouch/machines";
import type { FromJob, ToJob } from "./job-messages.js";

/** Milliseconds between two reports of progress. */
const PROGRESS_INTERVAL = 200;

/**
 * Makes this thread run the tasks that a worker gets, one at a time: those of the list and no others. Tasks that have the machine to
 * themselves start threads of their own.
 */
export function serveJobs(tasks: Readonly<Record<string, TaskLoader>>): void {
  const port = parentPort;
  if (!port) throw new TypeError("Jobs run on threads.");
  const post = (message: FromJob) => port.postMessage(message);
  const calls = new ExchangeCalls(post);
  let running = new AbortController();
  let pool: Executor | undefined;

  async function run(request: Extract<ToJob, { kind: "run" }>): Promise<void> {
    running = new AbortController();
    const { signal } = running;
    try {
      limitMemory(request.memoryLimit);
      const task = await loadTask(tasks, request.task);
      if (request.threads > 1 && pool?.threads !== request.threads) {
        await pool?.close();
        pool = threadExecutor({ threads: request.threads });
      }
      const context = contextOf(post, signal, {
        ...(request.threads > 1 && pool && { executor: pool }),
        ...(request.exchange && { exchange: calls }),
      });
      const output = await task.run(request.input, context);
      throwIfAborted(signal);
      post({ kind: "done", output });
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const { code, hint } = error instanceof VouchError ? error : {};
      post({ kind: "failed", code, message: error.message, hint });
    }
  }

  port.on("message", (message: ToJob) => {
    if (message.kind === "run") void run(message);
    else if (message.kind === "cancel") {
      running.abort();
      calls.stop();
    } else calls.answer(message);
  });
}

function contextOf(
  post: (message: FromJob) => void,
  signal: AbortSignal,
  services: Pick<TaskContext, "executor" | "exchange">,
): TaskContext {
  let lastReport = Number.NEGATIVE_INFINITY;
  return {
    ...services,
    signal,
    checkpoint: () => yieldToEventLoop(signal),
    progress(fraction, note) {
      const now = performance.now();
      if (now - lastReport < PROGRESS_INTERVAL) return;
      lastReport = now;
      post({ kind: "progress", fraction, note });
    },
  };
}

async function loadTask(tasks: Readonly<Record<string, TaskLoader>>, id: string): Promise<AnyTask> {
  if (!Object.hasOwn(tasks, id))
    throw new VouchError("cluster/malformed", `There is no portable task "${id}".`);
  await tasks[id]();
  const task = findTask(id);
  if (!task?.portable) throw new VouchError("cluster/malformed", `Task "${id}" is not portable.`);
  return task;
}

/** The exchange of a gang, whose calls the main thread of the worker carries out. */
class ExchangeCalls implements Exchange {
  readonly #post: (message: FromJob) => void;
  readonly #open = new Map<number, { resolve(bytes: Uint8Array): void; reject(error: Error): void }>();
  #next = 0;

  constructor(post: (message: FromJob) => void) {
    this.#post = post;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#call((call) => ({ kind: "put", call, key, bytes }));
  }

  get(key: string, signal?: AbortSignal): Promise<Uint8Array> {
    if (signal?.aborted) return Promise.reject(interrupted());
    return this.#call((call) => ({ kind: "get", call, key }));
  }

  answer({ call, bytes, error }: Extract<ToJob, { kind: "exchanged" }>): void {
    const open = this.#open.get(call);
    this.#open.delete(call);
    if (error === undefined) open?.resolve(bytes ?? new Uint8Array(0));
    else open?.reject(new VouchError("cluster/timeout", error));
  }

  stop(): void {
    for (const { reject } of this.#open.values()) reject(interrupted());
    this.#open.clear();
  }

  #call(message: (call: number) => FromJob): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const call = this.#next++;
      this.#open.set(call, { resolve, reject });
      this.#post(message(call));
    });
  }
}
