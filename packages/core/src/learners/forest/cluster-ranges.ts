import { BinnedColumns } from "../../encode/binned-columns.js";
import type { Cluster } from "../../runtime/parallel/executor.js";
import { sharedBytes } from "../../runtime/parallel/shared-array.js";
import type { TreeColumns } from "../tree/tree-columns.js";
import type { ForestPlan } from "./forest-thread.js";

/** Trees `first` … of a plan, and the number of the first one among the trees of all plans. */
export interface PlanPart {
  readonly plan: number;
  readonly first: number;
  readonly trees: number;
  readonly number: number;
}

/** Smallest range, in estimated milliseconds: below this, messages cost more than they save. */
const LEAST_MILLISECONDS = 100;

/**
 * Divides the trees of all plans into ranges for machines, the largest first. Each round hands out half of the trees that are left, a range
 * for each machine (factoring: Hummel, Schonberg and Flynn 1992). So most trees are in a few large ranges, and the last ones are short:
 * machines of different speed end at about the same time. `milliseconds` is the estimated time of all trees on one thread.
 */
export function divideTrees(
  plans: readonly Pick<ForestPlan, "trees">[],
  { count, threads }: Cluster,
  milliseconds: number,
): PlanPart[][] {
  const total = plans.reduce((sum, { trees }) => sum + trees, 0);
  return rangesOf(plans, rangeSizes(total, count, Math.ceil(threads / count), milliseconds / total));
}

/** Returns the numbers of trees of the ranges: multiples of the threads of a machine if there are enough trees. */
function rangeSizes(trees: number, machines: number, threads: number, milliseconds: number): number[] {
  const least = Math.max(1, Math.ceil(LEAST_MILLISECONDS / milliseconds)) * threads;
  const sizes: number[] = [];
  for (let left = trees; left > 0; ) {
    const half = Math.floor(left / (2 * machines * threads)) * threads;
    // With few trees, every machine gets some.
    const size = Math.max(half, Math.min(least, Math.ceil(left / machines)));
    for (let i = 0; i < machines && left > 0; i++) {
      sizes.push(Math.min(size, left));
      left -= Math.min(size, left);
    }
  }
  return sizes;
}

/** Takes trees of the plans in order, `sizes[r]` for range r. */
function rangesOf(plans: readonly Pick<ForestPlan, "trees">[], sizes: readonly number[]): PlanPart[][] {
  let plan = 0;
  let first = 0;
  let number = 0;
  return sizes.map((size) => {
    const parts: PlanPart[] = [];
    for (let room = size; room > 0; ) {
      const trees = Math.min(room, plans[plan].trees - first);
      parts.push({ plan, first, trees, number });
      number += trees;
      room -= trees;
      first += trees;
      if (first === plans[plan].trees) {
        plan++;
        first = 0;
      }
    }
    return parts;
  });
}

/** Integers that take as few bytes as they need: 1, 2 or 4 each, without the bits at their end that are 0 in all of them. */
export interface PackedIntegers {
  readonly shift: number;
  readonly values: Uint8Array | Uint16Array | Int32Array;
}

/** Packs integers. Sums of votes of trees with pure leaves take one byte each: a vote is a power of two. */
export function packIntegers(integers: Int32Array): PackedIntegers {
  let bits = 0;
  for (let i = 0; i < integers.length; i++) bits |= integers[i];
  const shift = bits === 0 ? 0 : 31 - Math.clz32(bits & -bits);
  const most = bits >>> shift;
  if (most >= 2 ** 16) return { shift: 0, values: integers };
  const values = most < 2 ** 8 ? new Uint8Array(integers.length) : new Uint16Array(integers.length);
  for (let i = 0; i < integers.length; i++) values[i] = integers[i] >>> shift;
  return { shift, values };
}

/** Adds packed integers to others, one by one. */
export function addPacked(to: Int32Array, { shift, values }: PackedIntegers): void {
  for (let i = 0; i < to.length; i++) to[i] += values[i] << shift;
}

/** Columns as values: one byte per cell, and no addresses. */
export interface PlainColumns {
  readonly rows: number;
  /** The bins of all columns, column after column, in parts of whole columns. */
  readonly bins: readonly Uint8Array[];
  /** 1 for each column of categories, otherwise 0. */
  readonly categorical: Uint8Array;
}

/** Bytes of bins that travel together: consecutive layers have the same first columns, which travel once. */
const BINS_TOGETHER = 4 * 2 ** 20;

/** Copies the bins of columns from WebAssembly memory. */
export function plainColumns(columns: TreeColumns): PlainColumns {
  const { rows } = columns;
  const together = Math.max(1, Math.floor(BINS_TOGETHER / rows));
  const bins: Uint8Array[] = [];
  for (let first = 0; first < columns.columns; first += together) {
    const count = Math.min(together, columns.columns - first);
    const part = new Uint8Array(count * rows);
    for (let j = 0; j < count; j++) part.set(columns.bins(first + j), j * rows);
    bins.push(part);
  }
  const categorical = Uint8Array.from({ length: columns.columns }, (_, j) =>
    columns.isCategorical(j) ? 1 : 0,
  );
  return { rows, bins, categorical };
}

/** Makes binned columns again; trees need no names and cuts. */
export function columnsFrom({ rows, bins, categorical }: PlainColumns): BinnedColumns {
  const all = sharedBytes(rows * categorical.length);
  let at = 0;
  for (const part of bins) {
    all.set(part, at);
    at += part.length;
  }
  const features = Array.from(categorical, (isCategorical) =>
    isCategorical
      ? ({ kind: "categorical", name: "", levels: [] } as const)
      : ({ kind: "numeric", name: "", cuts: new Float64Array(0) } as const),
  );
  return new BinnedColumns(rows, features, all);
}
