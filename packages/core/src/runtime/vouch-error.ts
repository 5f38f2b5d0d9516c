import { conciseText } from "./concise-text.js";

const ERROR_CODES = [
  "package/missing",
  "option/invalid",
  "option/unknown",
  "data/empty",
  "data/no-rows",
  "data/one-class",
  "data/too-few-rows",
  "data/no-target",
  "data/missing-target",
  "data/not-classes",
  "data/duplicate-column",
  "data/missing-column",
  "data/wrong-kind",
  "data/not-finite",
  "data/ragged",
  "data/not-a-number",
  "data/encoding",
  "data/too-large",
  "data/malformed",
  "data/no-features",
  "data/unlike-training",
  "learner/unknown",
  "learner/not-loaded",
  "learner/unsupported",
  "file/missing",
  "file/directory",
  "file/permission",
  "file/read",
  "file/write",
  "file/too-many-open",
  "file/format",
  "file/signature",
  "model/corrupt",
  "model/newer",
  "model/unknown",
  "model/no-probabilities",
  "dataset/unknown",
  "dataset/unavailable",
  "dataset/checksum",
  "task/failed",
  "task/worker-died",
  "memory/exhausted",
  "memory/limit",
  "memory/not-owned",
  "run/interrupted",
  "run/out-of-time",
  "cluster/unreachable",
  "cluster/denied",
  "cluster/full",
  "cluster/no-workers",
  "cluster/version",
  "cluster/worker-died",
  "cluster/blob",
  "cluster/too-large",
  "cluster/malformed",
  "cluster/mismatch",
] as const;

/**
 * Stable error codes for programs to branch on. The part before the slash is the area, the part after it the fault.
 */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Tells whether a text, such as one from another machine, is an error code. */
export function isErrorCode(text: string): text is ErrorCode {
  return ERROR_CODES.some((code) => code === text);
}

/**
 * The error class of vouch. The message says what is wrong in the user's terms (file, row, column, option); the hint, if there is
 * one, says what to do. Neither is longer than a screen, however long the names and cells that they quote.
 */
export class VouchError extends Error {
  override readonly name = "VouchError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(conciseText(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint === undefined ? undefined : conciseText(options.hint);
  }
}

/** Makes the error of work that was stopped through an `AbortSignal`. */
export function interrupted(): VouchError {
  return new VouchError("run/interrupted", "The run was interrupted.");
}
