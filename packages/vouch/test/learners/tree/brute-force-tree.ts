import type { BinnedColumns } from "#vouch/encode/binned-columns.js";
import type { TreeGrowth } from "#vouch/learners/tree/tree-grower.js";

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

/** What a tree is grown on. */
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
 * The tree with the best cut of all features in every node, found by trying all of them: of equal ones that of the
 * first feature, with missing cells on the right rather than on the left, and the lowest. Gini index, numbers only.
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
    for (const sides of cuts(data, feature, rows)) {
      const left = rows.filter((row) => sides[features.column(feature)[row]] === "L");
      const right = rows.filter((row) => sides[features.column(feature)[row]] === "R");
      if (Math.min(left.length, right.length) < growth.minLeafRows) continue;
      const score = giniScore(classWeights(data, left), classWeights(data, right));
      if (best && !isLarger(score, best.score)) continue;
      best = { score, feature, sides };
    }
  }
  if (!best) return leaf;
  const { feature, sides } = best;
  const side = (name: string) => rows.filter((row) => sides[features.column(feature)[row]] === name);
  return {
    feature,
    sides,
    left: bruteForceTree({ ...data, classes }, growth, side("L"), depth + 1),
    right: bruteForceTree({ ...data, classes }, growth, side("R"), depth + 1),
  };
}

/** All ways to cut the bins of some rows in two, as sides of bins. */
function cuts(data: Data, feature: number, rows: readonly number[]): string[] {
  const column = data.features.column(feature);
  const bins = [...new Set(rows.map((row) => column[row]))]
    .filter((bin) => bin !== 255)
    .sort((a, b) => a - b);
  const missing = rows.some((row) => column[row] === 255);
  const between = bins.slice(1).map((bin, i) => Math.floor((bins[i] + bin) / 2));
  if (!missing) {
    return between.map((cut) => {
      // Missing cells, of which there are none here, go to the heavier side.
      const below = rows.filter((row) => column[row] <= cut);
      const isLeftHeavier = 2 * sum(classWeights(data, below)) >= sum(classWeights(data, rows));
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
