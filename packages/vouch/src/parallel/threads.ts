import { interrupted, VouchError } from "../error.js";
import { throwIfAborted } from "./event-loop.js";
import type { Executor, MapOptions, Task } from "./executor.js";
import { inlineExecutor } from "./inline.js";
import { MapJob } from "./map-job.js";
import { hardwareThreads } from "./platform.js";
import { PoolThread } from "./pool-thread.js";

/** Work of fewer milliseconds runs inline while no thread is running: starting two takes about as long. */
const WORTH_STARTING = 30;
/** Work of fewer milliseconds runs inline in any case: messages cost about 0.1 ms per task. */
const WORTH_SENDING = 2;
/** More threads than any machine has are a typing error. */
const MOST_THREADS = 1024;

/** An executor on a pool of threads of this process. */
export interface ThreadExecutor extends Executor {
  /** How many threads are running now; none before the first large `map` and after `close`. */
  readonly running: number;
}

/**
 * Runs tasks on up to `threads` threads (by default as many as the machine has), each taking the next input when
 * it is free. Threads are started when large work needs them, serve concurrent maps in turn, and do not keep
 * a process alive that has nothing else to do.
 *
 * Work that is estimated below 30 ms (below 2 ms when threads are running) is done inline. A single large task
 * is sent to a thread, too, so that it can be interrupted and this thread stays responsive.
 *
 * A cancelled task that reaches no checkpoint within 50 ms is stopped by ending its thread; a new one takes its
 * place when there is work. (Chromium lets such a task run on for up to 2 s in its own memory and in shared memory.)
 */
export function threadExecutor({ threads = hardwareThreads() }: { threads?: number } = {}): ThreadExecutor {
  if (!Number.isInteger(threads) || threads < 1 || threads > MOST_THREADS) {
    throw new VouchError("option/invalid", `threads is ${threads}.`, {
      hint: `threads is a whole number from 1 to ${MOST_THREADS}.`,
    });
  }
  return new ThreadPool(threads);
}

/** What the pool knows of a `map` that is under way. */
type Job = Pick<MapJob<unknown, unknown>, "signal" | "hasMore" | "runNext" | "stop">;

class ThreadPool implements ThreadExecutor {
  readonly threads: number;
  readonly #inline = inlineExecutor();
  readonly #alive = new Set<PoolThread>();
  readonly #idle = new Set<PoolThread>();
  /** Maps under way. The first one with inputs left is served next, and then goes to the end. */
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

  async close(): Promise<void> {
    for (const job of this.#jobs) job.stop(interrupted());
    this.#idle.clear();
    await Promise.all([...this.#alive].map((thread) => thread.end()));
  }

  #isSmall({ milliseconds = Infinity }: MapOptions): boolean {
    return milliseconds < (this.running > 0 ? WORTH_SENDING : WORTH_STARTING);
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

  /** One listener for all maps of a signal: Node warns of a leak when there are more than ten. */
  readonly #onAbort = ({ target }: Event): void => {
    for (const job of this.#jobs) if (job.signal === target) job.stop(interrupted());
  };

  /** Hands inputs to threads as long as there are both. */
  #assign(): void {
    for (let job = this.#nextJob(); job; job = this.#nextJob()) {
      try {
        const thread = this.#freeThread();
        if (!thread) return;
        void this.#serve(job, thread);
      } catch (cause) {
        job.stop(
          new VouchError("task/worker-died", `A thread could not be started (${cause}).`, {
            hint: "Use fewer threads, or none: inlineExecutor().",
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

  #freeThread(): PoolThread | undefined {
    const [idle] = this.#idle;
    if (idle || this.running === this.threads) return idle;
    const thread = new PoolThread(() => this.#forget(thread));
    this.#alive.add(thread);
    return thread;
  }

  async #serve(job: Job, thread: PoolThread): Promise<void> {
    this.#jobs.delete(job);
    this.#jobs.add(job);
    this.#idle.delete(thread);
    await job.runNext(thread);
    if (thread.usable) this.#idle.add(thread);
    this.#assign();
  }

  #forget(thread: PoolThread): void {
    this.#alive.delete(thread);
    this.#idle.delete(thread);
    this.#assign();
  }
}
