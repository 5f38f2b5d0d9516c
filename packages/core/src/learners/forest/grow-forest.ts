import type { Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { executorFor, type TreeColumns } from "../tree/tree-columns.js";
import type { TreeSet } from "../tree/tree-set.js";
import type { ForestPlan } from "./forest-thread.js";
import { growOnCluster } from "./grow-on-cluster.js";
import { type ForestTarget, growOnThreads, growthMilliseconds } from "./grow-on-threads.js";
import { joinTrees } from "./join-trees.js";

/** Work of fewer milliseconds is not worth a cluster. */
const MIN_WORK_TO_SEND = 10;

/**
 * Grows forests on the threads of the run. The trees of all forests are handed out together, and threads without a tree help
 * others, so that none waits for the last tree. Each tree depends on its plan alone.
 */
export async function growForests(
  columns: TreeColumns,
  target: ForestTarget,
  plans: readonly ForestPlan[],
  run: Run,
): Promise<TreeSet[]> {
  return await growJointly(
    columns,
    target,
    plans.map((plan) => [plan]),
    run,
  );
}

/** Grows forests as `growForests` does, and joins the trees of the plans of each group, such as the folds of a forest. */
export async function growJointly(
  columns: TreeColumns,
  target: ForestTarget,
  groups: readonly (readonly ForestPlan[])[],
  run: Run,
): Promise<TreeSet[]> {
  const plans = groups.flat();
  checkPlans(plans);
  if (plans.length === 0) return [];
  const isSent = run.executor.cluster && growthMilliseconds(plans, columns.columns) >= MIN_WORK_TO_SEND;
  const grow = isSent ? growOnCluster : growOnThreads;
  const grown = await grow(columns, target, plans, run);
  const sizes = groups.map((group) => group.reduce((sum, plan) => sum + plan.trees, 0));
  const shape = { classes: target.classes, columns: columns.columns };
  return await joinTrees(grown, sizes, shape, executorFor(columns, run));
}

function checkPlans(plans: readonly ForestPlan[]): void {
  for (const { trees, rows } of plans) {
    if (!(Number.isInteger(trees) && trees >= 1)) {
      throw new VouchError("option/invalid", `A forest cannot have ${trees} trees.`, {
        hint: "The number of trees is a whole number ≥ 1.",
      });
    }
    if (rows.length === 0) throw new VouchError("data/no-rows", "There are no rows to grow a forest on.");
  }
}
