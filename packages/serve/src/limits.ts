import { ServiceError } from "./service-error.js";

/** Maximum number of labelled rows in a request. */
export const MOST_FEEDBACK = 100_000;

/** Limits of client requests. */
export interface ServeLimits {
  /** Maximum size of a request in bytes, which also limits its number of cells. */
  readonly maxBody: number;
  /** Maximum memory for all large requests, in bytes. */
  readonly maxBuffered: number;
  /** Maximum number of rows in a request. */
  readonly maxRows: number;
  /** Maximum number of columns in a request that the model does not use. */
  readonly maxUnusedColumns: number;
  /** Maximum number of rows being answered, over all requests. */
  readonly maxRowsInFlight: number;
  /** Maximum number of rows in a request with reasons, which take far longer than predictions. */
  readonly maxReasonRows: number;
  /** Maximum number of rows being explained, over all requests. */
  readonly maxReasonRowsInFlight: number;
  /** Milliseconds for a client to send the headers of a request. */
  readonly headerTime: number;
  /** Milliseconds for a client to send a complete request. */
  readonly requestTime: number;
  /** Milliseconds for open requests to finish when the server closes; then their connections are cut. */
  readonly closingTime: number;
}

/** Kubernetes waits 30 seconds before it kills a closing server. */
const DEFAULT_LIMITS: ServeLimits = {
  maxBody: 16 * 2 ** 20,
  maxBuffered: 128 * 2 ** 20,
  maxRows: 50_000,
  maxUnusedColumns: 1000,
  maxRowsInFlight: 200_000,
  maxReasonRows: 100,
  maxReasonRowsInFlight: 400,
  headerTime: 10_000,
  requestTime: 60_000,
  closingTime: 25_000,
};

/**
 * Fills in default limits, also for those that are undefined. By default, four of the largest requests are answered at a
 * time, and eight fit into memory.
 */
export function completeLimits(given: Partial<ServeLimits> = {}): ServeLimits {
  const isGiven = ([, value]: [string, number | undefined]) => value !== undefined;
  const limits: ServeLimits = {
    ...DEFAULT_LIMITS,
    ...Object.fromEntries(Object.entries(given).filter(isGiven)),
  };
  return {
    ...limits,
    maxBuffered: given.maxBuffered ?? Math.max(DEFAULT_LIMITS.maxBuffered, 8 * limits.maxBody),
    maxRowsInFlight: given.maxRowsInFlight ?? Math.max(DEFAULT_LIMITS.maxRowsInFlight, 4 * limits.maxRows),
    maxReasonRowsInFlight:
      given.maxReasonRowsInFlight ?? Math.max(DEFAULT_LIMITS.maxReasonRowsInFlight, 4 * limits.maxReasonRows),
  };
}

/** Throws unless a request may contain this many rows. */
export function checkRows({ maxRows }: ServeLimits, rows: number): void {
  if (rows === 0) {
    throw new ServiceError(400, "The request has no rows.", { hint: "Send at least one row." });
  }
  if (rows <= maxRows) return;
  throw new ServiceError(413, `The request has ${rows} rows, but at most ${maxRows} are answered at once.`, {
    hint: "Send several requests, or raise --max-rows.",
  });
}

/** Throws unless a request may ask for the reasons of this many rows. */
export function checkReasonRows({ maxReasonRows }: ServeLimits, rows: number): void {
  if (rows <= maxReasonRows) return;
  throw new ServiceError(
    413,
    `The request asks for the reasons of ${rows} rows, but at most ${maxReasonRows} are explained at once.`,
    { hint: "Send several requests." },
  );
}

/**
 * Throws unless rows fit into a table with the model's columns. Records may omit columns, so a short request could
 * otherwise stand for a table that does not fit into memory.
 */
export function checkCells({ maxBody }: ServeLimits, rows: number, columns: number): void {
  if (rows * columns <= maxBody) return;
  throw new ServiceError(
    413,
    `${rows} rows of ${columns} columns are ${rows * columns} cells, but at most ${maxBody} are read at once.`,
    { hint: "Send fewer rows at once, or raise --max-body." },
  );
}

/** Throws unless a request may contain this many unused columns. */
export function checkUnusedColumns({ maxUnusedColumns }: ServeLimits, unused: number): void {
  if (unused <= maxUnusedColumns) return;
  throw new ServiceError(
    413,
    `The request has more than ${maxUnusedColumns} columns that the model does not use.`,
    {
      hint: "Send the columns of the model only; GET the model to list them.",
    },
  );
}
