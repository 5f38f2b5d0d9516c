import { type Features, Sample } from "../../encode/sample.js";
import { stratifiedHoldout } from "../../table/splits.js";
import type { Sides } from "./schemes.js";

/** The rows of a sample by class. */
export interface ClassRows {
  /** Index of each class that has rows, ascending. */
  readonly trained: readonly number[];
  /** The rows of each of these classes, ascending. */
  readonly rowsOf: readonly Int32Array[];
}

/** Groups the rows of a sample by class. */
export function rowsByClass({ labels, classes }: Sample<Features>): ClassRows {
  const lists: number[][] = classes.map(() => []);
  labels.forEach((label, row) => {
    lists[label].push(row);
  });
  const trained = classes.map((_, k) => k).filter((k) => lists[k].length > 0);
  return { trained, rowsOf: trained.map((k) => Int32Array.from(lists[k])) };
}

/** A two-class problem on rows of a sample. */
export interface Problem {
  /** The classes in words: `"A" or "B"`, `"A" or not`. */
  readonly name: string;
  /** The names of the two sides. */
  readonly classes: readonly [string, string];
  /** Ascending. */
  readonly rows: Int32Array;
  /** 0 for rows of the first side, 1 for rows of the second. */
  readonly sides: Uint8Array;
  /** Number of rows of both sides; larger than `rows` if these are a subsample. */
  readonly available: number;
  readonly seed: number;
}

/** Makes the problem of one machine, on at most `maxRows` rows; the sides are indices of classes that have rows. */
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
  const kept = subsampled(available, labels, maxRows, share, seed);
  return {
    name: isPair ? `"${own}" or "${other}"` : `"${own}" or not`,
    classes: [own, other],
    ...inOrder(kept, labels.length),
    available: available[0].length + available[1].length,
    seed,
  };
}

/** Selects the rows of a problem from a sample, labelled by their sides. */
export function problemSample(sample: Sample<Features>, { rows, sides, classes }: Problem): Sample<Features> {
  const { features, weights, featureNames } = sample.select(rows);
  const labels = Int32Array.from(sides);
  return new Sample({ features, labels, classes, featureNames, ...(weights && { weights }) });
}

/** Merges the rows of both sides in the order of the sample. */
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

/** Share of the first side in a subsample, if it has enough rows: half against one other class. */
const FIRST_SHARE = 0.5;
/** A class against many others gets less, as there is more to learn about these. */
const FIRST_SHARE_OF_MANY = 0.25;

/**
 * Subsamples both sides to `most` rows in total. If one side has fewer rows than its share, the other fills in. Each class
 * of a side keeps its share of the side.
 */
function subsampled(
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
    return stratifiedHoldout(classes, wanted / rows.length, seed).test.map((i) => rows[i]);
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
