/** A signal that aborts when one of several does, or when time is up. */
interface TimeLimit {
  readonly signal: AbortSignal;
  /** Whether it was time that aborted it. */
  readonly isUp: () => boolean;
  /** To be called when the work has ended. */
  readonly release: () => void;
}

/** The longest time that a timer can wait, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Limits work to some milliseconds, and to as long as none of the signals is aborted. */
export function timeLimit(milliseconds: number, signals: readonly (AbortSignal | undefined)[]): TimeLimit {
  const controller = new AbortController();
  let isUp = false;
  const abort = () => controller.abort();
  const timer = setTimeout(
    () => {
      isUp = true;
      abort();
    },
    Math.max(0, Math.min(milliseconds, LONGEST_TIMER)),
  );
  for (const signal of signals) {
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
  }
  return {
    signal: controller.signal,
    isUp: () => isUp,
    release: () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener("abort", abort);
    },
  };
}
