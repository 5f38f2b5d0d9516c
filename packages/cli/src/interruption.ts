/**
 * Runs work that Ctrl-C (SIGINT) or SIGTERM stops cleanly: the first signal aborts the work, which then
 * leaves nothing half-written; a second one ends the process at once.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return stoppable(({ abort }) => work(abort));
}

/** The two ways to end work before its end. */
export interface Stops {
  /** Gives the work up. */
  readonly abort: AbortSignal;
  /** Asks the work to come to an end with what it has; only while it says that it can. */
  readonly finish: AbortSignal;
  /** From now on, or no longer, the first Ctrl-C asks the work to finish, and only the next one gives it up. */
  canFinish(can: boolean): void;
}

/** Runs work as `interruptible` does, which may ask for the first Ctrl-C to be a wish to finish early. */
export async function stoppable<T>(work: (stops: Stops) => Promise<T>): Promise<T> {
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
      },
    });
  } finally {
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", giveUp);
  }
}
