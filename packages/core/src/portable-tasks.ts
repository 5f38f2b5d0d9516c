import { taskModules } from "./task-modules.js";

/** Loads the module that defines a task. */
export type TaskLoader = () => Promise<unknown>;

/** Tasks of the library that exchange only values. Another machine runs these by their IDs, and no others. */
const PORTABLE = [
  "cascade/validate",
  "ensemble/fold",
  "validation/trial",
  "forest/grow-range",
  "learners/score-range",
  "multiclass/fit-machine",
] as const;

/** Portable tasks of the library: their IDs, and how to load their modules. */
export const portableTasks: Readonly<Record<string, TaskLoader>> = Object.fromEntries(
  PORTABLE.map((id) => [id, taskModules[id]]),
);
