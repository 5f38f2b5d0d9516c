import { breathe } from "./runtime/event-loop.js";
import type { TaskContext } from "./runtime/executor.js";
import { type Reply, type Request, sendError } from "./runtime/platform.js";
import { type AnyTask, findTask } from "./runtime/task.js";
import "./learners/index.js";
import { isLearnerName, learnerNamed } from "./learners/registry.js";
import { interrupted, VouchError } from "./runtime/vouch-error.js";

/**
 * The script of every thread, in Node and in browsers: finds the tasks that it is told to run, runs one at a
 * time and posts what becomes of it. It must not import the pool: bundlers refuse a worker that starts itself.
 */

/** Progress messages of a task are at least this many milliseconds apart. */
const PROGRESS_INTERVAL = 20;

const parentPort = globalThis.process?.getBuiltinModule?.("node:worker_threads").parentPort;
if (parentPort) parentPort.on("message", receive);
else serveWebWorker();

function serveWebWorker(): void {
  self.addEventListener("message", (event) => receive(event.data));
  // Browsers tell nobody that a worker has closed itself: its map would wait for ever.
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
      break;
    case "run":
      void run(request);
      break;
    case "cancel":
      running.abort();
  }
}

async function run({ id, module, modules, input }: Extract<Request, { kind: "run" }>): Promise<void> {
  running = new AbortController();
  try {
    for (const each of modules) await import(/* webpackIgnore: true */ /* @vite-ignore */ each);
    const task = await loadTask(id, module);
    post({ kind: "done", output: await task.run(input, contextOf(running.signal)) });
  } catch (thrown) {
    post({ kind: "failed", error: sendError(thrown) });
  }
}

function contextOf(signal: AbortSignal): TaskContext {
  let lastReport = Number.NEGATIVE_INFINITY;
  return {
    checkpoint() {
      // Without a flag the order to cancel is a message, for which the event loop must run.
      if (!cancelFlag) return breathe(signal);
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

/** Where the tasks of areas that are not learners are defined. */
const areas: Readonly<Record<string, () => Promise<unknown>>> = {
  runtime: () => import("./runtime/gram.js"),
  kernel: () => import("./learners/kernel/kernel-matrix.js"),
  cascade: () =>
    Promise.all([
      import("./learners/cascade/deep-cascade.js"),
      import("./learners/cascade/kernel-cascades.js"),
    ]),
  multiclass: () => import("./learners/multiclass/multiclass.js"),
  evaluate: () =>
    Promise.all([import("./evaluate/trial.js"), import("./evaluate/permutation-importance.js")]),
};

/** Finds a task, loading what defines it: the learner that its id begins with, an area, or the module of a custom task. */
async function loadTask(id: string, module: string | undefined): Promise<AnyTask> {
  const known = findTask(id);
  if (known) return known;
  const [area] = id.split("/");
  if (module !== undefined) await import(/* webpackIgnore: true */ /* @vite-ignore */ module);
  else if (isLearnerName(area)) await learnerNamed(area);
  else if (Object.hasOwn(areas, area)) await areas[area]();
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
