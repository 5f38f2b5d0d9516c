import { yieldToEventLoop } from "./event-loop.js";

/**
 * Work on this thread that pauses every few milliseconds and may report its progress then: a generator that returns the
 * result.
 */
export type Steps<Result, Report = undefined> = Generator<Report, Result, undefined>;

/** Runs the work without pauses. */
export function inOneGo<Result>(steps: Steps<Result, unknown>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Runs the work and calls `checkpoint` with its report in each pause. An error of the checkpoint is also thrown into the work at
 * its pause, so that it can clean up.
 */
export async function withCheckpoints<Result, Report>(
  steps: Steps<Result, Report>,
  checkpoint: (report: Report) => Promise<void> | undefined,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    try {
      await checkpoint(step.value);
    } catch (error) {
      steps.throw(error);
      throw error;
    }
  }
}

/** Runs the work and lets the event loop run in its pauses; throws `run/interrupted` if the signal is aborted. */
export async function withPauses<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  return await withCheckpoints(steps, () => yieldToEventLoop(signal));
}

/**
 * Divides `count` pieces of work into ranges [begin, end) of about `workAtOnce` each, but of at least one piece, if each
 * piece is `workEach`: long work can pause after every range.
 */
export function* workRanges(
  count: number,
  workEach: number,
  workAtOnce: number,
): Generator<[begin: number, end: number], void> {
  const step = Math.max(1, Math.floor(workAtOnce / Math.max(1, workEach)));
  for (let begin = 0; begin < count; begin += step) yield [begin, Math.min(begin + step, count)];
}
