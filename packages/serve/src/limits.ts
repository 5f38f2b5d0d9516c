import { HttpFault } from "./http-fault.js";

/** Limits on what clients may ask for. */
export interface ServeLimits {
  /** Bytes of a request. */
  readonly maxBody: number;
  /** Rows of a request. */
  readonly maxRows: number;
  /** Rows of all requests that are being answered. */
  readonly maxRowsInFlight: number;
  /** Rows of a request with reasons, which take far longer than predictions. */
  readonly maxReasonRows: number;
}

/** Limits unless others are given. */
export const DEFAULT_LIMITS: ServeLimits = {
  maxBody: 16 * 2 ** 20,
  maxRows: 50_000,
  maxRowsInFlight: 200_000,
  maxReasonRows: 100,
};

/** Counts the rows that are being answered, and refuses more than there may be. */
export class RowsInFlight {
  readonly limits: ServeLimits;
  #rows = 0;

  constructor(limits: ServeLimits) {
    this.limits = limits;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Throws unless a request may have this many rows. */
  check(rows: number, reasons: number | undefined): void {
    const { maxRows, maxReasonRows } = this.limits;
    if (rows === 0) {
      throw new HttpFault(400, "The request has no rows.", { hint: "Send at least one row." });
    }
    if (rows > maxRows) {
      throw new HttpFault(413, `The request has ${rows} rows, but at most ${maxRows} are answered at once.`, {
        hint: "Send several requests, or raise --max-rows.",
      });
    }
    if (reasons !== undefined && rows > maxReasonRows) {
      throw new HttpFault(
        413,
        `The request asks for the reasons of ${rows} rows, but at most ${maxReasonRows} are explained at once.`,
        { hint: "Send several requests." },
      );
    }
  }

  /** Counts rows until the returned function is called. Throws 429 if too many are being answered. */
  enter(rows: number): () => void {
    const { maxRowsInFlight } = this.limits;
    if (this.#rows > 0 && this.#rows + rows > maxRowsInFlight) {
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
