import type { Reply, Request } from "./protocol.js";

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
export interface ThreadListener {
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
  const script = new URL(/* @vite-ignore */ /* webpackIgnore: true */ "./worker.js", import.meta.url);
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
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "vouch" });
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
