import { isTooManyFiles, tooManyFiles } from "../files/open-files.js";
import { VouchError } from "../vouch-error.js";
import type { Task, TaskContext } from "./executor.js";

/**
 * A task of unknown types, as a thread finds it by its id. `run` is a method here so that a `Task` of any input is assignable;
 * the sender has checked the type of the input.
 */
export interface AnyTask {
  readonly id: string;
  readonly module: string | undefined;
  readonly portable?: boolean;
  run(input: unknown, context: TaskContext): unknown;
}

const tasks = new Map<string, AnyTask>();

/**
 * Names a function so that it can run on another thread.
 *
 * `run` must not change its input, except for shared buffers: on a thread it works on a copy. It sees no variables of the
 * calling thread; everything it needs is in the input.
 *
 * @param id unique; by convention `area/verb`
 * @param module `import.meta.url` of the module with this call, which threads load on first use. Only tasks of the library
 * itself, which `task-modules.ts` lists, omit it.
 */
export function defineTask<Input, Output>(
  id: string,
  run: Task<Input, Output>["run"],
  module?: string,
): Task<Input, Output> {
  return register({ id, run, module });
}

/**
 * Names a function so that it can run on another thread or another machine; see `defineTask`. Its inputs and outputs are plain
 * values and typed arrays, without addresses in shared memory, and arrays in its inputs never change.
 */
export function definePortableTask<Input, Output>(
  id: string,
  run: Task<Input, Output>["run"],
  module?: string,
): Task<Input, Output> {
  return register({ id, run, module, portable: true });
}

function register<Input, Output>(task: Task<Input, Output>): Task<Input, Output> {
  const { id, run } = task;
  const known = tasks.get(id);
  if (known && known.run !== run) {
    throw new VouchError("option/invalid", `The task id "${id}" is taken by another function.`, {
      hint: "Give each task a unique id.",
    });
  }
  tasks.set(id, task);
  return task;
}

/** A task without pauses, which can also be called directly. */
export interface PureTask<Input, Output> extends Task<Input, Output> {
  readonly run: (input: Input) => Output;
}

/** Names a function without pauses, of the library, so that it can run on another thread; see `defineTask`. */
export function definePureTask<Input, Output>(
  id: string,
  run: (input: Input) => Output,
): PureTask<Input, Output> {
  return { ...defineTask<Input, Output>(id, run), run };
}

const modules = new Set<string>();

/** Makes threads load a module before they run tasks, such as one that defines a custom learner. */
export function loadOnThreads(module: string): void {
  modules.add(module);
}

/** Lists the modules that threads load before they run tasks. */
export function threadModules(): readonly string[] {
  return [...modules];
}

/** Finds the task that was defined on this thread with this id. */
export function findTask(id: string): AnyTask | undefined {
  return tasks.get(id);
}

/** Makes the error of `map` for a task that throws on input `index` (from 0) of `count`. */
export function taskFailure(
  { id }: { readonly id: string },
  index: number,
  count: number,
  thrown: unknown,
): VouchError {
  if (thrown instanceof VouchError) return thrown;
  if (isTooManyFiles(thrown)) return tooManyFiles(thrown);
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return new VouchError("task/failed", `Task "${id}" failed on input ${index + 1} of ${count}: ${message}`, {
    ...(name === "DataCloneError" && {
      hint: "Inputs and outputs must be plain objects, arrays, strings, numbers or typed arrays, not functions.",
    }),
    cause: thrown,
  });
}
