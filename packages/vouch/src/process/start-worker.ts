import { startWorker, type TaskWorker, type WorkerSettings } from "@vouch/cluster";
import { portableTasks } from "@vouch/core/internal/portable-tasks";
import { experimentTasks } from "@vouch/experiments/tasks";

/** Starts a worker that also runs the tasks of experiments. */
export function startTaskWorker(settings: Omit<WorkerSettings, "tasks" | "script">): Promise<TaskWorker> {
  return startWorker({
    ...settings,
    tasks: [...Object.keys(portableTasks), ...Object.keys(experimentTasks)],
    script: new URL("./job-thread.js", import.meta.url),
  });
}
