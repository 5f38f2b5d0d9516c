import { type Column, Table } from "../data/table.js";
import type { Labelled } from "../data/target.js";
import type { Learner } from "../learning/learner.js";
import { learnerNamed, learners } from "../learning/registry.js";
import { completeRun } from "../learning/run.js";
import type { TaskContext } from "../parallel/executor.js";
import { defineTask } from "../parallel/task.js";
import { type Division, type Findings, tryOut } from "./division.js";

/** A learner by what it can be made from again, on another thread. */
interface LearnerRecipe {
  readonly name: string;
  readonly options: Learner["options"];
}

/** Labelled rows as plain objects, and what is to be done with them. */
export interface DivisionInput extends Division, Pick<Labelled, "labels" | "target" | "classes"> {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly candidates: readonly LearnerRecipe[];
  readonly seed: number;
}

/** Whether a learner can be made again from its name and options: one of the caller's own kind cannot. */
export function hasRecipe({ name }: Learner): boolean {
  return learners.some((definition) => definition.name === name);
}

/** The input of the task for a division. */
export function divisionInput(
  candidates: readonly Learner[],
  { features, labels, target, classes }: Labelled,
  division: Division,
  seed: number,
): DivisionInput {
  const recipes = candidates.map(({ name, options }) => ({ name, options }));
  const { name, columns } = features;
  return { ...division, name, columns, labels, target, classes, candidates: recipes, seed };
}

/** Fits and tries all candidates in one division of the rows. */
export const divisionTask = defineTask(
  "selection/try-division",
  async (input: DivisionInput, context: TaskContext): Promise<Findings> => {
    const { name, columns, labels, target, classes, candidates, test, facts, seed } = input;
    const data = { features: new Table(name, labels.length, columns), labels, target, classes, notices: [] };
    const learners = candidates.map(({ name, options }) => learnerNamed(name).create(options));
    const run = completeRun({ seed, progress: ({ done, stage }) => context.progress(done, stage) });
    await context.checkpoint();
    return tryOut(learners, data, { test, facts }, run);
  },
);
