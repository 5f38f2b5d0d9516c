import { Random } from "../runtime/maths/random.js";
import { testCounts } from "./splits.js";

/** Training and held-out rows of a shard, and their numbers on all shards. */
export interface ShardSplit {
  readonly train: Int32Array;
  readonly test: Int32Array;
  /** Numbers of training and held-out rows of each shard. */
  readonly trainRows: readonly number[];
  readonly testRows: readonly number[];
  /** Number of training rows of each class on all shards. */
  readonly trainCounts: readonly number[];
}

/**
 * Splits the rows of a shard like `stratifiedHoldout` splits all rows. The draw depends only on the number of rows of
 * each class, so every shard makes it itself; it takes four bytes for each row of the largest class.
 *
 * @param counts rows of each class on each shard
 */
export function stratifiedTestRows(
  labels: Int32Array,
  counts: readonly Float64Array[],
  shard: number,
  fraction: number,
  seed: number,
): ShardSplit {
  const classes = counts[0].length;
  const sizes = Array.from({ length: classes }, (_, k) => counts.reduce((sum, own) => sum + own[k], 0));
  const present = Array.from(sizes.keys()).filter((k) => sizes[k] > 0);
  const tests = testCounts(
    present.map((k) => sizes[k]),
    fraction,
  );
  const random = new Random(seed);
  const isTest = new Uint8Array(labels.length);
  const testRows = counts.map(() => 0);
  const trainCounts = sizes.slice();
  for (const [place, k] of present.entries()) {
    const order = random
      .shuffle(Int32Array.from({ length: sizes[k] }, (_, i) => i))
      .subarray(0, tests[place]);
    const own = rowsOfClass(labels, k);
    const starts = counts.map((_, s) => counts.slice(0, s).reduce((sum, { [k]: count }) => sum + count, 0));
    for (const member of order) {
      let holder = starts.length - 1;
      while (starts[holder] > member) holder--;
      testRows[holder]++;
      if (holder === shard) isTest[own[member - starts[shard]]] = 1;
    }
    trainCounts[k] -= tests[place];
  }
  const rows = counts.map((own) => own.reduce((sum, count) => sum + count, 0));
  return {
    train: rowsWith(isTest, 0),
    test: rowsWith(isTest, 1),
    trainRows: rows.map((count, s) => count - testRows[s]),
    testRows,
    trainCounts,
  };
}

function rowsOfClass(labels: Int32Array, label: number): Int32Array {
  const rows: number[] = [];
  for (let i = 0; i < labels.length; i++) if (labels[i] === label) rows.push(i);
  return Int32Array.from(rows);
}

function rowsWith(marks: Uint8Array, mark: number): Int32Array {
  const rows: number[] = [];
  for (let i = 0; i < marks.length; i++) if (marks[i] === mark) rows.push(i);
  return Int32Array.from(rows);
}
