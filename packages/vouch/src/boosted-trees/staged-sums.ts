import type { BinnedColumns } from "../data/binned-columns.js";
import { Arena } from "../numeric/arena.js";
import { alignUp } from "../numeric/heap.js";
import { HeldMemory } from "../numeric/held-memory.js";
import { inOneGo } from "../parallel/steps.js";
import { ResidentTrees, TreeColumns, type TreeSet, TreeWalker } from "../tree/index.js";

/**
 * What the trees add to the margins of rows, row after row, after each round of `outputs` trees; the array is overwritten
 * by the next.
 */
export function* stagedSums(
  trees: TreeSet,
  outputs: number,
  features: BinnedColumns,
): Generator<Float32Array, void> {
  const { rows } = features;
  const rounds = trees.trees / outputs;
  if (rows === 0) {
    for (let round = 0; round < rounds; round++) yield new Float32Array(0);
    return;
  }
  const held = new HeldMemory();
  try {
    const columns = held.hold(TreeColumns.of(features));
    const resident = held.hold(ResidentTrees.of(trees, columns));
    const bytes = TreeWalker.bytes(columns) + alignUp(4 * rows * outputs);
    const arena = held.hold(Arena.allocate(bytes));
    const walker = new TreeWalker(columns, resident, arena);
    const sums = arena.f32(rows * outputs);
    const every = Int32Array.from({ length: rows }, (_, i) => i);
    sums.view.fill(0);
    for (let round = 0; round < rounds; round++) {
      const ofRound = { begin: round * outputs, end: (round + 1) * outputs };
      inOneGo(walker.addScores({ ...ofRound, rows: every, scores: sums.pointer }));
      yield sums.view;
    }
  } finally {
    held.release();
  }
}
