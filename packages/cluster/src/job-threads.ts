import { TaskThread, type ThreadJob } from "./task-thread.js";

/** A pool of threads for tasks, started on demand. */
export class JobThreads {
  readonly #script: URL;
  readonly #idle: TaskThread[] = [];
  readonly #busy = new Set<TaskThread>();

  /** `script` must call `serveJobs`. */
  constructor(script: URL) {
    this.#script = script;
  }

  /** Runs a task on an idle thread, or on a new one. */
  async run(job: ThreadJob): Promise<unknown> {
    const thread = this.#take();
    try {
      return await thread.run(job);
    } finally {
      this.#busy.delete(thread);
      if (thread.usable) this.#idle.push(thread);
    }
  }

  /** Ends all threads. */
  async end(): Promise<void> {
    await Promise.all([...this.#idle, ...this.#busy].map((thread) => thread.end()));
  }

  #take(): TaskThread {
    let thread = this.#idle.pop();
    while (thread && !thread.usable) thread = this.#idle.pop();
    thread ??= new TaskThread(this.#script);
    this.#busy.add(thread);
    return thread;
  }
}
