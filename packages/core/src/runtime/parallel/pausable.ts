import { yieldToEventLoop } from "./event-loop.js";
import { inlineExecutor } from "./inline.js";
import type { Run } from "./run.js";
import type { PureTask } from "./task.js";

/**
 * Work that pauses every few milliseconds and may report its progress then: a generator that returns the result. It may also hand
 * parallel work to its runner; see `forRanges`.
 */
export type Pausable<Result, Report = undefined> = Generator<Report | ParallelWork, Result, undefined>;

/** The part of a run that parallel work needs. */
export type Threads = Pick<Run, "executor" | "signal"> & Partial<Pick<Run, "progress">>;

/** Independent pieces of work that a generator of steps hands to its runner. */
export class ParallelWork {
  /** Does all pieces on this thread. */
  readonly inline: () => void;
  /** Does them on the threads of a run. */
  readonly onThreads: (run: Threads) => Promise<void>;

  constructor(inline: () => void, onThreads: (run: Threads) => Promise<void>) {
    this.inline = inline;
    this.onThreads = onThreads;
  }
}

/** Does work in one of two ways with the same result: at once on this thread, or on the threads of a run. */
export function* nowOrOnThreads<Result>(
  now: () => Result,
  onThreads: (run: Threads) => Promise<Result>,
): Pausable<Result> {
  const results: Result[] = [];
  yield new ParallelWork(
    () => {
      results.push(now());
    },
    async (run) => {
      results.push(await onThreads(run));
    },
  );
  return results[0];
}

/** How to do parallel work. */
interface ParallelOptions<Input> {
  /** Estimated time of all inputs on one thread: threads do not start for little work. */
  readonly milliseconds: number;
  /** Moves the arrays of an input to shared memory, so that threads get them without a copy. */
  readonly share?: (input: Input) => Input;
}

/**
 * Old form of `forRanges`. Runs a task on every input, on threads if the runner of the steps has some; outputs are in the
 * order of the inputs.
 */
export function* inParallel<Input, Output>(
  task: PureTask<Input, Output>,
  inputs: readonly Input[],
  { milliseconds, share }: ParallelOptions<Input>,
): Pausable<readonly Output[]> {
  let outputs: readonly Output[] = [];
  yield new ParallelWork(
    () => {
      outputs = inputs.map((input) => task.run(input));
    },
    async ({ executor, signal }) => {
      const isSent = executor.threads > 1 && milliseconds >= MIN_WORK_TO_SHARE;
      outputs = await (isSent ? executor : inlineExecutor()).map(
        task,
        isSent && share ? inputs.map(share) : inputs,
        { ...(signal && { signal }), milliseconds },
      );
    },
  );
  return outputs;
}

/** Work of fewer milliseconds is not worth sharing memory for. */
const MIN_WORK_TO_SHARE = 4;

/** Runs the work at once on this thread, without pauses. */
export function runNow<Result>(steps: Pausable<Result, unknown>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value instanceof ParallelWork) step.value.inline();
  }
}

/**
 * Runs the work and calls `checkpoint` with its report in each pause. An error of the checkpoint is also thrown into the work at
 * its pause, so that it can clean up.
 */
export async function runWithCheckpoints<Result, Report>(
  steps: Pausable<Result, Report>,
  checkpoint: (report: Report) => Promise<void> | undefined,
): Promise<Result> {
  return await runSteps(steps, checkpoint, (work) => work.inline());
}

/** Runs the work and lets the event loop run in its pauses; throws `run/interrupted` if the signal is aborted. */
export async function runWithPauses<Result>(steps: Pausable<Result>, signal?: AbortSignal): Promise<Result> {
  return await runOnThreads(steps, { executor: inlineExecutor(), ...(signal && { signal }) });
}

/** Runs the work with its parallel parts on the threads of a run; the event loop runs in its pauses. */
export async function runOnThreads<Result>(steps: Pausable<Result>, run: Threads): Promise<Result> {
  return await runSteps(
    steps,
    () => yieldToEventLoop(run.signal),
    (work) => work.onThreads(run),
  );
}

async function runSteps<Result, Report>(
  steps: Pausable<Result, Report>,
  checkpoint: (report: Report) => Promise<void> | undefined,
  doWork: (work: ParallelWork) => Promise<void> | void,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    try {
      await (step.value instanceof ParallelWork ? doWork(step.value) : checkpoint(step.value));
    } catch (error) {
      steps.throw(error);
      throw error;
    }
  }
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
