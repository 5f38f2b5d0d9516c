import * as z from "zod";
import { type BinnedColumns, type BinnedFeature, MISSING_BIN } from "../../encode/binned-columns.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/kernels.js";
import { counted, countedFromOne, finiteReal } from "../../runtime/number-ranges.js";
import type { Steps } from "../../runtime/steps.js";
import { ROWS_PER_STEP } from "./node-facts.js";
import { CATEGORICAL, FEATURE_SHIFT, isInSet, isLeftOfCut, lastLeftBin, type TreeSet } from "./tree-set.js";

/** Splits whose rows are counted, those with the most rows: as many as a picture has room for. */
const MOST_SPLITS = 15;

/** Intervals of a number and categories of a picture, and classes, the most frequent ones; the others are counted together. */
const MOST_CELLS = 16;
const MOST_LEVELS = 12;
const MOST_CLASSES = 9;

const splitDistribution = z
  .strictObject({
    node: counted,
    /** Edges of the intervals of a number. */
    edges: z
      .array(finiteReal)
      .max(MOST_CELLS + 1)
      .readonly()
      .optional(),
    /** Names of the cells of a category. */
    names: z
      .array(z.string())
      .max(MOST_LEVELS + 2)
      .readonly()
      .optional(),
    /** Number of cells, from the first, whose rows go left. */
    left: countedFromOne,
    /** Rows of each class in each cell. */
    counts: z
      .array(z.array(counted).readonly())
      .max(MOST_CLASSES + 1)
      .readonly(),
  })
  .refine(({ edges, names, left, counts }) => {
    const cells = edges ? edges.length - 1 : (names ?? []).length;
    return left < cells && counts.every(({ length }) => length === cells);
  }, "cells and counts do not fit");

/** The stored rows of splits by class and value. */
export const splitDistributionsSchema = z.strictObject({
  /** The classes that are counted each by itself; the last counts are those of all others, if there are more. */
  classes: z
    .array(counted)
    .max(MOST_CLASSES + 1)
    .readonly(),
  splits: z.array(splitDistribution).max(MOST_SPLITS).readonly(),
});

/** Rows of the largest splits of a tree by class, along the feature of each split. */
export type SplitDistributions = z.output<typeof splitDistributionsSchema>;

type StoredSplit = SplitDistributions["splits"][number];

/** Rows with their classes. */
interface ClassedRows {
  readonly features: BinnedColumns;
  readonly labels: Int32Array;
  readonly classes: number;
}

