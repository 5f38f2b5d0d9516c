import { BinnedColumns, type BinnedFeature } from "../../encode/binned-columns.js";
import { rowRange } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { isShared, onSharedMemory, sharedBuffer } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { type RowRange, sumsAtOnce, walkParts } from "../tree/score-trees.js";
import { type TreeArrays, TreeSet } from "../tree/tree-set.js";
import { boostedProbabilities } from "./boosted-scores.js";

/** Walks of a row through a tree in a millisecond, very roughly; only for estimates of time. */
const WALKS_PER_MILLISECOND = 50_000;

/** Walks between two checkpoints: some milliseconds. */
const WALKS_PER_BLOCK = 1_000_000;

/** Fewer rows are not worth making the trees resident for them. */
const FEWEST_ROWS = 256;

/** Computes the probabilities of rows on one thread. */
export function probabilitiesAtOnce(trees: TreeSet, base: Float64Array, features: BinnedColumns): Matrix {
  return boostedProbabilities(sumsAtOnce(trees, features), base);
}

/** Computes the same on the threads of a run. Each thread copies the bins of a few rows at a time. */
export async function probabilitiesOnThreads(
  trees: TreeSet,
  base: Float64Array,
  features: BinnedColumns,
  { executor, signal }: Run,
): Promise<Matrix> {
  const { rows } = features;
  const classes = Math.max(2, base.length);
  const values = new Float64Array(sharedBuffer(8 * rows * classes, "the scores"));
  if (!isShared(values)) return probabilitiesAtOnce(trees, base, features);
  const common = {
    trees: onSharedArrays(trees.arrays),
    base,
    features: { rows, kinds: features.features.map(({ kind }) => kind), bins: onSharedMemory(features.bins) },
    values,
  };
  const inputs = walkParts(rows, executor).map((range): ScoreInput => ({ ...common, ...range }));
  await executor.map(scoreTask, inputs, {
    ...(signal && { signal }),
    milliseconds: (rows * trees.trees) / WALKS_PER_MILLISECOND,
  });
  return new Matrix(rows, classes, values);
}

function onSharedArrays(arrays: TreeArrays): TreeArrays {
  return {
    ...arrays,
    nodes: onSharedMemory(arrays.nodes),
    nodeStarts: onSharedMemory(arrays.nodeStarts),
    sets: onSharedMemory(arrays.sets),
    setStarts: onSharedMemory(arrays.setStarts),
    leafClasses: onSharedMemory(arrays.leafClasses),
    leafShares: onSharedMemory(arrays.leafShares),
    leafStarts: onSharedMemory(arrays.leafStarts),
  };
}

/** Rows to score, and the place for the probabilities of all rows: structured-cloneable. */
interface ScoreInput extends RowRange {
  readonly trees: TreeArrays;
  readonly base: Float64Array;
  readonly features: {
    readonly rows: number;
    /** Walks need no more than that of the meaning of bins. */
    readonly kinds: readonly BinnedFeature["kind"][];
    readonly bins: Uint8Array;
  };
  readonly values: Float64Array;
}

const scoreTask = defineTask(
  "boosted-trees/score",
  async ({ trees, base, features, values, begin, end }: ScoreInput, context: TaskContext): Promise<void> => {
    const set = new TreeSet(trees);
    const all = new BinnedColumns(features.rows, features.kinds.map(featureOf), features.bins);
    const step = Math.max(FEWEST_ROWS, Math.floor(WALKS_PER_BLOCK / set.trees));
    for (let from = begin; from < end; from += step) {
      const block = rowRange(all, from, Math.min(end, from + step));
      const probabilities = probabilitiesAtOnce(set, base, block);
      values.set(probabilities.values, from * probabilities.columns);
      await context.checkpoint();
    }
  },
);

function featureOf(kind: BinnedFeature["kind"], j: number): BinnedFeature {
  const name = `x${j + 1}`;
  return kind === "numeric" ? { kind, name, cuts: new Float64Array(0) } : { kind, name, levels: [] };
}
