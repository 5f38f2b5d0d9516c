import type { Features, Sample } from "../../encode/sample.js";
import { MemoryScope, ScratchPool, type ScratchPoolDescriptor } from "../../runtime/arena.js";
import type { Executor, TaskContext } from "../../runtime/executor.js";
import { inlineExecutor } from "../../runtime/inline.js";
import { Random } from "../../runtime/random.js";
import type { Run } from "../../runtime/run.js";
import { onSharedMemory } from "../../runtime/shared-array.js";
import { withCheckpoints } from "../../runtime/steps.js";
import { defineTask } from "../../runtime/task.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { TreeColumns, type TreeColumnsDescriptor } from "../tree/tree-columns.js";
import { type GrownTree, TreeGrower, type TreeGrowth } from "../tree/tree-grower.js";
import { type TreeArrays, TreeSet } from "../tree/tree-set.js";
import { TreeTarget, type TreeTargetDescriptor } from "../tree/tree-target.js";

/** Cells of a feature that are read in a millisecond, very roughly; only for estimates of time. */
const CELLS_PER_MILLISECOND = 100_000;

/** Several tasks per thread, so that no thread waits long for the last one. */
const TASKS_PER_THREAD = 8;

/** The target of all trees of a forest. */
export interface ForestTarget {
  /** Class index of each row of the columns. */
  readonly labels: Int32Array;
  readonly classes: number;
  /** ≥ 0; absent if all rows weigh the same. */
  readonly weights?: Float64Array;
}

/** How to grow a forest. */
export interface ForestPlan {
  readonly growth: TreeGrowth;
  readonly trees: number;
  /** Whether each tree is grown on a bootstrap sample of the rows. */
  readonly bootstrap: boolean;
  /** Tree t is grown from the stream (seed, t). */
  readonly seed: number;
  /** The rows to grow on, such as the training rows of a fold: distinct and ascending. */
  readonly rows: Int32Array;
}

/** A forest, and facts that are known only from its growth. */
export interface GrownForest {
  readonly trees: TreeSet;
  /** Mean decrease of impurity per tree by the splits of each column. */
  readonly decreases: Float64Array;
  /** The rows that each tree has not seen, ascending; none without bootstrap. */
  readonly outOfBag: readonly Int32Array[];
}

/**
 * Grows forests on the threads of the run. The trees of all forests and folds are handed out together, so that no thread
 * waits for the last tree of one of them. Each tree depends on its plan alone.
 */
export async function growForests(
  columns: TreeColumns,
  target: ForestTarget,
  plans: readonly ForestPlan[],
  run: Run,
): Promise<TreeSet[]> {
  const forests = await grow(columns, target, plans, run, false);
  return forests.map(({ trees }) => trees);
}

/** Grows forests as `growForests` does, and also returns decreases of impurity and out-of-bag rows. */
export function growForestsWithFacts(
  columns: TreeColumns,
  target: ForestTarget,
  plans: readonly ForestPlan[],
  run: Run,
): Promise<GrownForest[]> {
  return grow(columns, target, plans, run, true);
}