/** Counts the rows of the largest splits of a set of one tree, given the rows of each node. */
export function* splitDistributions(
  tree: TreeSet,
  rows: ClassedRows,
  nodeRows: Int32Array,
): Steps<SplitDistributions> {
  const { features, labels } = rows;
  const classes = frequentClasses(rows);
  const slots = Int32Array.from({ length: rows.classes }, (_, k) => {
    const slot = classes.indexOf(k);
    return slot < 0 ? classes.length : slot;
  });
  const width = Math.min(rows.classes, classes.length + 1);
  const counted = countedSplits(tree, nodeRows);
  const counts = counted.map(() => new Int32Array(width * 256));
  const places = new Int32Array(nodeRows.length).fill(-1);
  for (const [place, node] of counted.entries()) places[node] = place;
  const isPassed = passedNodes(tree, places);
  for (let row = 0; row < features.rows; row++) {
    const slot = slots[labels[row]] * 256;
    for (let node = 0; isPassed[node] === 1; ) {
      const bin = features.bins[featureOf(tree, node) * features.rows + row];
      const place = places[node];
      if (place >= 0) counts[place][slot + bin]++;
      node = childOf(tree, node, bin);
    }
    if (row % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  const splits = counted.flatMap((node, place) => {
    const feature = features.features[featureOf(tree, node)];
    return distributionOf(tree, node, feature, byClass(counts[place], width)) ?? [];
  });
  return { classes, splits };
}

/** Lists the most frequent classes, in their order; all if there are few. */
function frequentClasses({ labels, classes }: ClassedRows): number[] {
  const rows = new Int32Array(classes);
  for (const label of labels) rows[label]++;
  const order = [...rows.keys()].sort((a, b) => rows[b] - rows[a] || a - b);
  return order.slice(0, classes > MOST_CLASSES + 1 ? MOST_CLASSES : classes).sort((a, b) => a - b);
}

/** Chooses the splits with the most rows, except those that only separate missing cells. */
function countedSplits({ arrays: { nodes } }: TreeSet, nodeRows: Int32Array): number[] {
  return [...nodeRows.keys()]
    .filter((node) => {
      const split = nodes[node * NODE_WORDS + 1];
      return split >= 0 && ((split & CATEGORICAL) !== 0 || lastLeftBin(split) < MISSING_BIN - 1);
    })
    .sort((a, b) => nodeRows[b] - nodeRows[a] || a - b)
    .slice(0, MOST_SPLITS);
}

function featureOf({ arrays: { nodes } }: TreeSet, node: number): number {
  return nodes[node * NODE_WORDS + 1] >> FEATURE_SHIFT;
}

/** Marks the splits on the way to the counted ones, and these: rows need not go further. */
function passedNodes(tree: TreeSet, places: Int32Array): Uint8Array {
  const lefts = tree.leftChildren(0);
  const passed = new Uint8Array(lefts.length);
  // Children come after their parent.
  for (let node = lefts.length - 1; node >= 0; node--) {
    const left = lefts[node];
    const isOnTheWay = left > 0 && (passed[left] === 1 || passed[left + 1] === 1);
    passed[node] = Number(isOnTheWay || places[node] >= 0);
  }
  return passed;
}

/** Returns the child of a split that rows with this bin go to. */
function childOf({ arrays: { nodes, sets } }: TreeSet, node: number, bin: number): number {
  const split = nodes[node * NODE_WORDS + 1];
  const first = nodes[node * NODE_WORDS];
  if ((split & CATEGORICAL) === 0) return first + Number(!isLeftOfCut(split, bin));
  const set = first * SET_WORDS;
  return sets[set] + Number(!isInSet(sets, set, bin));
}

/** Counts of bins by class. */
type ClassCounts = readonly Int32Array[];

function byClass(counts: Int32Array, width: number): ClassCounts {
  return Array.from({ length: width }, (_, k) => counts.subarray(k * 256, (k + 1) * 256));
}

function distributionOf(
  tree: TreeSet,
  node: number,
  feature: BinnedFeature,
  counts: ClassCounts,
): StoredSplit | undefined {
  return feature.kind === "numeric"
    ? ofNumber(tree, node, feature.cuts, counts)
    : ofCategory(tree, node, feature.levels, counts);
}

/** Divides the values of a split into intervals of about the same length, one of whose edges is the threshold. */
function ofNumber(
  { arrays: { nodes } }: TreeSet,
  node: number,
  cuts: Float64Array,
  counts: ClassCounts,
): StoredSplit | undefined {
  const last = lastLeftBin(nodes[node * NODE_WORDS + 1]);
  const present = Array.from({ length: cuts.length + 1 }, (_, bin) => bin).filter((bin) =>
    counts.some((own) => own[bin] > 0),
  );
  const [lowest, highest] = [present[0], present[present.length - 1]];
  if (lowest === undefined || lowest > last || highest <= last) return undefined;
  const threshold = cuts[last];
  const edgesOf = binEdges(cuts);
  const [low, high] = [edgesOf(lowest)[0], edgesOf(highest)[1]];
  const left = Math.min(
    MOST_CELLS - 1,
    Math.max(1, Math.round((MOST_CELLS * (threshold - low)) / (high - low))),
  );
  const edges = [...evenly(low, threshold, left), ...evenly(threshold, high, MOST_CELLS - left), high];
  if (!edges.every((edge, i) => Number.isFinite(edge) && (i === 0 || edge > edges[i - 1]))) return undefined;
  const cellOf = (bin: number) => {
    const [from, to] = edgesOf(bin);
    const middle = from / 2 + to / 2;
    const cell = edges.findLastIndex((edge) => edge <= middle);
    return bin <= last
      ? Math.min(left - 1, Math.max(0, cell))
      : Math.min(MOST_CELLS - 1, Math.max(left, cell));
  };
  return { node, edges, left, counts: counts.map((own) => summed(own, present, cellOf, MOST_CELLS)) };
}

/**
 * Returns the edges of each bin. Cuts lie halfway between values, so those at the ends are half as wide as their neighbours: whole
 * numbers begin and end at their smallest and largest.
 */
function binEdges(cuts: Float64Array): (bin: number) => readonly [number, number] {
  const end = cuts.length - 1;
  const [first, last] = cuts.length > 1 ? [cuts[1] - cuts[0], cuts[end] - cuts[end - 1]] : [1, 1];
  return (bin) => [
    bin === 0 ? cuts[0] - first / 2 : cuts[bin - 1],
    bin > end ? cuts[end] + last / 2 : cuts[bin],
  ];
}

function evenly(from: number, to: number, parts: number): number[] {
  return Array.from({ length: parts }, (_, i) => from + (i * (to - from)) / parts);
}

/** Lists the most frequent categories of a split, those that go left first. */
function ofCategory(
  { arrays: { nodes, sets } }: TreeSet,
  node: number,
  levels: readonly string[],
  counts: ClassCounts,
): StoredSplit | undefined {
  const at = nodes[node * NODE_WORDS] * SET_WORDS;
  const rowsOf = (bin: number) => counts.reduce((sum, own) => sum + own[bin], 0);
  const present = [...levels.keys()].filter((bin) => rowsOf(bin) > 0);
  const shown = present.toSorted((a, b) => rowsOf(b) - rowsOf(a) || a - b).slice(0, MOST_LEVELS);
  const sides = [true, false].map((isLeft) => {
    const own = present.filter((bin) => isInSet(sets, at, bin) === isLeft);
    const named = shown.filter((bin) => own.includes(bin));
    const others = own.length - named.length;
    const names = [...named.map((bin) => levels[bin]), ...(others > 0 ? [`${others} more`] : [])];
    return { own, named, names };
  });
  const [left, right] = sides;
  if (left.names.length === 0 || right.names.length === 0) return undefined;
  const cellOf = (bin: number) => {
    const isLeft = isInSet(sets, at, bin);
    const { named, names } = isLeft ? left : right;
    const place = named.indexOf(bin);
    return (isLeft ? 0 : left.names.length) + (place < 0 ? names.length - 1 : place);
  };
  const names = [...left.names, ...right.names];
  return {
    node,
    names,
    left: left.names.length,
    counts: counts.map((own) => summed(own, present, cellOf, names.length)),
  };
}

function summed(
  counts: Int32Array,
  bins: readonly number[],
  cellOf: (bin: number) => number,
  cells: number,
): number[] {
  const sums = new Array<number>(cells).fill(0);
  for (const bin of bins) sums[cellOf(bin)] += counts[bin];
  return sums;
}
