import type { ServeLimits } from "./limits.js";
import { ServiceError } from "./service-error.js";

/** A request of up to this many rows is answered even under load, because many clients send a few rows at a time. */
const FEW_ROWS = 100;

/** Counts rows being answered and rows being explained, and enforces their limits. */
export class RowsInFlight {
  readonly #limits: ServeLimits;
  #rows = 0;
  #explained = 0;

  constructor(limits: ServeLimits) {
    this.#limits = limits;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Counts rows until the returned function is called. Throws 429 if too many are being answered. */
  enter(rows: number): () => void {
    if (this.#rows > 0 && rows > FEW_ROWS && this.#rows + rows > this.#limits.maxRowsInFlight) {
      throw new ServiceError(429, "The server is busy: too many rows are being answered.", {
        hint: "Try again in a second.",
        headers: { "Retry-After": "1" },
      });
    }
    this.#rows += rows;
    return () => {
      this.#rows -= rows;
    };
  }

  /** Counts rows with reasons until the returned function is called. Throws 503 if too many are being explained. */
  explain(rows: number): () => void {
    if (this.#explained > 0 && this.#explained + rows > this.#limits.maxReasonRowsInFlight) {
      throw new ServiceError(503, "The server is busy: the reasons of too many rows are being computed.", {
        hint: "Try again in a second, or leave out reasons.",
        headers: { "Retry-After": "1" },
      });
    }
    this.#explained += rows;
    return () => {
      this.#explained -= rows;
    };
  }
}
