import type { BinnedColumns } from "../../encode/binned-columns.js";
import * as real from "../../runtime/maths/portable-math.js";
import { Random } from "../../runtime/maths/random.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { OPERATIONS_PER_MILLISECOND } from "../../runtime/parallel/for-ranges.js";
import { type Pausable, runOnThreads, runWithCheckpoints } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { ArenaPool, type ArenaPoolFields, bytesOf, Scope } from "../../runtime/wasm/arena.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import type { Split } from "../../table/splits.js";
import { type LeafRanges, leafRanges, pruningPath, subtreeAt } from "./cost-complexity.js";
import { type TreeGrowth, WORK_PER_CELL } from "./growth-options.js";
import { leavesOfRows, type NodeFacts, nodeFacts, ROWS_PER_STEP, type WeighedRows } from "./node-facts.js";
import { allRows } from "./sample-rows.js";
import { executorFor, TreeColumns, type TreeColumnsFields } from "./tree-columns.js";
import { loneGrowerLayout, TreeGrower } from "./tree-grower.js";
import { CATEGORICAL, type TreeArrays, TreeSet } from "./tree-set.js";
import { TreeTarget, type TreeTargetFields } from "./tree-target.js";

/** Rows to grow trees on. */
export interface TreeSample extends WeighedRows {
  readonly features: BinnedColumns;
  readonly classes: number;
}

/** A tree on all rows, with the facts that pruning needs. */
export interface FullTree {
  readonly tree: TreeSet;
  readonly facts: NodeFacts;
  readonly ranges: LeafRanges;
}

/** The tree of a fold: for each of its minimal subtrees, the errors on the rows that it has not seen. */
export interface FoldTree {
  /** Per unit of training weight. */
  readonly alphas: Float64Array;
  /** Sum of the weights of misclassified test rows, and sum of their squares. */
  readonly errors: Float64Array;
  readonly squares: Float64Array;
}

/** Grows a tree on all rows and one on the training rows of each split, on the threads of the run. */
export async function growAndPrune(
  rows: TreeSample,
  growth: TreeGrowth,
  splits: readonly Split[],
  run: Run,
): Promise<{ full: FullTree; folds: FoldTree[] }> {
  const { features, labels, weights, classes } = rows;
  using scope = new Scope();
  const columns = scope.hold(await runOnThreads(TreeColumns.copy(features), run));
  const target = scope.hold(TreeTarget.of(labels, classes, weights, columns.memory));
  const executor = executorFor(columns, run);
  const scratchBytes = bytesOf(loneGrowerLayout(columns, target));
  const threads = Math.min(executor.threads, splits.length + 1);
  const scratch = scope.hold(ArenaPool.allocate(threads, scratchBytes, columns.memory));
  const common = {
    columns,
    target,
    scratch,
    features: { rows: features.rows, bins: onSharedMemory(features.bins) },
    labels: onSharedMemory(labels),
    weights: weights && onSharedMemory(weights),
    growth,
    seed: run.seed,
  };
  const all = { train: allRows(labels.length), test: NO_ROWS };
  const inputs = [all, ...splits].map(({ train, test }, index): GrowInput => {
    return { ...common, train: onSharedMemory(train), test: onSharedMemory(test), index };
  });
  const cells = inputs.length * labels.length * real.log2(labels.length + 1) * features.columns;
  const [{ full }, ...folds] = await executor.map(growTask, inputs, {
    signal: run.signal,
    milliseconds: (WORK_PER_CELL * cells) / OPERATIONS_PER_MILLISECOND,
    onProgress: (done, total) => run.progress({ stage: "trees", done: Math.floor(done), total }),
  });
  if (!full) throw new Error("The first tree is grown on all rows.");
  return { full: { ...full, tree: new TreeSet(full.arrays) }, folds };
}

const NO_ROWS = new Int32Array(0);

/** One tree. */
interface GrowInput extends WeighedRows, Split {
  readonly columns: TreeColumnsFields;
  readonly target: TreeTargetFields;
  readonly scratch: ArenaPoolFields;
  readonly growth: TreeGrowth;
  readonly seed: number;
  /** 0 for the tree on all rows. */
  readonly index: number;
}

