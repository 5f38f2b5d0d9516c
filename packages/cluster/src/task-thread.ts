import { Worker } from "node:worker_threads";
import { memoryLimit } from "@vouch/core/internal/runtime/memory-limit";
import { interrupted, isErrorCode, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { FromJob, ToJob } from "./job-messages.js";

/** Milliseconds for a cancelled task to stop before its thread is terminated. */
const GRACE_PERIOD = 250;

export interface ThreadJob {
  readonly task: string;
  readonly input: unknown;
  /** Number of threads that the task may use; 1 means its own only. */
  readonly threads: number;
  readonly signal: AbortSignal;
  onProgress(fraction: number, note: string | undefined): void;
}

/** A thread on which a worker runs one task at a time, while the main event loop renews the locks of jobs. */
export class TaskThread {
  readonly #worker: Worker;
  #usable = true;
  #onMessage: (message: FromJob) => void = () => {};
  #onEnd: (reason: string) => void = () => {};

  constructor(script: URL) {
    this.#worker = new Worker(script);
    let fault: string | undefined;
    this.#worker.on("message", (message: FromJob) => this.#onMessage(message));
    this.#worker.on("error", (error: unknown) => {
      fault = error instanceof Error ? error.message : String(error);
    });
    this.#worker.on("exit", (code) => {
      this.#usable = false;
      this.#onEnd(fault ?? `it exited with code ${code}`);
    });
  }

  /** Whether it can run more tasks. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Runs a task. Rejects if it throws, if the thread ends (`task/worker-died`), or on abort. */
  run({ task, input, threads, signal, onProgress }: ThreadJob): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const onAbort = () => {
        this.#post({ kind: "cancel" });
        timer = setTimeout(() => void this.end(), GRACE_PERIOD);
      };
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#onMessage = () => {};
        this.#onEnd = () => {};
        settle();
      };
      this.#onEnd = (reason) =>
        finish(() =>
          reject(
            signal.aborted
              ? interrupted()
              : new VouchError("task/worker-died", `The thread that ran task "${task}" ended: ${reason}.`, {
                  hint: "A thread ends if a task runs out of memory. Use fewer rows, or machines with more memory.",
                }),
          ),
        );
      this.#onMessage = (message) => {
        if (message.kind === "progress") onProgress(message.fraction, message.note);
        else if (message.kind === "done") finish(() => resolve(message.output));
        else finish(() => reject(failureOf(message)));
      };
      if (signal.aborted) return finish(() => reject(interrupted()));
      signal.addEventListener("abort", onAbort);
      this.#post({ kind: "run", task, input, threads, memoryLimit: memoryLimit() });
    });
  }

  async end(): Promise<void> {
    this.#usable = false;
    await this.#worker.terminate();
  }

  #post(message: ToJob): void {
    if (this.#usable) this.#worker.postMessage(message);
  }
}

function failureOf({ code, message, hint }: Extract<FromJob, { kind: "failed" }>): Error {
  return code !== undefined && isErrorCode(code)
    ? new VouchError(code, message, hint === undefined ? {} : { hint })
    : new Error(message);
}
