import { commonestClass } from "../metrics/baseline.js";
import { countBelow, IndexSorter } from "../runtime/maths/sort.js";

/** Minimum number of training rows for a value of its own. */
const MIN_ROWS = 5;

/** Cells of one column (missing ones NaN, categories by code) and the class index of each row. */
export interface LabelledCells {
  readonly cells: Float64Array;
  readonly labels: Int32Array;
}

/** Predicts the class of a row from one cell. */
export type ColumnRule = (cell: number) => number;

/**
 * Fits the rule that predicts the most common class of each value, where a missing cell is its own value. Values with
 * fewer than five rows, and unseen ones, form one group, so that nothing is memorised. Takes time n log n for any
 * number of classes.
 */
export function valueRule({ cells, labels }: LabelledCells, classes: number): ColumnRule {
  const groupOf = new Map<number, number>();
  const own = Int32Array.from(cells, (cell) => {
    const known = groupOf.get(cell);
    if (known !== undefined) return known;
    groupOf.set(cell, groupOf.size);
    return groupOf.size - 1;
  });
  const sizes = new Int32Array(groupOf.size);
  for (const group of own) sizes[group]++;
  const rare = groupOf.size;
  const groups = own.map((group) => (sizes[group] < MIN_ROWS ? rare : group));
  const classOf = commonestOfGroups(groups, labels, rare + 1, classes);
  return (cell) => {
    const group = groupOf.get(cell) ?? rare;
    return classOf[group < rare && sizes[group] < MIN_ROWS ? rare : group];
  };
}

/** Finds the most common class of each group of rows; the most common class overall for an empty group. */
function commonestOfGroups(
  groups: Int32Array,
  labels: Int32Array,
  count: number,
  classes: number,
): Int32Array {
  const classOf = new Int32Array(count).fill(commonestClass(labels, classes));
  const most = new Int32Array(count);
  const keys = Float64Array.from(groups, (group, i) => group * classes + labels[i]).sort();
  for (let start = 0; start < keys.length; ) {
    let end = start + 1;
    while (end < keys.length && keys[end] === keys[start]) end++;
    const group = Math.floor(keys[start] / classes);
    if (end - start > most[group]) {
      most[group] = end - start;
      classOf[group] = keys[start] % classes;
    }
    start = end;
  }
  return classOf;
}

/**
 * Fits a tree on one numeric column: repeatedly makes the best cut of all segments by Gini impurity, until there are
 * `mostSegments`, none with fewer than five rows. Missing cells form their own segment.
 */
export function cutRule({ cells, labels }: LabelledCells, classes: number, mostSegments: number): ColumnRule {
  const fallback = commonestClass(labels, classes);
  const isMissing = (_: number, i: number) => Number.isNaN(cells[i]);
  const missing = labels.filter(isMissing);
  const ofMissing = missing.length > 0 ? commonestClass(missing, classes) : fallback;
  const sorted = sortedByCell({ cells, labels });
  if (sorted.cells.length === 0) return () => ofMissing;
  const ends = segments(sorted, classes, mostSegments);
  // Halfway between the neighbours, or at the lower one if no number lies between them.
  const cuts = Float64Array.from(ends.slice(0, -1), (end) => {
    const [lower, upper] = [sorted.cells[end - 1], sorted.cells[end]];
    const middle = lower / 2 + upper / 2;
    return middle < upper ? middle : lower;
  });
  const classOf = ends.map((end, k) =>
    commonestClass(sorted.labels.subarray(k === 0 ? 0 : ends[k - 1], end), classes),
  );
  return (cell) => (Number.isNaN(cell) ? ofMissing : classOf[countBelow(cuts, 0, cuts.length, cell)]);
}

function sortedByCell({ cells, labels }: LabelledCells): LabelledCells {
  const present = Int32Array.from(cells.keys()).filter((i) => !Number.isNaN(cells[i]));
  const values = Float64Array.from(present, (i) => cells[i]);
  const sorter = new IndexSorter(values.length);
  try {
    const order = values.length > 0 ? sorter.sort(values) : new Uint32Array(0);
    return {
      cells: Float64Array.from(order, (place) => values[place]),
      labels: Int32Array.from(order, (place) => labels[present[place]]),
    };
  } finally {
    sorter.release();
  }
}

interface Segment {
  readonly from: number;
  readonly to: number;
  /** The best position to cut, and its gain; 0 if there is none. */
  readonly cut: number;
  readonly gain: number;
}

/** Returns the ends of the segments, ascending. */
function segments(sorted: LabelledCells, classes: number, most: number): number[] {
  const found = [bestCut(sorted, 0, sorted.cells.length, classes)];
  while (found.length < most) {
    let best = 0;
    for (let k = 1; k < found.length; k++) if (found[k].gain > found[best].gain) best = k;
    const { from, to, cut, gain } = found[best];
    if (gain <= 0) break;
    found.splice(best, 1, bestCut(sorted, from, cut, classes), bestCut(sorted, cut, to, classes));
  }
  return found.map(({ to }) => to);
}

/** Finds the cut of a segment with the largest Σ_k left_k²/left + Σ_k right_k²/right, in one pass for any number of classes. */
function bestCut({ cells, labels }: LabelledCells, from: number, to: number, classes: number): Segment {
  const left = new Float64Array(classes);
  const right = new Float64Array(classes);
  let rightSquares = 0;
  for (let i = from; i < to; i++) rightSquares += 2 * right[labels[i]]++ + 1;
  const whole = rightSquares / (to - from);
  let leftSquares = 0;
  let best: Segment = { from, to, cut: from, gain: 0 };
  for (let i = from; i < to - 1; i++) {
    leftSquares += 2 * left[labels[i]]++ + 1;
    rightSquares -= 2 * right[labels[i]]-- - 1;
    const before = i + 1 - from;
    const after = to - i - 1;
    if (before < MIN_ROWS || after < MIN_ROWS || cells[i] === cells[i + 1]) continue;
    const gain = leftSquares / before + rightSquares / after - whole;
    // Rounding alone may make a useless cut look like a small gain.
    if (gain > best.gain && gain > 1e-9 * whole) best = { from, to, cut: i + 1, gain };
  }
  return best;
}
