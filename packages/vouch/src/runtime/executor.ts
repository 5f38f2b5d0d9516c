/** What a task may do besides computing. */
export interface TaskContext {
  /**
   * To be awaited in every long loop, at least every 50 ms. Throws when the work was aborted; on a thread
   * that also serves the user (inline execution) it lets the event loop run now and then.
   */
  checkpoint(): Promise<void> | undefined;
  /** Reports how much of this one task is done, from 0 to 1. May be called often. */
  progress(fraction: number, note?: string): void;
}

/**
 * A named piece of work that can run on another thread. Its input and output are structured-cloneable;
 * typed arrays on a `SharedArrayBuffer` are shared, not copied.
 */
export interface Task<Input, Output> {
  readonly id: string;
  /** Address of the module that defines the task, for tasks that are not part of the library itself. */
  readonly module: string | undefined;
  readonly run: (input: Input, context: TaskContext) => Output | Promise<Output>;
}

/** Options of one `map`. */
export interface MapOptions {
  /** Aborting it makes `map` reject with `run/interrupted` within 100 ms, when no task runs any more. */
  readonly signal?: AbortSignal;
  /** Called when a task has ended or reports progress: tasks done so far (with fractions) out of all. */
  readonly onProgress?: (done: number, total: number, note?: string) => void;
  /**
   * An estimate of the whole work in milliseconds on one thread. Work below the cost of starting threads
   * runs inline. Without an estimate the work counts as large.
   */
  readonly milliseconds?: number;
}

/** Runs tasks somewhere: on this thread, on a pool of threads, on other machines. */
export interface Executor {
  /** How many tasks can run at the same time. */
  readonly threads: number;
  /**
   * Runs the task on every input; outputs come in the order of the inputs, for any number of threads. When a
   * task fails the others are cancelled. Whether it resolves or rejects: once it has settled, no task touches
   * the shared buffers of the inputs any more.
   */
  map<Input, Output>(
    task: Task<Input, Output>,
    inputs: readonly Input[],
    options?: MapOptions,
  ): Promise<Output[]>;
  /** Ends all threads and interrupts what they do. A closed executor can be used again: it starts anew. */
  close(): Promise<void>;
}

/** Adds up the progress of the tasks of one `map`; what it reports never goes back, and ends at the total. */
export class MapProgress {
  readonly #total: number;
  readonly #onProgress: MapOptions["onProgress"];
  /** Fraction done of each task that runs and has reported. */
  readonly #fractions = new Map<number, number>();
  #completed = 0;
  #reported = 0;

  constructor(total: number, onProgress: MapOptions["onProgress"]) {
    this.#total = total;
    this.#onProgress = onProgress;
  }

  /** Task `index` has come to this fraction of its work. */
  advance(index: number, fraction: number, note?: string): void {
    const known = this.#fractions.get(index) ?? 0;
    if (fraction > known) this.#fractions.set(index, Math.min(1, fraction));
    this.#report(note);
  }

  /** Task `index` has ended. */
  complete(index: number): void {
    this.#fractions.delete(index);
    this.#completed++;
    this.#report();
  }

  #report(note?: string): void {
    if (!this.#onProgress) return;
    let done = this.#completed;
    for (const fraction of this.#fractions.values()) done += fraction;
    this.#reported = Math.max(this.#reported, done);
    this.#onProgress(this.#reported, this.#total, note);
  }
}
