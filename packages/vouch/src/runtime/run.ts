import { breathe } from "./event-loop.js";
import type { Executor } from "./executor.js";
import { inlineExecutor } from "./inline.js";
import { VouchError } from "./vouch-error.js";

/** How far a long piece of work has come. `total` is absent when it is not known beforehand. */
export interface Progress {
  readonly stage: string;
  readonly done: number;
  readonly total?: number;
  /** What is counted, as it stands behind the numbers; absent for things. */
  readonly unit?: string;
  /** A short remark worth showing beside the bar, such as the training error so far. */
  readonly note?: string;
}

/** Everything a fit needs besides data and options: one of these is passed through all layers. */
export interface Run {
  /** Seed of all randomness. The same seed gives the same bits, whatever the number of threads. */
  readonly seed: number;
  /** Where parallel work is done. */
  readonly executor: Executor;
  /** Aborting it stops the work within 100 ms. */
  readonly signal?: AbortSignal;
  /** Called often during long work; must be cheap. */
  readonly progress: (progress: Progress) => void;
}

/**
 * The run with its gaps filled: seed 0, all work on this thread, progress reported to nobody. Whatever else the object has
 * is no matter of the run: others may keep more in it, as experiments do.
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
 * To be called in a learner's own long loops, at least every 50 ms: throws `run/interrupted` when the run was
 * aborted, and lets the event loop run every 12 ms. When it returns a promise, await it.
 */
export function checkpoint(run: Pick<Run, "signal">): Promise<void> | undefined {
  return breathe(run.signal);
}
