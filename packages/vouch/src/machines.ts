/**
 * Run tasks of the library on other machines: for packages that make an executor of their own. It loads no learner and no model.
 *
 * @packageDocumentation
 */

// Tasks and where they run

export { LIBRARY_FOLDER } from "./library-folder.js";
export { portableTasks, type TaskLoader } from "./portable-tasks.js";
export { throwIfAborted } from "./runtime/event-loop.js";
export { type Machines, MapProgress } from "./runtime/executor.js";
export { Inbox } from "./runtime/inbox.js";
export { type AnyTask, findTask, taskFailure } from "./runtime/task.js";
export { isErrorCode } from "./runtime/vouch-error.js";

// Also here

export type { Executor, MapOptions, Task, TaskContext } from "./runtime/executor.js";
export { inlineExecutor } from "./runtime/inline.js";
export { memoryLimit } from "./runtime/memory-limit.js";
export { hardwareThreads } from "./runtime/platform.js";
export { threadExecutor } from "./runtime/threads.js";
export { VERSION } from "./runtime/version.js";
export { interrupted, VouchError } from "./runtime/vouch-error.js";
