/**
 * Lets few large requests compute at the same time, and starts at most one in each turn of the event loop. The others wait in the
 * order of their arrival, and small requests pass between them.
 */
export class Turns {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Calls `start` when it is its turn; the returned function ends the turn, or gives it up before it has begun. */
  enter(start: () => void): () => void {
    let state: "waiting" | "running" | "left" = "waiting";
    const begin = () => {
      state = "running";
      this.#running++;
      setImmediate(start);
    };
    this.#waiting.add(begin);
    this.#next();
    return () => {
      if (state === "left") return;
      if (state === "running") this.#running--;
      this.#waiting.delete(begin);
      state = "left";
      this.#next();
    };
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#running >= this.#most) return;
    this.#waiting.delete(first);
    first();
  }
}
