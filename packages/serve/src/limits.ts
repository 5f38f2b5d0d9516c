import { ServiceError } from "./service-error.js";

/** Labelled rows in one request. */
export const MOST_FEEDBACK = 100_000;

/** Limits on what clients may ask for. */
export interface ServeLimits {
  /** Bytes of a request. A request may have as many cells, whatever it takes to write them. */
  readonly maxBody: number;
  /** Bytes of all large requests that are in memory. */
  readonly maxBuffered: number;
  /** Rows of a request. */
  readonly maxRows: number;
  /** Columns of a request that the model does not use. */
  readonly maxUnusedColumns: number;
  /** Rows of all requests that are being answered. */
  readonly maxRowsInFlight: number;
  /** Rows of a request with reasons, which take far longer than predictions. */
  readonly maxReasonRows: number;
  /** Rows whose reasons are being computed, of all requests. */
  readonly maxReasonRowsInFlight: number;
  /** Milliseconds in which a client must send the headers of a request. */
  readonly headerTime: number;
  /** Milliseconds in which a client must send all of a request. */
  readonly requestTime: number;
  /** Milliseconds in which open requests must end when the server closes; then their connections are cut. */
  readonly closingTime: number;
}

/** Kubernetes waits 30 seconds before it kills a server that closes. */
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
 * Completes limits with the default ones. By default, four of the largest requests may be answered at the same time, and eight may be
 * in memory.
 */
export function completeLimits(given: Partial<ServeLimits> = {}): ServeLimits {
  const limits = { ...DEFAULT_LIMITS, ...given };
  return {
    ...limits,
    maxBuffered: given.maxBuffered ?? Math.max(DEFAULT_LIMITS.maxBuffered, 8 * limits.maxBody),
    maxRowsInFlight: given.maxRowsInFlight ?? Math.max(DEFAULT_LIMITS.maxRowsInFlight, 4 * limits.maxRows),
    maxReasonRowsInFlight:
      given.maxReasonRowsInFlight ?? Math.max(DEFAULT_LIMITS.maxReasonRowsInFlight, 4 * limits.maxReasonRows),
  };
}

/** Throws unless a request may have this many rows. */
export function checkRows({ maxRows }: ServeLimits, rows: number): void {
  if (rows === 0) {
    throw new ServiceError(400, "The request has no rows.", { hint: "Send at least one row." });
  }
  if (rows <= maxRows) return;
  throw new ServiceError(413, `The request has ${rows} rows, but at most ${maxRows} are answered at once.`, {
    hint: "Send several requests, or raise --max-rows.",
  });
}

/** Throws unless the reasons of this many rows may be asked for. */
export function checkReasonRows({ maxReasonRows }: ServeLimits, rows: number): void {
  if (rows <= maxReasonRows) return;
  throw new ServiceError(
    413,
    `The request asks for the reasons of ${rows} rows, but at most ${maxReasonRows} are explained at once.`,
    { hint: "Send several requests." },
  );
}

/**
 * Throws unless rows may be made into a table with the columns of a model. A record may leave out columns, so that a short request
 * could stand for a table that does not fit into memory.
 */
export function checkCells({ maxBody }: ServeLimits, rows: number, columns: number): void {
  if (rows * columns <= maxBody) return;
  throw new ServiceError(
    413,
    `${rows} rows of ${columns} columns are ${rows * columns} cells, but at most ${maxBody} are read at once.`,
    { hint: "Send fewer rows at once, or raise --max-body." },
  );
}

/** Throws unless a request may have this many columns that the model does not use. */
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
