import { breathe } from "./event-loop.js";

/** Work on this thread that pauses every few milliseconds; written as a generator, whose return value is the result. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does the work in one go. */
export function inOneGo<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Does the work and lets the event loop run in its pauses; throws `run/interrupted` when the signal is aborted, also where
 * the work pauses, so that it can clear up.
 */
export async function withPauses<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    try {
      await breathe(signal);
    } catch (error) {
      steps.throw(error);
      throw error;
    }
  }
}
