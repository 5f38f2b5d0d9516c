import type { KernelMemory } from "../../runtime/memory.js";
import { drawSubsample } from "../tree/draw-subsample.js";
import { randomWords } from "../tree/tree-grower.js";

/** Draws between two pauses: some milliseconds. */
const DRAWS_PER_STEP = 1 << 21;

/** How the rows of a tree are drawn from those of all shards. */
export interface ShardDraws {
  readonly seed: number;
  readonly bootstrap: boolean;
  readonly draws: number;
  /** Number of rows on all shards that are drawn from. */
  readonly rows: number;
  /** Number of these rows on earlier shards. */
  readonly first: number;
  /** Number of these rows on this shard. */
  readonly own: number;
  /** Their row numbers on this shard; absent if they are all rows of it. */
  readonly list?: Int32Array;
}

/**
 * Draws the rows of a tree as `TreeGrower` does, and writes how often each row of this shard was drawn, by its place among those that are drawn from. Each shard makes all draws of a
 * bootstrap sample, since they come from one stream. Returns the state of the tree's generator afterwards.
 *
 * @param counts the address of the counts, u16
 * @param state the address of the state of a tree
 */
export async function drawOnShard(
  { seed, bootstrap, draws, rows, first, own }: ShardDraws,
  counts: number,
  state: number,
  memory: KernelMemory,
  pause: () => Promise<void> | undefined,
): Promise<readonly number[]> {
  const { kernels } = memory;
  const [a, b, c, counter] = randomWords(seed);
  memory.u16(counts, own).fill(!bootstrap && draws >= rows ? 1 : 0);
  if (!bootstrap) {
    if (draws < rows) drawSubsample({ rows, draws, seed }, first, memory.u16(counts, own));
    return [a, b, c, counter];
  }
  kernels.treeSetRandom(state, a, b, c, counter);
  for (let done = 0; done < draws; done += DRAWS_PER_STEP) {
    kernels.treeCountDraws(state, rows, Math.min(DRAWS_PER_STEP, draws - done), first, own, counts);
    await pause();
  }
  return [0, 1, 2, 3].map((index) => kernels.treeRandomWord(state, index));
}
