import { VouchError } from "../vouch-error.js";
import { yieldToEventLoop } from "./event-loop.js";
import type { Executor } from "./executor.js";
import { inlineExecutor } from "./inline.js";

/** Progress of long work. `total` is absent if it is not known in advance. */
export interface Progress {
  readonly stage: string;
  readonly done: number;
  readonly total?: number;
  /** Unit of `done` and `total`, such as `s`; absent for counts. */
  readonly unit?: string;
  /** A short remark to show beside the bar, such as the training error so far. */
  readonly note?: string;
}

/** Everything a fit needs apart from data and options; passed through all layers. */
export interface Run {
  /** Seed of all randomness. The same seed gives the same bits for any number of threads. */
  readonly seed: number;
  /** Runs parallel work. */
  readonly executor: Executor;
  /** Aborting it stops the work within 100 ms. */
  readonly signal?: AbortSignal;
  /** Called often during long work; must be cheap. */
  readonly progress: (progress: Progress) => void;
}

/**
 * Fills in the defaults of a run: seed 0, all work on this thread, no progress reports. Further fields of the object are ignored,
 * since callers such as experiments keep their own there.
 */
export function completeRun(run: Partial<Run> = {}): Run {
  const { seed = 0, executor = inlineExecutor(), progress = () => {}, signal } = run;
  if (!Number.isFinite(seed)) {
    throw new VouchError("option/invalid", `The seed is ${seed}, but must be a finite number.`);
  }
  if (typeof executor?.map !== "function") {
    throw new VouchError(
      "option/invalid",
      `The executor of the run is ${executor}, which cannot run tasks.`,
      {
        hint: "Make one with threadExecutor({ threads: 4 }) or inlineExecutor().",
      },
    );
  }
  return { seed, executor, progress, ...(signal && { signal }) };
}

/**
 * Throws `run/interrupted` if the run was aborted, and lets the event loop run every 12 ms. Call it in a learner's own long
 * loops at least every 50 ms, and await the promise if it returns one.
 */
export function checkpoint(run: Pick<Run, "signal">): Promise<void> | undefined {
  return yieldToEventLoop(run.signal);
}
