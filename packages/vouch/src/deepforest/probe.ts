import { holdout, kFold, type Split } from "../data/splits.js";
import type { Run } from "../learning/run.js";
import type { Matrix } from "../numeric/matrix.js";
import { type BlockRows, fitFolds } from "./block.js";
import { meanOf } from "./class-vectors.js";
import type { Member } from "./member.js";
import { seedAt } from "./seeds.js";

/** A probe takes so many rows at most, and this part of the trees. */
const MOST_ROWS = 10_000;
const PART_OF_TREES = 0.2;

/** Where rows are few, chance says more: then there are up to three blocks, until so many rows were judged. */
const ROWS_TO_JUDGE = 5_000;
const MOST_REPEATS = 3;

/** Mean class vectors of some of the rows, out of fold. */
export interface Probe {
  readonly rows: Int32Array;
  readonly h: Matrix;
}

/**
 * Grows blocks like a layer's, but with a fifth of the trees and on 10,000 rows at most, to see how one setting or another
 * would do. Probes of the same seed use the same rows and folds. Only forests take part.
 */
export async function probeLayer(
  rows: BlockRows,
  members: readonly Member[],
  folds: number,
  run: Run,
): Promise<Probe> {
  const some = someRows(rows.labels, seedAt(run.seed, 0));
  const few = members.flatMap((member): Member[] =>
    member.kind === "forest" ? [{ ...member, trees: Math.ceil(member.trees * PART_OF_TREES) }] : [],
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

/** All rows, or as many at random as a probe takes, of each class the same share. */
function someRows(labels: Int32Array, seed: number): Int32Array {
  if (labels.length <= MOST_ROWS) return Int32Array.from(labels, (_, row) => row);
  return holdout(labels, MOST_ROWS / labels.length, seed).test;
}

function foldsAmong(some: Int32Array, labels: Int32Array, k: number, seed: number): Split[] {
  const own = some.map((row) => labels[row]);
  const { folds } = kFold(own, k, seed);
  const named = (places: Int32Array) => places.map((place) => some[place]);
  return folds.map(({ train, test }) => ({ train: named(train), test: named(test) }));
}
