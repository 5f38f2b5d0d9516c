import { BinnedColumns, type BinnedFeature } from "#core/encode/binned-columns.js";
import { FULL_GROWTH, type TreeGrowth } from "#core/learners/tree/growth-options.js";
import { TreeColumns } from "#core/learners/tree/tree-columns.js";
import { type GrownTree, loneGrowerLayout, TreeGrower } from "#core/learners/tree/tree-grower.js";
import { TreeTarget } from "#core/learners/tree/tree-target.js";
import type { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { Arena, bytesOf } from "#core/runtime/wasm/arena.js";
import { type WasmMemory, wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import type { Data } from "./brute-force-tree.js";

/** Growth of a test's tree. */
interface GrowOptions {
  readonly growth?: Partial<TreeGrowth>;
  readonly rows?: ArrayLike<number>;
  readonly bootstrap?: boolean;
  readonly seed?: number;
  readonly memory?: WasmMemory;
}

/** Grows one tree, by default on all rows without limits, and releases all memory. */
export function grow({ features, labels, classes, weights }: Data, options: GrowOptions = {}): GrownTree {
  const { growth, rows = range(features.rows), bootstrap = false, seed = 1 } = options;
  const { memory = wasmMemory() } = options;
  using columns = TreeColumns.of(features, memory);
  using target = TreeTarget.of(labels, classes, weights, memory);
  using arena = Arena.allocate(bytesOf(loneGrowerLayout(columns, target)), memory);
  const grower = TreeGrower.alone(columns, target, arena);
  return runNow(
    grower.grow({ growth: { ...FULL_GROWTH, ...growth }, rows: Int32Array.from(rows), bootstrap, seed }),
  );
}

/** 0 … n − 1. */
export function range(n: number): Int32Array {
  return Int32Array.from({ length: n }, (_, i) => i);
}

/** Binned columns from the bins of each column. */
export function columnsOf(columns: readonly ArrayLike<number>[], categorical = false): BinnedColumns {
  const rows = columns[0].length;
  const bins = new Uint8Array(rows * columns.length);
  for (const [j, column] of columns.entries()) bins.set(Array.from(column), j * rows);
  const features = columns.map((_, j): BinnedFeature => {
    const name = `x${j + 1}`;
    return categorical
      ? { kind: "categorical", name, levels: Array.from({ length: 255 }, (_, k) => `level ${k}`) }
      : { kind: "numeric", name, cuts: Float64Array.from({ length: 254 }, (_, k) => k) };
  });
  return new BinnedColumns(rows, features, bins);
}

/** Columns of random bins below `bins`, some missing, and labels that depend on the first two. */
export function randomData(
  random: Random,
  shape: {
    rows: number;
    columns: number;
    bins: number;
    classes: number;
    missing?: number;
    categorical?: boolean;
  },
): Data {
  const { rows, columns, bins, classes, missing = 0, categorical = false } = shape;
  const cell = () => (random.uniform() < missing ? 255 : random.integer(bins));
  const cells = Array.from({ length: columns }, () => Array.from({ length: rows }, cell));
  const signal = (i: number) => (cells[0][i] + 2 * cells[columns - 1][i]) / (3 * bins);
  const labels = Int32Array.from({ length: rows }, (_, i) =>
    Math.min(classes - 1, Math.max(0, Math.floor(classes * (signal(i) + 0.2 * random.normal())))),
  );
  return { features: columnsOf(cells, categorical), labels, classes };
}
