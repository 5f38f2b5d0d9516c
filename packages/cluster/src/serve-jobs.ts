import { parentPort } from "node:worker_threads";
import type { TaskLoader } from "@vouch/core/internal/portable-tasks";
import { limitMemory } from "@vouch/core/internal/runtime/memory-limit";
import { throwIfAborted, yieldToEventLoop } from "@vouch/core/internal/runtime/parallel/event-loop";
import type { Executor, TaskContext } from "@vouch/core/internal/runtime/parallel/executor";
import { type AnyTask, findTask } from "@vouch/core/internal/runtime/parallel/task";
import { threadExecutor } from "@vouch/core/internal/runtime/parallel/threads";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { FromJob, ToJob } from "./job-messages.js";

/** Milliseconds between two progress reports. */
const PROGRESS_INTERVAL = 200;

/**
 * Lets this thread run the listed tasks of a worker, one at a time. Tasks with the whole machine start their own
 * threads.
 */
export function serveJobs(tasks: Readonly<Record<string, TaskLoader>>): void {
  const port = parentPort;
  if (!port) throw new TypeError("Jobs run on threads.");
  const post = (message: FromJob) => port.postMessage(message);
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
      const context = contextOf(post, signal, request.threads > 1 ? pool : undefined);
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
    else running.abort();
  });
}

function contextOf(
  post: (message: FromJob) => void,
  signal: AbortSignal,
  executor: Executor | undefined,
): TaskContext {
  let lastReport = Number.NEGATIVE_INFINITY;
  return {
    executor,
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
