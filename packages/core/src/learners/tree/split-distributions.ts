import * as z from "zod";
import { type BinnedColumns, type BinnedFeature, MISSING_BIN } from "../../encode/binned-columns.js";
import { nonNegativeInteger, positiveInteger, realNumber } from "../../runtime/codec/schema-numbers.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { ROWS_PER_STEP } from "./node-facts.js";
import {
  type BinCounts,
  categoryCells,
  MOST_INTERVALS,
  MOST_NAMED_LEVELS,
  numberCells,
} from "./split-cells.js";
import { CATEGORICAL, FEATURE_SHIFT, isInSet, isLeftOfCut, lastLeftBin, type TreeSet } from "./tree-set.js";

/** Splits whose rows are counted, those with the most rows: as many as a picture has room for. */
const MOST_SPLITS = 15;

/** Classes that are counted each by itself, the most frequent ones; the others are counted together. */
const MOST_CLASSES = 9;

const splitDistribution = z
  .strictObject({
    node: nonNegativeInteger,
    /** Edges of the intervals of a number. */
    edges: z
      .array(realNumber)
      .max(MOST_INTERVALS + 1)
      .readonly()
      .optional(),
    /** Ends at which rows beyond the edges are counted in the outermost interval. */
    beyond: z.enum(["below", "above", "both"]).optional(),
    /** Names of the cells of a category. */
    names: z
      .array(z.string())
      .max(MOST_NAMED_LEVELS + 2)
      .readonly()
      .optional(),
    /** Number of cells, from the first, whose rows go left. */
    left: positiveInteger,
    /** Rows of each class in each cell. */
    counts: z
      .array(z.array(nonNegativeInteger).readonly())
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
    .array(nonNegativeInteger)
    .max(MOST_CLASSES + 1)
    .readonly(),
  splits: z.array(splitDistribution).max(MOST_SPLITS).readonly(),
});

/** Rows of the largest splits of a tree by class, along the feature of each split. */
export type SplitDistributions = z.output<typeof splitDistributionsSchema>;

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
): Pausable<SplitDistributions> {
  const { features, labels } = rows;
  const classes = frequentClasses(rows);
  const slots = Int32Array.from({ length: rows.classes }, (_, k) => {
    const slot = classes.indexOf(k);
    return slot < 0 ? classes.length : slot;
  });
  const width = Math.min(rows.classes, classes.length + 1);
  const nonNegativeInteger = countedSplits(tree, nodeRows);
  const counts = nonNegativeInteger.map(() => new Int32Array(width * 256));
  const places = new Int32Array(nodeRows.length).fill(-1);
  for (const [place, node] of nonNegativeInteger.entries()) places[node] = place;
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
  const splits = nonNegativeInteger.flatMap((node, place) => {
    const feature = features.features[featureOf(tree, node)];
    const cells = cellsOf(tree, node, feature, byClass(counts[place], width));
    return cells ? [{ node, ...cells }] : [];
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

function byClass(counts: Int32Array, width: number): BinCounts {
  return Array.from({ length: width }, (_, k) => counts.subarray(k * 256, (k + 1) * 256));
}

/** Divides the rows of a split into the cells of a picture; undefined if they are all on one side. */
function cellsOf(
  { arrays: { nodes, sets } }: TreeSet,
  node: number,
  feature: BinnedFeature,
  counts: BinCounts,
) {
  const [first, split] = nodes.subarray(node * NODE_WORDS, (node + 1) * NODE_WORDS);
  if (feature.kind === "numeric") return numberCells(lastLeftBin(split), feature.cuts, counts);
  return categoryCells((bin) => isInSet(sets, first * SET_WORDS, bin), feature.levels, counts);
}
