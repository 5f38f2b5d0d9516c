import type { BinnedColumns } from "#core/encode/binned-columns.js";
import type { TreeGrowth } from "#core/learners/tree/growth-options.js";

/** A tree as nested objects, comparable with `toEqual`. */
export type PlainTree =
  | { readonly shares: readonly number[] }
  | {
      readonly feature: number;
      /** "L" or "R" for each of the 256 bins. */
      readonly sides: string;
      readonly left: PlainTree;
      readonly right: PlainTree;
    };

/** Rows to grow a tree on. */
export interface Data {
  readonly features: BinnedColumns;
  readonly labels: Int32Array;
  readonly classes: number;
  /** Whole numbers, so that scores are fractions of whole numbers. */
  readonly weights?: Float64Array;
}

interface Fraction {
  readonly above: number;
  readonly below: number;
}

/** Side of every bin, by a function. */
export function sidesOf(isLeft: (bin: number) => boolean): string {
  return Array.from({ length: 256 }, (_, bin) => (isLeft(bin) ? "L" : "R")).join("");
}

/**
 * Grows the tree with the best cut of all features in every node, found by trying all of them. Ties go to the first
 * feature, then to missing cells on the right, then to the lowest cut. Gini index, numbers only.
 */
export function bruteForceTree(
  data: Data,
  growth: TreeGrowth,
  rows: readonly number[],
  depth = 0,
): PlainTree {
  const { features, classes } = data;
  const totals = classWeights(data, rows);
  const weight = sum(totals);
  const leaf = { shares: totals.map((total) => Math.fround(total / weight)) };
  const isPure = totals.filter((total) => total > 0).length < 2;
  if (isPure || depth >= growth.maxDepth || rows.length < growth.minSplitRows) return leaf;
  let best: { readonly score: Fraction; readonly feature: number; readonly sides: string } | undefined;
  for (let feature = 0; feature < features.columns; feature++) {
    const bins = binsOf(data, feature, rows);
    for (const sides of cuts(bins)) {
      const left = joined(bins.filter(({ bin }) => sides[bin] === "L"));
      const right = joined(bins.filter(({ bin }) => sides[bin] === "R"));
      if (Math.min(left.rows, right.rows) < growth.minLeafRows) continue;
      const score = giniScore(left.totals, right.totals);
      if (best && !isLarger(score, best.score)) continue;
      best = { score, feature, sides };
    }
  }
  if (!best) return leaf;
  const { feature, sides } = best;
  const column = features.column(feature);
  const side = (name: string) => rows.filter((row) => sides[column[row]] === name);
  return {
    feature,
    sides,
    left: bruteForceTree({ ...data, classes }, growth, side("L"), depth + 1),
    right: bruteForceTree({ ...data, classes }, growth, side("R"), depth + 1),
  };
}

/** The rows of a node in one bin of a feature. */
interface Bin {
  readonly bin: number;
  readonly rows: number;
  /** Weight of each class. */
  readonly totals: readonly number[];
}

function binsOf(data: Data, feature: number, rows: readonly number[]): Bin[] {
  const column = data.features.column(feature);
  const byBin = new Map<number, number[]>();
  for (const row of rows) {
    const own = byBin.get(column[row]) ?? [];
    own.push(row);
    byBin.set(column[row], own);
  }
  return [...byBin]
    .sort(([a], [b]) => a - b)
    .map(([bin, own]) => ({ bin, rows: own.length, totals: classWeights(data, own) }));
}

function joined(bins: readonly Bin[]): Omit<Bin, "bin"> {
  return {
    rows: sum(bins.map(({ rows }) => rows)),
    totals: bins[0]?.totals.map((_, k) => sum(bins.map(({ totals }) => totals[k]))) ?? [],
  };
}

/** All ways to cut bins in two, as sides of bins. */
function cuts(given: readonly Bin[]): string[] {
  const bins = given.filter(({ bin }) => bin !== 255).map(({ bin }) => bin);
  const between = bins.slice(1).map((bin, i) => Math.floor((bins[i] + bin) / 2));
  if (bins.length === given.length) {
    return between.map((cut) => {
      // Missing cells, of which there are none here, go to the heavier side.
      const below = given.filter(({ bin }) => bin <= cut);
      const isLeftHeavier = 2 * sum(joined(below).totals) >= sum(joined(given).totals);
      return sidesOf((bin) => (bin === 255 ? isLeftHeavier : bin <= cut));
    });
  }
  return [
    ...between.map((cut) => sidesOf((bin) => bin <= cut)),
    ...(bins.length > 0 ? [sidesOf((bin) => bin !== 255)] : []),
    ...between.map((cut) => sidesOf((bin) => bin <= cut || bin === 255)),
  ];
}

function classWeights({ labels, classes, weights }: Data, rows: readonly number[]): number[] {
  const totals: number[] = Array(classes).fill(0);
  for (const row of rows) totals[labels[row]] += weights?.[row] ?? 1;
  return totals;
}

/** Σ l² / Σ l + Σ r² / Σ r */
function giniScore(left: readonly number[], right: readonly number[]): Fraction {
  const [l, r] = [sum(left), sum(right)];
  return { above: squares(left) * r + squares(right) * l, below: l * r };
}

function isLarger(a: Fraction, b: Fraction): boolean {
  return BigInt(a.above) * BigInt(b.below) > BigInt(b.above) * BigInt(a.below);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function squares(values: readonly number[]): number {
  return values.reduce((total, value) => total + value * value, 0);
}
