/** A signal that asks a command to stop. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Messages to the thread of a command. */
export type ToCommand =
  | { readonly kind: "signal"; readonly signal: StopSignal }
  /** New width of the terminal. */
  | { readonly kind: "resize"; readonly columns: number };

/** Messages from the thread of a command. */
export type FromCommand =
  /** The command reads standard input. */
  | { readonly kind: "stdin" }
  /** The command writes to this file or folder, which must be removed unless it is complete in the end. */
  | { readonly kind: "temporary"; readonly path: string }
  | { readonly kind: "complete"; readonly path: string };

/** Initial data for the thread of a command. */
export interface CommandData {
  /** Set by the command, read by the main thread at any time. */
  readonly flags: Int32Array;
  readonly out: StreamFacts;
  readonly err: StreamFacts;
}

/** Properties of a standard stream that only the main thread can read. */
export interface StreamFacts {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
}

/** Index of the flag that is 1 while the first Ctrl-C asks the command to finish early with its best result so far. */
export const FINISHES_EARLY = 0;

/** Index of the flag that is 1 once the command has reported its error. */
export const ERROR_REPORTED = 1;

/** Index of the flag that is 1 if the command needs a second to stop, because other machines work for it. */
export const NEEDS_SHUTDOWN_TIME = 2;

/**
 * Index of the flag that is 1 if the command does more than print, so that a closed or full standard output does not
 * end it.
 */
export const OUTLIVES_OUTPUT = 3;

export const STATUS_WORDS = 4;
