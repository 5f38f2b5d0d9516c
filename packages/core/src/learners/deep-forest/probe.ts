import type { Matrix } from "../../runtime/maths/matrix.js";
import { seedAt } from "../../runtime/maths/random.js";
import { runOnThreads } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { kFold, type Split, stratifiedHoldout } from "../../table/splits.js";
import { TreeColumns } from "../tree/tree-columns.js";
import { type BlockRows, fitFolds, type TrainingRows, treeWeights } from "./block.js";
import { LayerInput, meanOf } from "./layer-input.js";
import { accuracyOf } from "./layer-sum.js";
import type { Member } from "./members.js";

/** A probe uses at most this many rows, and this share of the trees. */
const MOST_ROWS = 10_000;
const SHARE_OF_TREES = 0.2;

/** With few rows chance matters more: then a probe is repeated up to three times, until this many rows were judged. */
const ROWS_TO_JUDGE = 5_000;
const MOST_REPEATS = 3;

/** Out-of-fold mean class vectors of some of the rows. */
interface Probe {
  readonly rows: Int32Array;
  readonly h: Matrix;
}

/**
 * Grows blocks like that of a layer, but with a fifth of the trees and on at most 10,000 rows, to compare settings. Probes
 * of the same seed use the same rows and folds. Only forests take part.
 */
export async function probeLayer(
  rows: BlockRows,
  members: readonly Member[],
  folds: number,
  run: Run,
): Promise<Probe> {
  const some = someRows(rows.labels, seedAt(run.seed, 0));
  const few = members.flatMap((member): Member[] =>
    member.kind === "forest" ? [{ ...member, trees: Math.ceil(member.trees * SHARE_OF_TREES) }] : [],
  );
  const repeats = Math.min(MOST_REPEATS, Math.ceil(ROWS_TO_JUDGE / some.length));
  const vectors: Matrix[] = [];
  for (let repeat = 1; repeat <= repeats; repeat++) {
    const splits = foldsAmong(some, rows.labels, folds, seedAt(run.seed, repeat, 0));
    const block = await fitFolds(rows, few, splits, { ...run, seed: seedAt(run.seed, repeat, 1) });
    vectors.push(...block.map(({ outOfFold }) => outOfFold));
  }
  return { rows: some, h: meanOf(vectors).select(some) };
}

/** Returns all rows, or a stratified subsample of as many as a probe takes. */
function someRows(labels: Int32Array, seed: number): Int32Array {
  if (labels.length <= MOST_ROWS) return Int32Array.from(labels, (_, row) => row);
  return stratifiedHoldout(labels, MOST_ROWS / labels.length, seed).test;
}

function foldsAmong(some: Int32Array, labels: Int32Array, k: number, seed: number): Split[] {
  const own = some.map((row) => labels[row]);
  const { folds } = kFold(own, k, seed);
  const rowsAt = (places: Int32Array) => places.map((place) => some[place]);
  return folds.map(({ train, test }) => ({ train: rowsAt(train), test: rowsAt(test) }));
}

/** Minimum leaf sizes to try: pure leaves for clean data, larger ones for noisy data. */
const CANDIDATES = [1, 3, 5, 10] as const;

/**
 * Chooses the minimum number of rows in a leaf: larger leaves are tried as long as they make a small first layer more accurate
 * out of fold. `membersWith` makes the members of a layer for such a number.
 */
export async function chooseLeafRows(
  { features, labels, classes, distribution }: TrainingRows,
  membersWith: (minLeafRows: number) => readonly Member[],
  folds: number,
  run: Run,
): Promise<number> {
  using columns = await runOnThreads(TreeColumns.copy(features), run);
  const weights = treeWeights(distribution);
  const input = LayerInput.first(features);
  const rows = { input, columns, labels, classes, ...(weights && { weights }) };
  let best = { leafRows: 1, accuracy: -1 };
  for (const leafRows of CANDIDATES) {
    const progress: Run["progress"] = ({ stage, ...rest }) =>
      run.progress({ ...rest, stage: `leaves of ${leafRows}: ${stage}` });
    const probe = await probeLayer(rows, membersWith(leafRows), folds, { ...run, progress });
    const accuracy = accuracyOf(
      probe.h,
      probe.rows.map((row) => labels[row]),
      Float64Array.from(probe.rows, (row) => distribution[row]),
    );
    if (accuracy <= best.accuracy) break;
    best = { leafRows, accuracy };
  }
  return best.leafRows;
}
