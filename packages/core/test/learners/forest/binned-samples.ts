import { binLike, binMatrix } from "#core/encode/bin-matrix.js";
import type { BinnedColumns } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import type { ForestPlan } from "#core/learners/forest/forest-thread.js";
import type { ForestTarget } from "#core/learners/forest/grow-on-threads.js";
import type { TreeColumns } from "#core/learners/tree/tree-columns.js";
import { loneGrowerLayout, TreeGrower } from "#core/learners/tree/tree-grower.js";
import { TreeTarget } from "#core/learners/tree/tree-target.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { Arena, bytesOf } from "#core/runtime/wasm/arena.js";

/** A sample of binned columns from plain arrays; NaN is missing. */
export function binnedSample(
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  weights?: readonly number[],
  classes = Math.max(2, ...labels.map((label) => label + 1)),
): Sample<BinnedColumns> {
  return new Sample({
    features: binMatrix(Matrix.from(rows)),
    labels: Int32Array.from(labels),
    classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
    ...(weights && { weights: Float64Array.from(weights) }),
  });
}

/** Rows of uniform noise whose class follows from their features; binned like those of another sample, if given. */
export function noiseRows(
  rows: number,
  columns: number,
  classOf: (row: readonly number[], random: Random) => number,
  { seed = 1, like }: { readonly seed?: number; readonly like?: Sample<BinnedColumns> } = {},
): Sample<BinnedColumns> {
  const random = new Random(seed);
  const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.uniform()));
  const labels = cells.map((row) => classOf(row, random));
  const sample = binnedSample(cells, labels);
  return like
    ? new Sample({ ...sample, features: binLike(Matrix.from(cells), like.features.features) })
    : sample;
}

/** Class 1 where exactly one of the first two features is above a half: no feature says anything by itself. */
export const isOdd = ([a, b]: readonly number[]): number => Number(a > 0.5 !== b > 0.5);

/** Lists the rows that each tree of a plan has not seen. */
export function bagsOf(
  columns: TreeColumns,
  { labels, classes }: ForestTarget,
  { growth, trees, bootstrap, seed, rows }: ForestPlan,
): Int32Array[] {
  using target = TreeTarget.of(labels, classes, undefined, columns.memory);
  using arena = Arena.allocate(bytesOf(loneGrowerLayout(columns, target)), columns.memory);
  const grower = TreeGrower.alone(columns, target, arena);
  return Array.from({ length: trees }, (_, t) => {
    const own = new Random(seed).fork(t).uniform();
    return runNow(grower.grow({ growth, rows, bootstrap, seed: own })).outOfBag;
  });
}
