import type { Executor } from "../../runtime/parallel/executor.js";
import { sharedFloats, sharedInts } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { type TreeArrays, TreeSet } from "../tree/tree-set.js";
import type { RawTree } from "./forest-thread.js";

/** Fewer words are joined on this thread: that takes a few milliseconds. */
const WORDS_TO_DIVIDE = 1 << 20;

/** Words that are copied in a millisecond, very roughly. */
const WORDS_PER_MILLISECOND = 500_000;

/** Trees, and where their parts go. */
interface JoinInput {
  readonly trees: readonly RawTree[];
  /** The number of the first of these trees in its set. */
  readonly first: number;
  readonly arrays: TreeArrays;
}

/** Joins grown trees to sets of the given sizes, in the order of their numbers. */
export async function joinTrees(
  grown: readonly RawTree[],
  sizes: readonly number[],
  shape: { readonly classes: number; readonly columns: number },
  executor: Executor,
): Promise<TreeSet[]> {
  const trees = grown.toSorted((a, b) => a.index - b.index);
  const words = trees.reduce((sum, tree) => sum + tree.words.length, 0);
  const isDivided = words > WORDS_TO_DIVIDE && executor.threads > 1;
  const perTask = isDivided ? words / (4 * executor.threads) : words;
  let at = 0;
  const inputs: JoinInput[] = [];
  const sets = sizes.map((size) => {
    const own = trees.slice(at, at + size);
    at += size;
    const arrays = arraysFor(own, shape);
    inputs.push(...divided(own, perTask).map((part) => ({ ...part, arrays })));
    return new TreeSet(arrays);
  });
  if (!isDivided) for (const input of inputs) copyTrees(input);
  else await executor.map(joinTask, inputs, { milliseconds: words / WORDS_PER_MILLISECOND });
  return sets;
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

/** Divides trees into parts of about this many words. */
function divided(trees: readonly RawTree[], words: number): Omit<JoinInput, "arrays">[] {
  const parts: { trees: RawTree[]; first: number }[] = [];
  let inPart = Infinity;
  trees.forEach((tree, k) => {
    if (inPart >= words) {
      parts.push({ trees: [], first: k });
      inPart = 0;
    }
    parts[parts.length - 1].trees.push(tree);
    inPart += tree.words.length;
  });
  return parts;
}

function copyTrees({ trees, first, arrays }: JoinInput): void {
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
}

const joinTask = defineTask("forest/join", copyTrees);
