import { defineRangeTask, forRanges } from "../../runtime/parallel/for-ranges.js";
import { type Pausable, runOnThreads } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { sharedFloats, sharedInts } from "../../runtime/parallel/shared-array.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import type { TreeColumns } from "../tree/tree-columns.js";
import { type TreeArrays, TreeSet } from "../tree/tree-set.js";
import type { ForestPlan, RawTree } from "./forest-thread.js";
import { growOnCluster } from "./grow-on-cluster.js";
import { type ForestTarget, growOnThreads, growthMilliseconds } from "./grow-on-threads.js";

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
  return await runOnThreads(joinTrees(grown, sizes, shape), run);
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

/** Joins grown trees to sets of the given sizes, in the order of their numbers. */
export function* joinTrees(
  grown: readonly RawTree[],
  sizes: readonly number[],
  shape: { readonly classes: number; readonly columns: number },
): Pausable<TreeSet[]> {
  const trees = grown.toSorted((a, b) => a.index - b.index);
  const sets: TreeSet[] = [];
  let at = 0;
  for (const size of sizes) {
    const ofSet = trees.slice(at, at + size);
    at += size;
    const arrays = arraysFor(ofSet, shape);
    const words = startsOf(ofSet.map((tree) => tree.words.length));
    const division = { count: size, work: (end: number) => WORK_PER_WORD * words[end], output: arrays.nodes };
    yield* forRanges(joinTask, division, (first, end): JoinInput => {
      return { trees: ofSet.slice(first, end), first, arrays };
    });
    sets.push(new TreeSet(arrays));
  }
  return sets;
}

/** Operations to copy a word. */
const WORK_PER_WORD = 2;

/** Trees, and where their parts go. */
interface JoinInput {
  readonly trees: readonly RawTree[];
  /** The number of the first of these trees in its set. */
  readonly first: number;
  readonly arrays: TreeArrays;
}

/** Allocates the arrays of a set. */
function arraysFor(
  trees: readonly RawTree[],
  shape: { readonly classes: number; readonly columns: number },
): TreeArrays {
  const nodeStarts = startsOf(trees.map(({ nodes }) => nodes));
  const setStarts = startsOf(trees.map(({ sets }) => sets));
  const leafStarts = startsOf(trees.map(({ shares }) => shares));
  const count = trees.length;
  return {
    ...shape,
    nodes: sharedInts(nodeStarts[count] * NODE_WORDS),
    nodeStarts,
    sets: sharedInts(setStarts[count] * SET_WORDS),
    setStarts,
    leafClasses: sharedInts(leafStarts[count]),
    leafShares: new Float32Array(sharedFloats(leafStarts[count], "f32").buffer),
    leafStarts,
  };
}

function startsOf(counts: readonly number[]): Int32Array {
  const starts = new Int32Array(counts.length + 1);
  counts.forEach((count, k) => {
    starts[k + 1] = starts[k] + count;
  });
  return starts;
}

const joinTask = defineRangeTask("forest/join", ({ trees, first, arrays }: JoinInput): void => {
  const shares = new Int32Array(arrays.leafShares.buffer);
  trees.forEach((tree, k) => {
    const index = first + k;
    let at = 0;
    const put = (to: Int32Array, start: number, length: number) => {
      to.set(tree.words.subarray(at, at + length), start);
      at += length;
    };
    put(arrays.nodes, arrays.nodeStarts[index] * NODE_WORDS, tree.nodes * NODE_WORDS);
    put(arrays.sets, arrays.setStarts[index] * SET_WORDS, tree.sets * SET_WORDS);
    put(arrays.leafClasses, arrays.leafStarts[index], tree.shares);
    put(shares, arrays.leafStarts[index], tree.shares);
  });
});
