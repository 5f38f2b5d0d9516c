import { type Features, Sample } from "../data/sample.js";
import { holdout } from "../data/splits.js";
import type { Sides } from "./scheme.js";

/** Two classes to be told apart: the rows of a sample and the side that each is on. */
export interface Problem {
  /** Which classes, in words: `"A" or "B"`, `"A" or not`. */
  readonly name: string;
  /** The names of the two sides. */
  readonly classes: readonly [string, string];
  /** Ascending. */
  readonly rows: Int32Array;
  /** 0 for rows of the first side, 1 for rows of the second. */
  readonly labels: Int32Array;
  /** How many rows there were to draw from; more than there are now if some were left out. */
  readonly available: number;
  readonly seed: number;
}

/** The problem of one machine. `rowsOf` has the rows of each class that has any; sides are indices of these. */
export function problemOf(
  { labels, classes }: Sample<Features>,
  rowsOf: readonly Int32Array[],
  { first, second }: Sides,
  maxRows: number,
  seed: number,
): Problem {
  const nameOf = (side: readonly number[]) => classes[labels[rowsOf[side[0]][0]]];
  const own = nameOf(first);
  const isPair = second.length === 1;
  const other = isPair ? nameOf(second) : `not ${own}`;
  const sides = [first, second].map((side) => joined(side.map((k) => rowsOf[k])));
  const kept = drawn(sides, labels, maxRows, isPair ? FIRST_SHARE : FIRST_SHARE_OF_MANY, seed);
  const all = [...Array.from(kept[0], (row) => [row, 0]), ...Array.from(kept[1], (row) => [row, 1])];
  all.sort(([a], [b]) => a - b);
  return {
    name: isPair ? `"${own}" or "${other}"` : `"${own}" or not`,
    classes: [own, other],
    rows: Int32Array.from(all, ([row]) => row),
    labels: Int32Array.from(all, ([, side]) => side),
    available: sides[0].length + sides[1].length,
    seed,
  };
}

/** The sample of a problem. */
export function sampleOf(sample: Sample<Features>, { rows, labels, classes }: Problem): Sample<Features> {
  const { features, weights, featureNames } = sample.select(rows);
  return new Sample({ features, labels, classes, featureNames, ...(weights && { weights }) });
}

/** The rows of each class, ascending; none for a class without rows. */
export function rowsOfClasses({ labels, classes }: Sample<Features>): Int32Array[] {
  const rowsOf: number[][] = classes.map(() => []);
  labels.forEach((label, row) => {
    rowsOf[label].push(row);
  });
  return rowsOf.map((rows) => Int32Array.from(rows));
}

/** The share of the rows that the first side gets at least, if it has so many: half of them against one other class. */
const FIRST_SHARE = 0.5;
/** A class against many others gets less, as there is more to know of these. */
const FIRST_SHARE_OF_MANY = 0.25;

/**
 * At most so many rows of both sides together: a share of them for each side, and what one side lacks for the other. Of a
 * side of several classes each keeps its share.
 */
function drawn(
  sides: readonly Int32Array[],
  labels: Int32Array,
  most: number,
  firstShare: number,
  seed: number,
): readonly Int32Array[] {
  const sizes = sides.map((rows) => rows.length);
  if (sizes[0] + sizes[1] <= most) return sides;
  const ofFirst = Math.round(most * firstShare);
  return sides.map((rows, s) => {
    const wanted = Math.max(s === 0 ? ofFirst : most - ofFirst, most - sizes[1 - s]);
    if (rows.length <= wanted) return rows;
    const classes = Int32Array.from(rows, (row) => labels[row]);
    return holdout(classes, wanted / rows.length, seed).test.map((i) => rows[i]);
  });
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}
