/** Measures how long at least one of several overlapping pieces of work was in progress. */
export class BusyTime {
  #active = 0;
  #since = 0;
  #total = 0;

  /** Milliseconds so far. */
  get milliseconds(): number {
    return this.#total + (this.#active > 0 ? performance.now() - this.#since : 0);
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active++ === 0) this.#since = performance.now();
    try {
      return await work();
    } finally {
      if (--this.#active === 0) this.#total += performance.now() - this.#since;
    }
  }
}
