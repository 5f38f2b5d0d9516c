import type { BinnedColumns } from "../../encode/binned-columns.js";
import * as real from "../../runtime/maths/portable-math.js";
import { Random } from "../../runtime/maths/random.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { type Pausable, runWithCheckpoints } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { ArenaPool, type ArenaPoolDescriptor, Scope } from "../../runtime/wasm/arena.js";
import type { Split } from "../../table/splits.js";
import { type LeafRanges, leafRanges, pruningPath } from "./cost-complexity.js";
import type { TreeGrowth } from "./growth-options.js";
import { leavesOfRows, type NodeFacts, nodeFacts, ROWS_PER_STEP, type WeighedRows } from "./node-facts.js";
import { executorFor, TreeColumns, type TreeColumnsDescriptor } from "./tree-columns.js";
import { TreeGrower } from "./tree-grower.js";
import { type TreeArrays, TreeSet } from "./tree-set.js";
import { TreeTarget, type TreeTargetDescriptor } from "./tree-target.js";

/** Cells of a feature that are read in a millisecond, very roughly; only for estimates of time. */
const CELLS_PER_MILLISECOND = 100_000;

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
  const held = new Scope();
  try {
    const columns = held.hold(TreeColumns.of(features));
    const target = held.hold(TreeTarget.of(labels, classes, weights, columns.memory));
    const executor = executorFor(columns, run);
    const bytes = TreeGrower.bytes(columns, target);
    const threads = Math.min(executor.threads, splits.length + 1);
    const scratch = held.hold(ArenaPool.allocate(threads, bytes, columns.memory));
    const common = {
      columns: columns.descriptor(),
      target: target.descriptor(),
      scratch: scratch.descriptor(),
      features: { rows: features.rows, bins: onSharedMemory(features.bins) },
      labels: onSharedMemory(labels),
      ...(weights && { weights: onSharedMemory(weights) }),
      growth,
      seed: run.seed,
    };
    const every = Int32Array.from({ length: labels.length }, (_, i) => i);
    const inputs = [{ train: every, test: NO_ROWS }, ...splits].map(({ train, test }, index): GrowInput => {
      return { ...common, train: onSharedMemory(train), test: onSharedMemory(test), index };
    });
    const cells = inputs.length * labels.length * real.log2(labels.length + 1) * features.columns;
    const [{ full }, ...folds] = await executor.map(growTask, inputs, {
      ...(run.signal && { signal: run.signal }),
      milliseconds: cells / CELLS_PER_MILLISECOND,
      onProgress: (done, total) => run.progress({ stage: "trees", done: Math.floor(done), total }),
    });
    if (!full) throw new Error("The first tree is that of all rows.");
    return { full: { ...full, tree: new TreeSet(full.arrays) }, folds };
  } finally {
    held.release();
  }
}

const NO_ROWS = new Int32Array(0);

/** One tree: structured-cloneable. */
interface GrowInput extends WeighedRows, Split {
  readonly columns: TreeColumnsDescriptor;
  readonly target: TreeTargetDescriptor;
  readonly scratch: ArenaPoolDescriptor;
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
    const tree = await ArenaPool.attach(input.scratch).with(async (arena) => {
      const grower = new TreeGrower(
        TreeColumns.attach(input.columns),
        TreeTarget.attach(input.target),
        arena,
      );
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
