import type { Cancellation, TaskJob } from "./messages.js";

/** Maximum number of cancellations to remember. */
const MOST_REMEMBERED = 1000;

/** Recently cancelled runs and maps, whose jobs may still be in the queue. */
export class CancelledRuns {
  readonly #names = new Set<string>();

  add({ run, map }: Cancellation): void {
    this.#names.add(map === undefined ? run : `${run}-${map}`);
    const [oldest] = this.#names;
    if (this.#names.size > MOST_REMEMBERED) this.#names.delete(oldest);
  }

  has({ run, map }: Pick<TaskJob, "run" | "map">): boolean {
    return this.#names.has(run) || this.#names.has(`${run}-${map}`);
  }
}
