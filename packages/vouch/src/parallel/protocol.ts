import { type ErrorCode, VouchError } from "../error.js";

/** What a thread is told. `start` comes first and once; then one `run` at a time. */
export type Request =
  | {
      readonly kind: "start";
      /** Set to 1 to cancel the running task; absent where memory cannot be shared. */
      readonly cancelFlag: Int32Array | undefined;
    }
  | {
      readonly kind: "run";
      readonly id: string;
      readonly module: string | undefined;
      readonly input: unknown;
    }
  /** Cancels the running task where there is no flag. */
  | { readonly kind: "cancel" };

/** What a thread answers to `run`: any number of `progress`, then one of the others. */
export type Reply =
  | { readonly kind: "progress"; readonly fraction: number; readonly note: string | undefined }
  | { readonly kind: "done"; readonly output: unknown }
  | { readonly kind: "failed"; readonly error: SentError };

/** An error as a message. Structured cloning alone would lose the code and the hint. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: ErrorCode | undefined;
  readonly hint: string | undefined;
}

/** Packs whatever was thrown. */
export function sendError(thrown: unknown): SentError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack } = error;
  const { code, hint } = error instanceof VouchError ? error : {};
  return { name, message, stack, code, hint };
}

/** The error that was packed: a `VouchError` if it was one, otherwise an `Error` of the same name. */
export function receiveError({ name, message, stack, code, hint }: SentError): Error {
  const error = code
    ? new VouchError(code, message, { ...(hint && { hint }) })
    : Object.assign(new Error(message), { name });
  error.stack = stack ?? error.stack;
  return error;
}
