import type { MapOptions, Task } from "./executor.js";
import { MapProgress } from "./map-progress.js";
import type { PoolThread } from "./pool-thread.js";
import { taskFailure } from "./task.js";

/**
 * One `map` under way on a pool: hands its inputs to threads in order and collects the outputs. After the first
 * failure it cancels what runs; it settles when none of its tasks runs any more.
 */
export class MapJob<Input, Output> {
  readonly outcome: Promise<Output[]>;
  /** Aborting it must `stop` this job. */
  readonly signal: AbortSignal | undefined;
  readonly #task: Task<Input, Output>;
  readonly #inputs: readonly Input[];
  readonly #outputs: Output[];
  readonly #progress: MapProgress;
  readonly #running = new Set<PoolThread>();
  #next = 0;
  #failure: Error | undefined;
  #settle: () => void = () => {};

  constructor(task: Task<Input, Output>, inputs: readonly Input[], { signal, onProgress }: MapOptions) {
    this.#task = task;
    this.#inputs = inputs;
    this.#outputs = new Array(inputs.length);
    this.#progress = new MapProgress(inputs.length, onProgress);
    this.signal = signal;
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = () => (this.#failure ? reject(this.#failure) : resolve(this.#outputs));
    });
  }

  /** Whether an input waits for a thread. */
  get hasMore(): boolean {
    return !this.#failure && this.#next < this.#inputs.length;
  }

  /** Runs the next input on the thread. Never rejects: a failure is the outcome of the whole map. */
  async runNext(thread: PoolThread): Promise<void> {
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

  /** Cancels what runs and makes this error the outcome, if there was none before. */
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
