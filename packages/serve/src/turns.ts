/**
 * Limits how many large requests compute at a time, and starts at most one per turn of the event loop. Waiting requests
 * run in order of arrival, and small requests pass between them.
 */
export class Turns {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Calls `start` when its turn comes; the returned function ends the turn, or cancels it before it begins. */
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
