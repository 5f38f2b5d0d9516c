import type { TaskContext } from "./executor.js";
import { completeRun, type Run } from "./run.js";

/** Makes the run of a task: on the threads that the task may use, aborted with it. */
export function taskRun(context: TaskContext, run: Partial<Pick<Run, "seed" | "progress">> = {}): Run {
  return completeRun({
    progress: ({ done, total, stage }) => context.progress(total ? Math.min(1, done / total) : 0, stage),
    ...run,
    ...(context.executor && { executor: context.executor }),
    ...(context.signal && { signal: context.signal }),
  });
}
