/** A signal that is aborted with one of several signals, or when time is up. */
interface TimeLimit {
  readonly signal: AbortSignal;
  /** Tells whether time is up. */
  readonly isUp: () => boolean;
  /** Stops the timer; call it when the work has ended. */
  readonly release: () => void;
}

/** Maximum delay of a timer, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;

/** Limits work to some milliseconds, unless one of the signals is aborted before. */
export function timeLimit(milliseconds: number, signals: readonly (AbortSignal | undefined)[]): TimeLimit {
  const controller = new AbortController();
  let isUp = false;
  const abort = () => controller.abort();
  const timer = setTimeout(
    () => {
      isUp = true;
      abort();
    },
    Math.max(0, Math.min(milliseconds, MAX_DELAY)),
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
