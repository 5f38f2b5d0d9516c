import type { TaskMessage } from "./parallel/task-message.js";
import { type ErrorCode, VouchError } from "./vouch-error.js";

/** A thread as the platform offers it: `worker_threads` in Node, Web Workers in browsers. */
export interface PlatformThread {
  /** Throws if the message cannot be cloned. */
  post(request: Request): void;
  /** Stops the thread at once; resolves after `onEnd`. */
  terminate(): Promise<void>;
  /** Sets whether this thread keeps the process alive. Threads of a browser end with their page. */
  keepAlive(yes: boolean): void;
}

/** Receives the events of a thread. */
interface ThreadListener {
  onReply(reply: Reply): void;
  /** Called once when the thread has ended. The reason completes the sentence "The thread ended: …". */
  onEnd(reason: string): void;
}

/** Starts a thread on `worker.js`. */
export function startThread(listener: ThreadListener): PlatformThread {
  const node = globalThis.process?.getBuiltinModule?.("node:worker_threads");
  if (node) return startNodeThread(node, listener);
  if (typeof Worker === "function") return startWebThread(listener);
  throw new Error("this platform has no threads");
}

/** Returns the number of hardware threads of this machine. */
export function hardwareThreads(): number {
  const node = globalThis.process?.getBuiltinModule?.("node:os");
  return node?.availableParallelism() ?? globalThis.navigator?.hardwareConcurrency ?? 1;
}

function startNodeThread(
  node: typeof import("node:worker_threads"),
  { onReply, onEnd }: ThreadListener,
): PlatformThread {
  // Bundlers build for browsers and must not follow this URL, only the one in startWebThread.
  const script = new URL(/* @vite-ignore */ /* webpackIgnore: true */ "../worker.js", import.meta.url);
  // Node passes its own flags on to threads, but does not start one with this flag of `node --eval`.
  const evaluating = process.execArgv.some((flag) => flag.startsWith("--input-type"));
  const worker = new node.Worker(script, evaluating ? { execArgv: [] } : {});
  let fault: string | undefined;
  worker.on("message", onReply);
  worker.on("messageerror", (error) => {
    fault = `its answer could not be read (${error.message})`;
    worker.terminate();
  });
  worker.on("error", (error: unknown) => {
    fault = error instanceof Error ? error.message : String(error);
  });
  worker.on("exit", (code) => onEnd(fault ?? `it exited with code ${code}`));
  return {
    post: (request) => worker.postMessage(request),
    terminate: async () => void (await worker.terminate()),
    keepAlive: (yes) => (yes ? worker.ref() : worker.unref()),
  };
}

function startWebThread({ onReply, onEnd }: ThreadListener): PlatformThread {
  const worker = new Worker(new URL("../worker.js", import.meta.url), { type: "module", name: "vouch" });
  let ended = false;
  // Browsers do not report that a worker has ended, so it counts as ended once `terminate` was called.
  const end = (reason: string) => {
    worker.terminate();
    if (ended) return;
    ended = true;
    onEnd(reason);
  };
  worker.onmessage = (event) => onReply(event.data);
  worker.onmessageerror = () => end("its answer could not be read");
  worker.onerror = (event) => end(event.message || "its script could not be loaded");
  return {
    post: (request) => worker.postMessage(request),
    terminate: async () => end("it was terminated"),
    keepAlive: () => {},
  };
}

/** Messages to a thread: `start` once, then one `run` at a time; `load` at any time. */
export type Request =
  | {
      readonly kind: "start";
      /** Set to 1 to cancel the running task; absent where memory cannot be shared. */
      readonly cancelFlag: Int32Array | undefined;
      /** The memory limit of the process, in bytes. */
      readonly memoryLimit: number;
    }
  | ({
      readonly kind: "run";
      readonly id: string;
      readonly module: string | undefined;
      /** Modules to load first: they define custom learners. */
      readonly modules: readonly string[];
    } & TaskMessage)
  /** Loads the modules of tasks of the library before they run. */
  | { readonly kind: "load"; readonly tasks: readonly string[] }
  /** Cancels the running task if there is no flag. */
  | { readonly kind: "cancel" };

/** Messages of a thread: `ready` once it runs; to `run` any number of `progress`, then one of the others. */
export type Reply =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly fraction: number; readonly note: string | undefined }
  | { readonly kind: "done"; readonly output: unknown }
  | { readonly kind: "failed"; readonly error: SentError };

/** An error as a message. Structured cloning alone would drop the code and the hint. */
interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: ErrorCode | undefined;
  readonly hint: string | undefined;
}

/** Packs a thrown value into a message. */
export function packError(thrown: unknown): SentError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack } = error;
  const { code, hint } = error instanceof VouchError ? error : {};
  return { name, message, stack, code, hint };
}

/** Unpacks an error: a `VouchError` if it was one, otherwise an `Error` of the same name. */
export function unpackError({ name, message, stack, code, hint }: SentError): Error {
  const error = code
    ? new VouchError(code, message, { ...(hint && { hint }) })
    : Object.assign(new Error(message), { name });
  error.stack = stack ?? error.stack;
  return error;
}
