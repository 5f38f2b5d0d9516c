/** Maximum number of rows per second that the monitor of a model sees: enough to find drift, and cheap at any load. */
const ROWS_PER_SECOND = 2000;

/** Decides how many rows of each request the monitor of a model sees: the first ones of every second. */
export class MonitorSample {
  #second = -1;
  #seen = 0;

  /** Returns how many of these rows the monitor sees. */
  take(rows: number): number {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#seen = 0;
    }
    const taken = Math.min(rows, ROWS_PER_SECOND - this.#seen);
    this.#seen += taken;
    return taken;
  }
}
