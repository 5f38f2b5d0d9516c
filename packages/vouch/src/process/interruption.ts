import { isMainThread, parentPort, workerData } from "node:worker_threads";
import {
  ERROR_REPORTED,
  FINISHES_EARLY,
  type FromCommand,
  NEEDS_SHUTDOWN_TIME,
  OUTLIVES_OUTPUT,
  STATUS_WORDS,
} from "./thread-messages.js";

/** Flags for the main thread; unused if the command runs there. */
const flags: Int32Array = (isMainThread ? undefined : workerData?.flags) ?? new Int32Array(STATUS_WORDS);

/** Records that the command has reported its error, so that the main thread does not. */
export function errorReported(): void {
  Atomics.store(flags, ERROR_REPORTED, 1);
}

/** Records that other machines must learn of the end of the command, so that the main thread allows time for it. */
export function needsShutdownTime(): void {
  Atomics.store(flags, NEEDS_SHUTDOWN_TIME, 1);
}

/** Records that the command writes files or serves. It continues if standard output is closed or its disk is full. */
export function outlivesOutput(): void {
  Atomics.store(flags, OUTLIVES_OUTPUT, 1);
}

/** Returns standard input, which the main thread forwards on request. */
export function standardInput(): NodeJS.ReadStream {
  const request: FromCommand = { kind: "stdin" };
  parentPort?.postMessage(request);
  return process.stdin;
}

/**
 * Runs work that Ctrl-C (SIGINT) or SIGTERM stops cleanly. The first signal aborts the work, which leaves no partial
 * files; a second one ends the process at once.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return stoppable(({ abort }) => work(abort));
}

/** The two ways to stop work early. */
export interface StopSignals {
  /** Aborts the work. */
  readonly abort: AbortSignal;
  /** Asks the work to finish with its best result so far, if it can. */
  readonly finish: AbortSignal;
  /** Sets whether the first Ctrl-C asks the work to finish, so that only the next one aborts it. */
  canFinish(can: boolean): void;
}

/** Runs work like `interruptible`, but the work may treat the first Ctrl-C as a request to finish early. */
export async function stoppable<T>(work: (stops: StopSignals) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const finish = new AbortController();
  let canFinish = false;
  const giveUp = () => {
    if (abort.signal.aborted) process.exit(130);
    abort.abort();
  };
  const onInterrupt = () => {
    if (canFinish && !finish.signal.aborted) finish.abort();
    else giveUp();
  };
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", giveUp);
  try {
    return await work({
      abort: abort.signal,
      finish: finish.signal,
      canFinish: (can) => {
        canFinish = can;
        Atomics.store(flags, FINISHES_EARLY, can ? 1 : 0);
      },
    });
  } finally {
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", giveUp);
  }
}
