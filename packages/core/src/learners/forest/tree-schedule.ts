import { malformed, type ShardGroup } from "../../runtime/shard-group.js";

/** Bytes of kernel memory for the trees that a shard grows at a time, unless one alone needs more. */
const MOST_BYTES = 2 ** 30;

/** Bytes of a drawn row while its tree grows, besides its cells, roughly. */
const BYTES_PER_ROW = 100;

/** More trees at a time, or threads, than any machine has. */
const MOST_AT_ONCE = 65_536;

/** Returns how many trees a shard grows at a time: one for each thread, if their rows fit in memory. */
export function treesAtOnce(threads: number, draws: number, columns: number): number {
  const bytes = draws * (3 * columns + BYTES_PER_ROW);
  return Math.max(1, Math.min(threads, Math.floor(MOST_BYTES / bytes)));
}

/**
 * Divides the trees of a forest among shards: returns for each batch the trees that each shard grows. A batch takes as many trees of each shard as it grows at a time, in
 * turn, so that the trees of the last batch are on different shards.
 */
export function scheduleTrees(trees: number, atOnce: readonly number[]): number[][][] {
  const batches: number[][][] = [];
  const most = Math.max(...atOnce);
  for (let tree = 0; tree < trees; ) {
    const batch = atOnce.map((): number[] => []);
    for (let place = 0; place < most; place++) {
      for (const [shard, count] of atOnce.entries()) {
        if (place < count && tree < trees) batch[shard].push(tree++);
      }
    }
    batches.push(batch);
  }
  return batches;
}

/** Collects a count of each shard, such as its threads: whole numbers ≥ 1. */
export async function countsOfAll(own: number, group: ShardGroup): Promise<number[]> {
  const all = await group.gatherNumbers([Math.min(own, MOST_AT_ONCE)]);
  return all.map(([count], shard) => {
    if (Number.isInteger(count) && count >= 1 && count <= MOST_AT_ONCE) return count;
    throw malformed(shard);
  });
}
