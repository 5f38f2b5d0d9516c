import { limitMemory } from "./runtime/memory-limit.js";
import { yieldToEventLoop } from "./runtime/parallel/event-loop.js";
import type { TaskContext } from "./runtime/parallel/executor.js";
import { type AnyTask, findTask } from "./runtime/parallel/task.js";
import { unpackInput } from "./runtime/parallel/task-message.js";
import { packError, type Reply, type Request } from "./runtime/platform.js";
import { interrupted, VouchError } from "./runtime/vouch-error.js";
import { taskModules } from "./task-modules.js";

/**
 * The script of every thread, in Node and in browsers: runs one task at a time and posts its result. It must not import the pool,
 * because bundlers reject a worker that starts itself.
 */

/** Minimum time between progress messages of a task, in milliseconds. */
const PROGRESS_INTERVAL = 20;

const parentPort = globalThis.process?.getBuiltinModule?.("node:worker_threads").parentPort;
if (parentPort) parentPort.on("message", receive);
else serveWebWorker();

function serveWebWorker(): void {
  self.addEventListener("message", (event) => receive(event.data));
  // Browsers do not report that a worker has closed itself, so its map would wait forever.
  self.close = () => {
    throw new Error("a task must not close its thread");
  };
}

function post(reply: Reply): void {
  if (parentPort) parentPort.postMessage(reply);
  else self.postMessage(reply);
}

let cancelFlag: Int32Array | undefined;
let running = new AbortController();

function receive(request: Request): void {
  switch (request.kind) {
    case "start":
      cancelFlag = request.cancelFlag;
      limitMemory(request.memoryLimit);
      post({ kind: "ready" });
      break;
    case "run":
      void run(request);
      break;
    case "load":
      // A module that cannot be loaded fails with the task that needs it.
      for (const id of request.tasks) loadTask(id, undefined).catch(() => {});
      break;
    case "cancel":
      running.abort();
  }
}

async function run({ id, module, modules, ...message }: Extract<Request, { kind: "run" }>): Promise<void> {
  running = new AbortController();
  try {
    for (const each of modules) await import(/* webpackIgnore: true */ /* @vite-ignore */ each);
    const task = await loadTask(id, module);
    post({ kind: "done", output: await task.run(unpackInput(message), contextOf(running.signal)) });
  } catch (thrown) {
    post({ kind: "failed", error: packError(thrown) });
  }
}

function contextOf(signal: AbortSignal): TaskContext {
  let lastReport = Number.NEGATIVE_INFINITY;
  return {
    checkpoint() {
      // Without a flag, a message cancels the task, so the event loop must run.
      if (!cancelFlag) return yieldToEventLoop(signal);
      if (Atomics.load(cancelFlag, 0) === 1) throw interrupted();
      return undefined;
    },
    progress(fraction, note) {
      const now = performance.now();
      if (now - lastReport < PROGRESS_INTERVAL) return;
      lastReport = now;
      post({ kind: "progress", fraction, note });
    },
  };
}

/** Finds a task and loads the module that defines it, from the library or a custom one. */
async function loadTask(id: string, module: string | undefined): Promise<AnyTask> {
  const known = findTask(id);
  if (known) return known;
  if (module !== undefined) await import(/* webpackIgnore: true */ /* @vite-ignore */ module);
  else if (Object.hasOwn(taskModules, id)) await taskModules[id]();
  const loaded = findTask(id);
  if (loaded) return loaded;
  throw module === undefined
    ? new VouchError("task/failed", `Task "${id}" does not say which module defines it.`, {
        hint: "Pass import.meta.url as the last argument of defineTask.",
      })
    : new VouchError("task/failed", `Module ${module} does not define task "${id}".`, {
        hint: "Call defineTask at the top level of the module whose import.meta.url it is given.",
      });
}
