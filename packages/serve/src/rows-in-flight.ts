import { HttpFault } from "./http-fault.js";
import type { ServeLimits } from "./limits.js";

/** Counts the rows that are being answered, and refuses more than there may be. */
export class RowsInFlight {
  readonly #most: number;
  #rows = 0;

  constructor({ maxRowsInFlight }: ServeLimits) {
    this.#most = maxRowsInFlight;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Counts rows until the returned function is called. Throws 429 if too many are being answered. */
  enter(rows: number): () => void {
    if (this.#rows > 0 && this.#rows + rows > this.#most) {
      throw new HttpFault(429, "The server is busy: too many rows are being answered.", {
        hint: "Try again in a second.",
        headers: { "Retry-After": "1" },
      });
    }
    this.#rows += rows;
    return () => {
      this.#rows -= rows;
    };
  }
}
