import { breathe } from "./event-loop.js";

/**
 * Work on this thread that pauses every few milliseconds, and may tell then how far it is; written as a generator, whose
 * return value is the result.
 */
export type Steps<Result, Told = undefined> = Generator<Told, Result, undefined>;

/** Does the work in one go. */
export function inOneGo<Result>(steps: Steps<Result, unknown>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Does the work and calls `checkpoint` in its pauses, with what the work tells. What that throws is thrown also where the
 * work pauses, so that it can clear up.
 */
export async function withCheckpoints<Result, Told>(
  steps: Steps<Result, Told>,
  checkpoint: (told: Told) => Promise<void> | undefined,
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

/** Does the work and lets the event loop run in its pauses; throws `run/interrupted` when the signal is aborted. */
export async function withPauses<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  return await withCheckpoints(steps, () => breathe(signal));
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
