import { type ErrorCode, VouchError } from "./vouch-error.js";

/** A thread as the platform offers it: `worker_threads` in Node, Web Workers in browsers. */
export interface PlatformThread {
  /** Throws when the message cannot be cloned. */
  post(request: Request): void;
  /** Stops the thread wherever it is; resolves after `onEnd`. */
  terminate(): Promise<void>;
  /** Whether the process stays alive for the sake of this thread. Threads of a browser end with their page. */
  keepAlive(yes: boolean): void;
}

/** What the platform tells of a thread. */
interface ThreadListener {
  onReply(reply: Reply): void;
  /** The thread is no more; called once. The reason completes the sentence "The thread ended: …". */
  onEnd(reason: string): void;
}

/** Starts a thread on `worker.js`. */
export function startThread(listener: ThreadListener): PlatformThread {
  const node = globalThis.process?.getBuiltinModule?.("node:worker_threads");
  if (node) return startNodeThread(node, listener);
  if (typeof Worker === "function") return startWebThread(listener);
  throw new Error("this platform has none");
}

/** How many threads this machine runs at the same time. */
export function hardwareThreads(): number {
  const node = globalThis.process?.getBuiltinModule?.("node:os");
  return node?.availableParallelism() ?? globalThis.navigator?.hardwareConcurrency ?? 1;
}

function startNodeThread(
  node: typeof import("node:worker_threads"),
  { onReply, onEnd }: ThreadListener,
): PlatformThread {
  // Bundlers make files for browsers and must not follow this address, as they do with the one below.
  const script = new URL(/* @vite-ignore */ /* webpackIgnore: true */ "../worker.js", import.meta.url);
  // Node hands its own flags on to threads, but refuses to start one with this flag of `node --eval`.
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
  // Browsers do not tell when a worker has ended: it is taken for ended once it was told to.
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

/** What a thread is told. `start` comes first and once; then one `run` at a time. */
export type Request =
  | {
      readonly kind: "start";
      /** Set to 1 to cancel the running task; absent where memory cannot be shared. */
      readonly cancelFlag: Int32Array | undefined;
    }
  | {
      readonly kind: "run";
      readonly id: string;
      readonly module: string | undefined;
      /** Modules to load first: they define custom learners. */
      readonly modules: readonly string[];
      readonly input: unknown;
    }
  /** Cancels the running task where there is no flag. */
  | { readonly kind: "cancel" };

/** What a thread answers to `run`: any number of `progress`, then one of the others. */
export type Reply =
  | { readonly kind: "progress"; readonly fraction: number; readonly note: string | undefined }
  | { readonly kind: "done"; readonly output: unknown }
  | { readonly kind: "failed"; readonly error: SentError };

/** An error as a message. Structured cloning alone would lose the code and the hint. */
interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: ErrorCode | undefined;
  readonly hint: string | undefined;
}

/** Packs whatever was thrown. */
export function sendError(thrown: unknown): SentError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack } = error;
  const { code, hint } = error instanceof VouchError ? error : {};
  return { name, message, stack, code, hint };
}

/** The error that was packed: a `VouchError` if it was one, otherwise an `Error` of the same name. */
export function receiveError({ name, message, stack, code, hint }: SentError): Error {
  const error = code
    ? new VouchError(code, message, { ...(hint && { hint }) })
    : Object.assign(new Error(message), { name });
  error.stack = stack ?? error.stack;
  return error;
}