interface GrowOutput extends FoldTree {
  /** Only of the tree on all rows. */
  readonly full?: Omit<FullTree, "tree"> & { readonly arrays: TreeArrays };
}

const growTask = defineTask(
  "tree/grow",
  async (input: GrowInput, context: TaskContext): Promise<GrowOutput> => {
    const tree = await new ArenaPool(input.scratch).with(async (arena) => {
      const grower = TreeGrower.alone(input.columns, input.target, arena);
      const seed = new Random(input.seed).fork(input.index).uniform();
      const steps = grower.grow({ growth: input.growth, rows: input.train, bootstrap: false, seed });
      return (await runWithCheckpoints(steps, () => context.checkpoint())).tree;
    });
    return runWithCheckpoints(prune(tree, input), () => context.checkpoint());
  },
);

function* prune(tree: TreeSet, input: GrowInput): Pausable<GrowOutput> {
  const facts = yield* nodeFacts(tree, input, input.train, input.growth.criterion);
  const ranges = leafRanges({ left: facts.left, risks: facts.errors });
  if (input.index === 0) {
    const none = new Float64Array(0);
    return { alphas: none, errors: none, squares: none, full: { arrays: tree.arrays, facts, ranges } };
  }
  const quantities = yield* testErrors(tree, facts, input);
  const { alphas, sums } = pruningPath(ranges, quantities);
  return { alphas: alphas.map((alpha) => alpha / facts.weights[0]), errors: sums[0], squares: sums[1] };
}

