import { taskModules } from "./task-modules.js";

/** Loads the module that defines a task. */
export type TaskLoader = () => Promise<unknown>;

/** Tasks of the library that pass values only. Another machine runs these, by their ids, and no others. */
const PORTABLE = [
  "cascade/validate",
  "ensemble/fold",
  "validation/trial",
  "forest/grow-range",
  "learners/score-range",
  "multiclass/fit-machine",
] as const;

/** The portable tasks of the library: their ids, and how to load the module of each. */
export const portableTasks: Readonly<Record<string, TaskLoader>> = Object.fromEntries(
  PORTABLE.map((id) => [id, taskModules[id]]),
);
