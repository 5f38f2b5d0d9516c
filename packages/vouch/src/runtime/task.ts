import type { Task, TaskContext } from "./executor.js";
import { VouchError } from "./vouch-error.js";

/**
 * A task whose types are forgotten: all that a thread knows of a task that it finds by its id. `run` is a
 * method here so that a `Task` of any input fits; who sends the input has checked its type.
 */
export interface AnyTask {
  readonly id: string;
  readonly module: string | undefined;
  run(input: unknown, context: TaskContext): unknown;
}

const tasks = new Map<string, AnyTask>();

/**
 * Names a function so that it can run on another thread.
 *
 * `run` must not change its input, except for buffers that are shared: on a thread it works on a copy. It
 * sees no variables of the calling thread: all it needs is in the input.
 *
 * @param id unique; by convention `area/verb`
 * @param module `import.meta.url` of the module with this call, which threads load on first use. Only tasks of
 *   the library itself, which are listed in `tasks.ts`, do without.
 */
export function defineTask<Input, Output>(
  id: string,
  run: Task<Input, Output>["run"],
  module?: string,
): Task<Input, Output> {
  const task = { id, run, module };
  const known = tasks.get(id);
  if (known && known.run !== run) {
    throw new VouchError("option/invalid", `The task id "${id}" is taken by another function.`, {
      hint: "Give each task an id of its own.",
    });
  }
  tasks.set(id, task);
  return task;
}

const modules = new Set<string>();

/** Makes threads load a module before they run tasks, such as one that defines a custom learner. */
export function loadOnThreads(module: string): void {
  modules.add(module);
}

/** The modules that threads load before they run tasks. */
export function threadModules(): readonly string[] {
  return [...modules];
}

/** The task that was defined on this thread with this id, if any. */
export function findTask(id: string): AnyTask | undefined {
  return tasks.get(id);
}

/** What the caller of `map` is told when a task throws on input `index` (from 0) of `count`. */
export function taskFailure(
  { id }: { readonly id: string },
  index: number,
  count: number,
  thrown: unknown,
): VouchError {
  if (thrown instanceof VouchError) return thrown;
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return new VouchError("task/failed", `Task "${id}" failed on input ${index + 1} of ${count}: ${message}`, {
    ...(name === "DataCloneError" && {
      hint: "Inputs and outputs are plain objects, arrays, strings, numbers and typed arrays, not functions.",
    }),
    cause: thrown,
  });
}