/** Facts take as much memory as the trees: without `withFacts`, decreases are zeros and no row is out of bag. */
async function grow(
  columns: TreeColumns,
  { labels, classes, weights }: ForestTarget,
  plans: readonly ForestPlan[],
  run: Run,
  withFacts: boolean,
): Promise<GrownForest[]> {
  checkPlans(plans);
  const executor = executorFor(columns, run);
  const mostRows = plans.reduce((most, { rows }) => Math.max(most, rows.length), 0);
  const held = new MemoryScope();
  try {
    const treeTarget = held.hold(TreeTarget.of(labels, classes, weights, columns.memory));
    const bytes = TreeGrower.bytes(columns, treeTarget, mostRows);
    const scratch = held.hold(ScratchPool.allocate(executor.threads, bytes, columns.memory));
    const common = {
      columns: columns.descriptor(),
      target: treeTarget.descriptor(),
      scratch: scratch.descriptor(),
      mostRows,
      withFacts,
    };
    const batches = await growBatches(common, plans, executor, run);
    return plans.map((_, f) => joined(batches.filter(({ plan }) => plan === f)));
  } finally {
    held.release();
  }
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

/** Returns the run's executor if its threads share the columns, otherwise an executor on this thread. */
export function executorFor({ memory }: TreeColumns, { executor }: Run): Executor {
  return memory.shared ? executor : inlineExecutor();
}

interface CommonInput {
  readonly columns: TreeColumnsDescriptor;
  readonly target: TreeTargetDescriptor;
  readonly scratch: ScratchPoolDescriptor;
  readonly mostRows: number;
  readonly withFacts: boolean;
}

/** Trees `begin` … `end` − 1 of a plan: structured-cloneable. */
interface BatchInput extends CommonInput {
  readonly plan: ForestPlan;
  readonly begin: number;
  readonly end: number;
}

/** The trees of a task, and their facts tree by tree, so that sums do not depend on how trees were divided. */
interface Batch extends Pick<GrownForest, "outOfBag"> {
  readonly arrays: TreeArrays;
  readonly decreases: readonly Float64Array[];
}

async function growBatches(
  common: CommonInput,
  plans: readonly ForestPlan[],
  executor: Executor,
  { signal, progress }: Run,
): Promise<(Batch & { readonly plan: number })[]> {
  const trees = plans.reduce((sum, plan) => sum + plan.trees, 0);
  const size = Math.ceil(trees / (executor.threads * TASKS_PER_THREAD));
  const places = plans.flatMap((plan, f) =>
    Array.from({ length: Math.ceil(plan.trees / size) }, (_, k) => ({
      plan: f,
      begin: k * size,
      end: Math.min(plan.trees, (k + 1) * size),
    })),
  );
  const sent = plans.map((plan) => ({ ...plan, rows: onSharedMemory(plan.rows) }));
  const inputs = places.map((place): BatchInput => ({ ...common, ...place, plan: sent[place.plan] }));
  const batches = await executor.map(growTask, inputs, {
    ...(signal && { signal }),
    milliseconds:
      plans.reduce((sum, plan) => sum + cellsOf(plan, common.columns.columns), 0) / CELLS_PER_MILLISECOND,
    onProgress: (done, total) =>
      progress({ stage: "trees", done: Math.floor((done * trees) / total), total: trees }),
  });
  return batches.map((batch, k) => ({ ...batch, plan: places[k].plan }));
}

function cellsOf({ growth, trees, rows }: ForestPlan, columns: number): number {
  const features = growth.splits === "random" ? 1 : Math.min(growth.featuresPerSplit, columns);
  return trees * rows.length * Math.log2(rows.length + 1) * features;
}

function joined(batches: readonly Batch[]): GrownForest {
  const trees = TreeSet.concat(batches.map(({ arrays }) => new TreeSet(arrays)));
  const decreases = new Float64Array(trees.columns);
  for (const own of batches.flatMap((batch) => batch.decreases)) {
    for (let j = 0; j < decreases.length; j++) decreases[j] += own[j] / trees.trees;
  }
  return { trees, decreases, outOfBag: batches.flatMap(({ outOfBag }) => outOfBag) };
}

const growTask = defineTask(
  "forest/grow",
  async ({ plan, begin, end, ...common }: BatchInput, context: TaskContext): Promise<Batch> => {
    const columns = TreeColumns.attach(common.columns);
    const target = TreeTarget.attach(common.target);
    const seeds = new Random(plan.seed);
    const trees: TreeSet[] = [];
    const facts: Omit<GrownTree, "tree">[] = [];
    await ScratchPool.attach(common.scratch).with(async (arena) => {
      const grower = new TreeGrower(columns, target, arena, common.mostRows);
      for (let t = begin; t < end; t++) {
        const steps = grower.grow({ ...plan, seed: seeds.fork(t).uniform() });
        const { tree, ...others } = await withCheckpoints(steps, () => context.checkpoint());
        trees.push(tree);
        if (common.withFacts) facts.push(others);
        context.progress((t + 1 - begin) / (end - begin));
        await context.checkpoint();
      }
    });
    return {
      arrays: TreeSet.concat(trees).arrays,
      decreases: facts.map(({ decreases }) => decreases),
      outOfBag: facts.map(({ outOfBag }) => outOfBag),
    };
  },
);

/** Beside a huge weight a small one would vanish, and perhaps with it all rows that a tree has drawn. */
const SMALLEST = 1e-60;

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
  const weights = distribution.map((share) => Math.max(SMALLEST, share * rows));
  if (classWeights === "balanced") {
    const ofClass = new Float64Array(classes.length);
    for (let i = 0; i < rows; i++) ofClass[labels[i]] += weights[i];
    const present = ofClass.filter((weight) => weight > 0).length;
    for (let i = 0; i < rows; i++) weights[i] *= rows / (present * ofClass[labels[i]]);
  }
  return weights.every((weight) => weight === weights[0]) ? undefined : weights;
}
