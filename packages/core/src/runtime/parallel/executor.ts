/** The services that a running task can use. */
export interface TaskContext {
  /**
   * Throws if the work was aborted; inline execution lets the event loop run here. Await it in every long loop, at least every
   * 50 ms.
   */
  checkpoint(): Promise<void> | undefined;
  /** Reports the finished fraction of this task. May be called often. */
  progress(fraction: number, note?: string): void;
  /**
   * The threads that the task may use: those of its machine, for a task that has the machine to itself. Absent if it has only
   * its own.
   */
  readonly executor?: Executor;
  /** Aborted when the work is; absent where only `checkpoint` says so. */
  readonly signal?: AbortSignal;
}

/**
 * A named function that can run on another thread. Its input and output are structured-cloneable; typed arrays on a
 * `SharedArrayBuffer` are shared, not copied.
 */
export interface Task<Input, Output> {
  readonly id: string;
  /** URL of the module that defines the task; undefined for tasks of the library. */
  readonly module: string | undefined;
  /**
   * Whether it may run on another machine: inputs and outputs are values, no addresses in shared memory, and arrays in its
   * inputs never change.
   */
  readonly portable?: boolean;
  readonly run: (input: Input, context: TaskContext) => Output | Promise<Output>;
}

/** Options of one `map`. */
export interface MapOptions {
  /** Aborting it makes `map` reject with `run/interrupted` within 100 ms, once no task is running. */
  readonly signal?: AbortSignal;
  /** Called with the number of finished tasks, fractions included, when a task ends or reports progress. */
  readonly onProgress?: (done: number, total: number, note?: string) => void;
  /**
   * Estimated time of all tasks on one thread. Work that takes less time than starting threads runs inline; without an
   * estimate it counts as large.
   */
  readonly milliseconds?: number;
  /** Whether each portable task uses all threads of a machine; otherwise a machine runs as many of them as it has threads. */
  readonly wholeMachines?: boolean;
  /** Rows that the tasks process together; only to show how fast they are. */
  readonly rows?: number;
  /** How much work each task is, in any unit; only for progress. By default all tasks count the same. */
  readonly sizes?: readonly number[];
}

/** The machines that have joined the cluster so far. */
export interface Cluster {
  readonly count: number;
  /** Number of threads of all of them. */
  readonly threads: number;
}

/** Runs tasks somewhere: on this thread, on a pool of threads, on other machines. */
export interface Executor {
  /** Number of tasks that can run at the same time. */
  readonly threads: number;
  /** Other machines, which run portable tasks; absent without a cluster. */
  readonly cluster?: Cluster;
  /**
   * Runs the task on every input; outputs are in the order of the inputs, for any number of threads. If a task fails, the others
   * are cancelled. Once the promise has settled, no task touches the shared buffers of the inputs.
   */
  map<Input, Output>(
    task: Task<Input, Output>,
    inputs: readonly Input[],
    options?: MapOptions,
  ): Promise<Output[]>;
  /**
   * Starts all threads and lets them load the modules of these tasks of the library, while this thread goes on: large work that
   * follows begins at once. Absent if there is nothing to start.
   */
  prepare?(tasks: readonly string[]): void;
  /** Ends all threads and interrupts their tasks. A closed executor can be used again. */
  close(): Promise<void>;
}

/** Sums the progress of the tasks of one `map`; reports never decrease, and end at the total. */
export class MapProgress {
  readonly #total: number;
  readonly #onProgress: MapOptions["onProgress"];
  /** The share of each task in the total, times the number of tasks. */
  readonly #weights: readonly number[] | undefined;
  /** Finished fraction of each running task that has reported. */
  readonly #fractions = new Map<number, number>();
  #ended = 0;
  #completed = 0;
  #reported = 0;

  constructor(total: number, onProgress: MapOptions["onProgress"], sizes?: MapOptions["sizes"]) {
    this.#total = total;
    this.#onProgress = onProgress;
    const all = sizes?.reduce((sum, size) => sum + size, 0) ?? 0;
    this.#weights = all > 0 ? sizes?.map((size) => (size * total) / all) : undefined;
  }

  /** Notes the finished fraction of task `index`. */
  advance(index: number, fraction: number, note?: string): void {
    const known = this.#fractions.get(index) ?? 0;
    if (fraction > known) this.#fractions.set(index, Math.min(1, fraction));
    this.#report(note);
  }

  /** Notes that task `index` has ended. */
  complete(index: number): void {
    this.#fractions.delete(index);
    this.#ended++;
    this.#completed += this.#weight(index);
    this.#report();
  }

  #weight(index: number): number {
    return this.#weights?.[index] ?? 1;
  }

  #report(note?: string): void {
    if (!this.#onProgress) return;
    let done = this.#completed;
    for (const [index, fraction] of this.#fractions) done += fraction * this.#weight(index);
    // Sums of weights are rounded.
    this.#reported = this.#ended === this.#total ? this.#total : Math.max(this.#reported, done);
    this.#onProgress(this.#reported, this.#total, note);
  }
}
