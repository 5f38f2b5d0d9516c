import { isTooManyFiles, tooManyFiles } from "../files/open-files.js";
import { memoryLimit } from "../memory-limit.js";
import { hardwareThreads, type PlatformThread, type Reply, startThread, unpackError } from "../platform.js";
import { interrupted, VouchError } from "../vouch-error.js";
import { throwIfAborted } from "./event-loop.js";
import { type Executor, type MapOptions, MapProgress, type Task } from "./executor.js";
import { inlineExecutor } from "./inline.js";
import { taskFailure, threadModules } from "./task.js";
import { packInput } from "./task-message.js";

/**
 * One `map` of a pool: passes its inputs to threads in order and collects the outputs. After the first failure it cancels the
 * running tasks; it settles once none of its tasks is running.
 */
class MapJob<Input, Output> {
  readonly outcome: Promise<Output[]>;
  /** When it is aborted, the pool calls `stop`. */
  readonly signal: AbortSignal | undefined;
  readonly #task: Task<Input, Output>;
  readonly #inputs: readonly Input[];
  readonly #outputs: Output[];
  readonly #progress: MapProgress;
  readonly #running = new Set<WorkerThread>();
  #next = 0;
  #failure: Error | undefined;
  #settle: () => void = () => {};

  constructor(task: Task<Input, Output>, inputs: readonly Input[], options: MapOptions) {
    this.#task = task;
    this.#inputs = inputs;
    this.#outputs = new Array(inputs.length);
    this.#progress = new MapProgress(inputs.length, options.onProgress, options.sizes);
    this.signal = options.signal;
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = () => (this.#failure ? reject(this.#failure) : resolve(this.#outputs));
    });
  }

  /** Whether an input is waiting for a thread. */
  get hasMore(): boolean {
    return !this.#failure && this.#next < this.#inputs.length;
  }

  /** Runs the next input on the thread. Never rejects: a failure makes the whole map fail. */
  async runNext(thread: WorkerThread): Promise<void> {
    const index = this.#next++;
    this.#running.add(thread);
    try {
      this.#outputs[index] = await thread.run(this.#task, this.#inputs[index], (fraction, note) =>
        this.#advance(index, fraction, note),
      );
      if (!this.#failure) this.#progress.complete(index);
    } catch (thrown) {
      this.#fail(index, thrown);
    }
    this.#running.delete(thread);
    this.#settleIfQuiet();
  }

  /** Cancels the running tasks and makes the map fail with this error, unless it has failed already. */
  stop(failure: Error): void {
    if (this.#failure) return;
    this.#failure = failure;
    for (const thread of this.#running) thread.cancel();
    this.#settleIfQuiet();
  }

  #advance(index: number, fraction: number, note: string | undefined): void {
    if (this.#failure) return;
    try {
      this.#progress.advance(index, fraction, note);
    } catch (thrown) {
      this.#fail(index, thrown);
    }
  }

  #fail(index: number, thrown: unknown): void {
    this.stop(taskFailure(this.#task, index, this.#inputs.length, thrown));
  }

  #settleIfQuiet(): void {
    if (this.#running.size === 0 && !this.hasMore) this.#settle();
  }
}

/** Milliseconds in which a cancelled task must reach a checkpoint before its thread is terminated. */
const GRACE_PERIOD = 50;

/** Callbacks of the running task. Methods, so that the promise of an output of any type is assignable. */
interface Pending {
  readonly task: string;
  onProgress(fraction: number, note: string | undefined): void;
  resolve(output: unknown): void;
  reject(reason: Error): void;
}

/** One thread of a pool: runs one task at a time, and can be stopped at any moment. */
class WorkerThread {
  readonly #platform: PlatformThread;
  readonly #cancelFlag: Int32Array | undefined;
  #usable = true;
  #ready = false;
  #pending: Pending | undefined;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;

  /** Starts a thread; `onEnd` is called once when it has ended for any reason. */
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
    this.#platform.post({ kind: "start", cancelFlag: this.#cancelFlag, memoryLimit: memoryLimit() });
    this.#platform.keepAlive(false);
  }

  /** Whether it can run further tasks. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Whether it has started: before, a task waits for it. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Lets it load the modules of tasks. */
  load(tasks: readonly string[]): void {
    this.#platform.post({ kind: "load", tasks });
  }

  /** Runs the task on an input. Rejects if the task throws or the thread ends. */
  run<Input, Output>(
    { id, module }: Task<Input, Output>,
    input: Input,
    onProgress: Pending["onProgress"],
  ): Promise<Output> {
    return new Promise<Output>((resolve, reject) => {
      if (this.#cancelFlag) Atomics.store(this.#cancelFlag, 0, 0);
      this.#platform.post({ kind: "run", id, module, modules: threadModules(), ...packInput(input) });
      this.#platform.keepAlive(true);
      this.#pending = { task: id, onProgress, resolve, reject };
    });
  }

  /** Cancels the running task, and ends the thread if the task does not stop. */
  cancel(): void {
    if (!this.#pending || this.#graceTimer !== undefined) return;
    if (this.#cancelFlag) Atomics.store(this.#cancelFlag, 0, 1);
    else this.#platform.post({ kind: "cancel" });
    this.#graceTimer = setTimeout(() => this.end(), GRACE_PERIOD);
  }

  /** Ends the thread at once. */
  end(): Promise<void> {
    this.#usable = false;
    return this.#platform.terminate();
  }

  #receive(reply: Reply): void {
    this.#ready = true;
    if (reply.kind === "ready") return;
    const pending = this.#pending;
    if (reply.kind === "progress") {
      pending?.onProgress(reply.fraction, reply.note);
      return;
    }
    this.#rest();
    if (reply.kind === "done") pending?.resolve(reply.output);
    else pending?.reject(unpackError(reply.error));
  }

  #ended(reason: string): void {
    const pending = this.#pending;
    this.#usable = false;
    this.#rest();
    pending?.reject(
      isTooManyFiles(reason)
        ? tooManyFiles(reason)
        : new VouchError("task/worker-died", `The thread that ran task "${pending.task}" ended: ${reason}.`, {
            hint: "A thread ends if a task exits or runs out of memory, or if a script cannot be loaded.",
          }),
    );
  }

  #rest(): void {
    clearTimeout(this.#graceTimer);
    this.#graceTimer = undefined;
    this.#pending = undefined;
    this.#platform.keepAlive(false);
  }
}

/** Work of fewer milliseconds runs inline while no thread has started: that takes about as long. */
const MIN_WORK_TO_START = 30;
/** Work of fewer milliseconds always runs inline: messages take about 0.1 ms per task. */
const MIN_WORK_TO_SEND = 2;
/** No machine has more threads: larger numbers are typing errors. */
const MAX_THREADS = 1024;

/** Each thread takes tens of megabytes, and those that wait for a processor compute nothing. */
function mostUsefulThreads(): number {
  return Math.min(256, Math.max(16, 4 * hardwareThreads()));
}

/** An executor on a pool of threads of this process. */
export interface ThreadExecutor extends Executor {
  /** Number of running threads; 0 before the first large `map` and after `close`. */
  readonly running: number;
}

/**
 * Makes an executor that runs tasks on up to `threads` threads; the default is all threads of the machine. Each thread takes
 * the next input when it is free. Threads start when large work needs them, serve concurrent maps in turn, and do not keep an
 * otherwise idle process alive. A number far above that of the machine is reduced to four threads per processor, at least 16 and at
 * most 256; `threads` of the executor has the number in use.
 *
 * Work that is estimated to take less than 30 ms (2 ms once threads have started) runs inline. A single large task is sent to a
 * thread, too, so that it can be interrupted and this thread stays responsive.
 *
 * A cancelled task that reaches no checkpoint within 50 ms is stopped by ending its thread; a new one takes its place when
 * there is work. (Chromium lets such a task run on for up to 2 s in its own memory and in shared memory.)
 */
export function threadExecutor({ threads = hardwareThreads() }: { threads?: number } = {}): ThreadExecutor {
  if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS) {
    throw new VouchError(
      "option/invalid",
      `threads must be a whole number from 1 to ${MAX_THREADS}, not ${threads}.`,
    );
  }
  return new ThreadPool(Math.min(threads, mostUsefulThreads()));
}

/** The part of a running `map` that the pool needs. */
type Job = Pick<MapJob<unknown, unknown>, "signal" | "hasMore" | "runNext" | "stop">;

class ThreadPool implements ThreadExecutor {
  readonly threads: number;
  readonly #inline = inlineExecutor();
  readonly #alive = new Set<WorkerThread>();
  readonly #idle = new Set<WorkerThread>();
  /** Running maps. The first one with inputs left is served next, and then moves to the end. */
  readonly #jobs = new Set<Job>();

  constructor(threads: number) {
    this.threads = threads;
  }

  get running(): number {
    return this.#alive.size;
  }

  async map<Input, Output>(
    task: Task<Input, Output>,
    inputs: readonly Input[],
    options: MapOptions = {},
  ): Promise<Output[]> {
    throwIfAborted(options.signal);
    if (inputs.length === 0 || this.#isSmall(options)) return this.#inline.map(task, inputs, options);
    const job = new MapJob(task, inputs, options);
    this.#enter(job);
    this.#assign();
    return job.outcome.finally(() => this.#leave(job));
  }

  prepare(tasks: readonly string[]): void {
    try {
      while (this.running < this.threads) this.#idle.add(this.#startThread());
    } catch {
      // The work that needs the thread will say so.
    }
    for (const thread of this.#alive) thread.load(tasks);
  }

  async close(): Promise<void> {
    for (const job of this.#jobs) job.stop(interrupted());
    this.#idle.clear();
    await Promise.all([...this.#alive].map((thread) => thread.end()));
  }

  #isSmall({ milliseconds = Infinity }: MapOptions): boolean {
    return milliseconds < (this.#hasStarted ? MIN_WORK_TO_SEND : MIN_WORK_TO_START);
  }

  /** Whether some thread can begin a task at once. */
  get #hasStarted(): boolean {
    for (const thread of this.#alive) if (thread.ready) return true;
    return false;
  }

  #enter(job: Job): void {
    this.#jobs.add(job);
    job.signal?.addEventListener("abort", this.#onAbort);
  }

  #leave(job: Job): void {
    this.#jobs.delete(job);
    for (const other of this.#jobs) if (other.signal === job.signal) return;
    job.signal?.removeEventListener("abort", this.#onAbort);
  }

  /** One listener for all maps of a signal, because Node warns about more than ten. */
  readonly #onAbort = ({ target }: Event): void => {
    for (const job of this.#jobs) if (job.signal === target) job.stop(interrupted());
  };

  /** Passes inputs to threads as long as there are both. */
  #assign(): void {
    for (let job = this.#nextJob(); job; job = this.#nextJob()) {
      try {
        const thread = this.#freeThread();
        if (!thread) return;
        void this.#serve(job, thread);
      } catch (cause) {
        job.stop(
          isTooManyFiles(cause)
            ? tooManyFiles(cause)
            : new VouchError("task/worker-died", `A thread could not be started (${cause}).`, {
                hint: "Use fewer threads, or inlineExecutor(), which needs none.",
                cause,
              }),
        );
      }
    }
  }

  #nextJob(): Job | undefined {
    for (const job of this.#jobs) if (job.hasMore) return job;
    return undefined;
  }

  #freeThread(): WorkerThread | undefined {
    const [idle] = this.#idle;
    return idle || this.running === this.threads ? idle : this.#startThread();
  }

  #startThread(): WorkerThread {
    const thread = new WorkerThread(() => this.#forget(thread));
    this.#alive.add(thread);
    return thread;
  }

  async #serve(job: Job, thread: WorkerThread): Promise<void> {
    this.#jobs.delete(job);
    this.#jobs.add(job);
    this.#idle.delete(thread);
    await job.runNext(thread);
    if (thread.usable) this.#idle.add(thread);
    this.#assign();
  }

  #forget(thread: WorkerThread): void {
    this.#alive.delete(thread);
    this.#idle.delete(thread);
    this.#assign();
  }
}