/** Sums the weights of the test rows that each node would misclassify as a leaf, and their squares. */
function* testErrors(
  tree: TreeSet,
  { left, classes }: NodeFacts,
  { features, labels, weights, test }: GrowInput,
): Pausable<[errors: Float64Array, squares: Float64Array]> {
  const parents = new Int32Array(left.length).fill(-1);
  left.forEach((child, node) => {
    if (child > 0) parents.fill(node, child, child + 2);
  });
  const errors = new Float64Array(left.length);
  const squares = new Float64Array(left.length);
  const leaves = yield* leavesOfRows(tree, features, test);
  for (let i = 0; i < test.length; i++) {
    const weight = weights ? weights[test[i]] : 1;
    for (let node = leaves[i]; node >= 0; node = parents[node]) {
      if (classes[node] === labels[test[i]]) continue;
      errors[node] += weight;
      squares[node] += weight * weight;
    }
    if (i % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  return [errors, squares];
}

/** A subtree of a grown tree, and the node of the grown tree that each of its nodes was. */
export interface PrunedTree {
  /** A set of this one tree; its leaves have class 0 until they are filled. */
  readonly tree: TreeSet;
  readonly origins: Int32Array;
}

/** Cuts the branches of a set of one tree below the marked nodes. Numbers of nodes keep their order. */
export function pruneTree(grown: TreeSet, becomesLeaf: (node: number) => boolean): PrunedTree {
  const { nodes, sets } = grown.arrays;
  const lefts = grown.leftChildren(0);
  const origins = [0];
  const words: number[] = [];
  const keptSets: number[] = [];
  for (let node = 0; node < origins.length; node++) {
    const origin = origins[node];
    const left = lefts[origin];
    if (left === 0 || becomesLeaf(origin)) {
      words.push(0, -1);
      continue;
    }
    const split = nodes[origin * NODE_WORDS + 1];
    const newLeft = origins.length;
    origins.push(left, left + 1);
    if (split & CATEGORICAL) {
      const set = nodes[origin * NODE_WORDS] * SET_WORDS;
      words.push(keptSets.length / SET_WORDS, split);
      keptSets.push(newLeft, ...sets.subarray(set + 1, set + SET_WORDS));
    } else words.push(newLeft, split);
  }
  const tree = new TreeSet({
    ...grown.arrays,
    nodes: Int32Array.from(words),
    nodeStarts: Int32Array.of(0, origins.length),
    sets: Int32Array.from(keptSets),
    setStarts: Int32Array.of(0, keptSets.length / SET_WORDS),
    leafClasses: new Int32Array(0),
    leafShares: new Float32Array(0),
    leafStarts: Int32Array.of(0, 0),
  });
  return { tree, origins: Int32Array.from(origins) };
}

/** Fills the leaves of a set of one tree with class shares, given the weight of each class in each leaf. */
export function withLeafShares(
  tree: TreeSet,
  classesOf: readonly (ReadonlyMap<number, number> | undefined)[],
): TreeSet {
  const nodes = tree.arrays.nodes.slice();
  const leafClasses: number[] = [];
  const leafShares: number[] = [];
  classesOf.forEach((classes, node) => {
    if (!classes) return;
    const ascending = [...classes].sort(([a], [b]) => a - b);
    const total = ascending.reduce((sum, [, weight]) => sum + weight, 0);
    const isPure = ascending.length === 1;
    nodes[node * NODE_WORDS] = isPure ? ascending[0][0] : leafClasses.length;
    nodes[node * NODE_WORDS + 1] = isPure ? -1 : -1 - ascending.length;
    if (isPure) return;
    for (const [label, weight] of ascending) {
      leafClasses.push(label);
      leafShares.push(weight / total);
    }
  });
  return new TreeSet({
    ...tree.arrays,
    nodes,
    leafClasses: Int32Array.from(leafClasses),
    leafShares: Float32Array.from(leafShares),
    leafStarts: Int32Array.of(0, leafClasses.length),
  });
}

/** The subtree that cross-validation chose. */
export interface ChosenSubtree {
  /** Its number in the pruning path. */
  readonly index: number;
  /** Cross-validated error and its standard error. */
  readonly error: number;
  readonly standardError: number;
}

/** Errors that differ by less are equal: sums of weights are rounded. */
const TIE = 1e-12;

/**
 * Chooses among the minimal subtrees T_1 ⊃ T_2 ⊃ … of a tree by cross-validation (Breiman et al. 1984, section 3.4.2). T_k is
 * minimal for α_k ≤ α < α_{k+1}. It is judged by the subtrees of the trees of all folds at the geometric mean
 * √(α_k α_{k+1}), the last one by their roots. The subtree with the lowest error is chosen or, with the rule of s standard
 * errors, the smallest one whose error is at most s standard errors above the lowest (section 3.4.3). Ties go to the smaller
 * subtree.
 *
 * With weights w and errors e ∈ {0, 1} of n rows, the error is R = Σ w e / Σ w, and its standard error √(Σ w² (e − R)²) / Σ w,
 * which is √(R (1 − R) / n) without weights.
 *
 * @param alphas α_1 < α_2 < …, per unit of weight
 */
export function chooseSubtree(
  alphas: Float64Array,
  folds: readonly FoldTree[],
  weights: { readonly sum: number; readonly sumOfSquares: number },
  standardErrors: number,
): ChosenSubtree {
  const { sum, sumOfSquares } = weights;
  const judged = Array.from(alphas, (alpha, k) => {
    const next = k + 1 < alphas.length ? alphas[k + 1] : Number.POSITIVE_INFINITY;
    const middle = next === Number.POSITIVE_INFINITY ? next : Math.sqrt(alpha * next);
    let wrong = 0;
    let squares = 0;
    for (const fold of folds) {
      const subtree = subtreeAt(fold.alphas, middle);
      wrong += fold.errors[subtree];
      squares += fold.squares[subtree];
    }
    const error = wrong / sum;
    const variance = squares * (1 - 2 * error) + sumOfSquares * error * error;
    return { error, standardError: Math.sqrt(Math.max(0, variance)) / sum };
  });
  const lowest = judged.reduce((best, other) => (other.error < best.error ? other : best));
  const limit = lowest.error + standardErrors * lowest.standardError + TIE;
  const index = judged.findLastIndex(({ error }) => error <= limit);
  return { index, ...judged[index] };
}
