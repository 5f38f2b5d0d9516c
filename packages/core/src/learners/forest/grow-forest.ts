import type { Features, Sample } from "../../encode/sample.js";
import type { Run } from "../../runtime/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { executorFor, type TreeColumns } from "../tree/tree-columns.js";
import type { TreeSet } from "../tree/tree-set.js";
import { growOnMachines } from "./grow-range.js";
import { type ForestTarget, growTrees, growthMilliseconds } from "./grow-trees.js";
import { joinTrees } from "./join-trees.js";
import type { ForestPlan } from "./tree-pool.js";

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
  return await growJointForests(
    columns,
    target,
    plans.map((plan) => [plan]),
    run,
  );
}

/** Grows forests as `growForests` does, and joins the trees of the plans of each group, such as the folds of a forest. */
export async function growJointForests(
  columns: TreeColumns,
  target: ForestTarget,
  groups: readonly (readonly ForestPlan[])[],
  run: Run,
): Promise<TreeSet[]> {
  const plans = groups.flat();
  checkPlans(plans);
  if (plans.length === 0) return [];
  const isSent = run.executor.machines && growthMilliseconds(plans, columns.columns) >= MIN_WORK_TO_SEND;
  const grow = isSent ? growOnMachines : growTrees;
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

/** Beside a huge weight a small one would vanish, and perhaps with it all rows that a tree has drawn. */
export const SMALLEST_WEIGHT = 1e-60;

/**
 * Computes weights of rows that are 1 on average; undefined if all are equal, which is faster. With balanced classes a row
 * of class c weighs m / (k · m_c), where m_c is the weight of the class's rows, m that of all rows, and k the number of
 * classes that have rows.
 */
export function rowWeights<F extends Features>(
  { labels, classes }: Sample<F>,
  distribution: Float64Array,
  classWeights: "none" | "balanced",
): Float64Array | undefined {
  const rows = distribution.length;
  const weights = distribution.map((share) => Math.max(SMALLEST_WEIGHT, share * rows));
  if (classWeights === "balanced") {
    const ofClass = new Float64Array(classes.length);
    for (let i = 0; i < rows; i++) ofClass[labels[i]] += weights[i];
    const present = ofClass.filter((weight) => weight > 0).length;
    for (let i = 0; i < rows; i++) weights[i] *= rows / (present * ofClass[labels[i]]);
  }
  return weights.every((weight) => weight === weights[0]) ? undefined : weights;
}
