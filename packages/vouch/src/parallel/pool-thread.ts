import { VouchError } from "../error.js";
import type { Task } from "./executor.js";
import { type PlatformThread, startThread } from "./platform.js";
import { type Reply, receiveError } from "./protocol.js";

/** How long a cancelled task has for reaching a checkpoint, in milliseconds, before its thread is ended. */
const GRACE = 50;

/** Who waits for the running task. Methods, so that the promise of an output of any type fits. */
interface Waiting {
  readonly task: string;
  onProgress(fraction: number, note: string | undefined): void;
  resolve(output: unknown): void;
  reject(reason: Error): void;
}

/** One thread of a pool: runs one task at a time, and can be stopped whatever that task does. */
export class PoolThread {
  readonly #platform: PlatformThread;
  readonly #cancelFlag: Int32Array | undefined;
  #usable = true;
  #waiting: Waiting | undefined;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;

  /** Starts a thread; `onEnd` is called once when it has ended, asked or not. */
  constructor(onEnd: () => void) {
    this.#platform = startThread({
      onReply: (reply) => this.#receive(reply),
      onEnd: (reason) => {
        this.#ended(reason);
        onEnd();
      },
    });
    this.#cancelFlag =
      typeof SharedArrayBuffer === "function" ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
    this.#platform.post({ kind: "start", cancelFlag: this.#cancelFlag });
    this.#platform.keepAlive(false);
  }

  /** Whether it can take a task once it has none. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Runs the task on an input. Rejects with what the task throws, or because the thread has died. */
  run<Input, Output>(
    { id, module }: Task<Input, Output>,
    input: Input,
    onProgress: Waiting["onProgress"],
  ): Promise<Output> {
    return new Promise<Output>((resolve, reject) => {
      if (this.#cancelFlag) Atomics.store(this.#cancelFlag, 0, 0);
      this.#platform.post({ kind: "run", id, module, input });
      this.#platform.keepAlive(true);
      this.#waiting = { task: id, onProgress, resolve, reject };
    });
  }

  /** Asks the running task to stop, and ends the thread if it does not. */
  cancel(): void {
    if (!this.#waiting || this.#graceTimer !== undefined) return;
    if (this.#cancelFlag) Atomics.store(this.#cancelFlag, 0, 1);
    else this.#platform.post({ kind: "cancel" });
    this.#graceTimer = setTimeout(() => this.end(), GRACE);
  }

  /** Ends the thread, whatever it does. */
  end(): Promise<void> {
    this.#usable = false;
    return this.#platform.terminate();
  }

  #receive(reply: Reply): void {
    const waiting = this.#waiting;
    if (reply.kind === "progress") {
      waiting?.onProgress(reply.fraction, reply.note);
      return;
    }
    this.#rest();
    if (reply.kind === "done") waiting?.resolve(reply.output);
    else waiting?.reject(receiveError(reply.error));
  }

  #ended(reason: string): void {
    const waiting = this.#waiting;
    this.#usable = false;
    this.#rest();
    waiting?.reject(
      new VouchError("task/worker-died", `The thread that ran task "${waiting.task}" ended: ${reason}.`, {
        hint: "Threads end when a task ends its process or runs out of memory, or when a script cannot be loaded.",
      }),
    );
  }

  #rest(): void {
    clearTimeout(this.#graceTimer);
    this.#graceTimer = undefined;
    this.#waiting = undefined;
    this.#platform.keepAlive(false);
  }
}
