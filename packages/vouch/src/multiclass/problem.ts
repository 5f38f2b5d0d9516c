import { type Features, Sample } from "../data/sample.js";
import { holdout } from "../data/splits.js";
import type { Sides } from "./scheme.js";

/** The rows of a sample by class. */
export interface ClassRows {
  /** Index of each class that has rows, ascending. */
  readonly trained: readonly number[];
  /** The rows of each of these, ascending. */
  readonly rowsOf: readonly Int32Array[];
}

/** The rows of each class. */
export function rowsByClass({ labels, classes }: Sample<Features>): ClassRows {
  const lists: number[][] = classes.map(() => []);
  labels.forEach((label, row) => {
    lists[label].push(row);
  });
  const trained = classes.map((_, k) => k).filter((k) => lists[k].length > 0);
  return { trained, rowsOf: trained.map((k) => Int32Array.from(lists[k])) };
}

/** Two sides to be told apart: the rows of a sample, and which side each is on. */
export interface Problem {
  /** Which classes, in words: `"A" or "B"`, `"A" or not`. */
  readonly name: string;
  /** The names of the two sides. */
  readonly classes: readonly [string, string];
  /** Ascending. */
  readonly rows: Int32Array;
  /** 0 for rows of the first side, 1 for rows of the second. */
  readonly sides: Uint8Array;
  /** How many rows there were to draw from; more than there are now if some were left out. */
  readonly available: number;
  readonly seed: number;
}

/** The problem of one machine, on at most so many rows; the sides are indices of classes that have rows. */
export function problemOf(
  { labels, classes }: Sample<Features>,
  { trained, rowsOf }: ClassRows,
  { first, second }: Sides,
  maxRows: number,
  seed: number,
): Problem {
  const own = classes[trained[first[0]]];
  const isPair = second.length === 1;
  const other = isPair ? classes[trained[second[0]]] : `not ${own}`;
  const available = [first, second].map((side) => joined(side.map((k) => rowsOf[k])));
  const share = isPair ? FIRST_SHARE : FIRST_SHARE_OF_MANY;
  const kept = drawn(available, labels, maxRows, share, seed);
  return {
    name: isPair ? `"${own}" or "${other}"` : `"${own}" or not`,
    classes: [own, other],
    ...inOrder(kept, labels.length),
    available: available[0].length + available[1].length,
    seed,
  };
}

/** The sample of a problem. */
export function sampleOf(sample: Sample<Features>, { rows, sides, classes }: Problem): Sample<Features> {
  const { features, weights, featureNames } = sample.select(rows);
  const labels = Int32Array.from(sides);
  return new Sample({ features, labels, classes, featureNames, ...(weights && { weights }) });
}

/** The rows of both sides in the order of the sample. */
function inOrder(kept: readonly Int32Array[], rows: number): Pick<Problem, "rows" | "sides"> {
  const sideOf = new Uint8Array(rows).fill(2);
  kept.forEach((own, side) => {
    for (const row of own) sideOf[row] = side;
  });
  const all = new Int32Array(kept[0].length + kept[1].length);
  let count = 0;
  for (let row = 0; row < rows; row++) if (sideOf[row] < 2) all[count++] = row;
  return { rows: all, sides: Uint8Array.from(all, (row) => sideOf[row]) };
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
