import * as real from "../runtime/maths/portable-math.js";
import { Random } from "../runtime/maths/random.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import { type ComparedRows, hashesOf } from "./all-but-one.js";
import { exceedsShare } from "./chernoff.js";
import { type ColumnSpread, columnSpreads, isContinuous, standardised } from "./continuous-columns.js";
import { firstOccurrences, type RepeatedRows } from "./repeated-rows.js";
import { distanceSquared, drawCut, neighbourhoods, type RowPoints, rowPoints } from "./row-points.js";
import type { Schema } from "./schema.js";

/** Maximum number of columns for measuring distances; copies are close in any of them. */
const MOST_COLUMNS = 24;
/** Maximum number of rows to search for clumps. */
const MOST_ROWS = 2 ** 13;
/** Number of rows in a neighbourhood. */
const NEIGHBOURHOOD = 320;
/** Maximum number of copies of a row, and of neighbours beyond them that determine the dimension. */
const MOST_COPIES = 12;
const FURTHER = 12;
const NEIGHBOURS = MOST_COPIES + FURTHER;

/**
 * Definition of a clump: its chance is at most this. More than the share `uneven` of all rows must be in one, because
 * the density is not smooth everywhere. The odds that classes agree only inside must exceed `odds`, because near rows
 * are similar. The smaller the chance, the less other evidence is needed; if a third of the rows are certainly in
 * clumps, classes need not agree.
 */
const RULES = [
  { chance: 1e-4, uneven: 0.3, odds: 0 },
  { chance: 1e-3, uneven: 0.01, odds: 1.5 },
  { chance: 0.05, uneven: 0.1, odds: 3 },
] as const;
/** Probability of mistaking independent rows for copies, for each of the two reasons that must coincide. */
const FALSE_ALARM = 1e-3;
/** Clumps are listed by the number of copies of a row, and for any number. */
const LISTS = MOST_COPIES + 1;

/** The neighbours of a row, if one row represents each clump. */
interface Clump {
  /** Probability that independent rows have such a gap after the last copy. */
  readonly chance: number;
  /** Squared distances of the last copy and of the next row. */
  readonly reach: number;
  readonly next: number;
  /** Number of copies with the class of the row, minus the number among as many next rows. */
  readonly agreement: number;
}

/**
 * Finds rows that were copied with small changes of their numbers, which form clumps. Let d_s be the distance of the
 * s-th nearest neighbour of a row. If rows are independent and the density is about constant near the row, in D
 * dimensions, the volumes d_s^D are the arrivals of a Poisson process, so that the spacings
 *
 *     e_s = s ln(d_{s+1} / d_s)
 *
 * are independent and exponential with mean 1/D (Rényi, 1953; Levina and Bickel, 2004, estimate D from them). A row
 * with s copies has a large e_s. The sum E of the spacings of 12 farther neighbours estimates D: e_s/(e_s + E) has the
 * distribution Beta(1, 12), whose tail (1 − x)¹² is the chance of the gap for any D at the row. The first row of each
 * clump represents it.
 *
 * Clumps are evidence of copies under two conditions. There are many more of them than by chance, and more of the
 * copies than of as many next rows have the class of the row, much more often than the other way round. Both concern
 * the same row, so neither the density nor the difficulty of a row matters, and copies without common errors do no
 * harm.
 *
 * Values that are naturally close must not look like copies. Columns with many ties are compared for equality only,
 * values on a grid are spread over its cells, and rows that are equal in all columns count once.
 */
export function* closeRows(
  training: ComparedRows,
  heldOut: ComparedRows,
  schema: Schema,
): Pausable<RepeatedRows | undefined> {
  const tables = [training.features, heldOut.features];
  const count = tables[0].rows + tables[1].rows;
  const continuous = columnSpreads(tables, schema).filter((spread) => isContinuous(spread, count));
  const spreads = continuous.slice(0, MOST_COLUMNS);
  if (spreads.length === 0) return undefined;
  const numeric = new Set(continuous.map(({ index }) => index));
  const others = schema.columns.flatMap((_, j) => (numeric.has(j) ? [] : [j]));
  const keys = yield* hashesOf(tables, schema, others);
  const read = (spread: ColumnSpread) => standardised(tables, schema, spread);
  const labels = new Int32Array(count);
  labels.set(training.labels);
  labels.set(heldOut.labels, training.labels.length);
  const different = yield* differentRows(training.hashes, heldOut.hashes);
  const rows = yield* regionOf(different, spreads, read);
  const points = rowPoints(spreads, rows, read, new Random(0));
  const clumps = yield* clumpsAmong({ rows, keys, labels }, points);
  const reach = reachOfCopies(clumps);
  if (reach === undefined) return undefined;
  return yield* rowsWithin(reach, { keys, spreads, read, trained: training.hashes.length });
}

function* differentRows(known: Float64Array, hashes: Float64Array): Pausable<Int32Array> {
  const joined = new Float64Array(known.length + hashes.length);
  joined.set(known);
  joined.set(hashes, known.length);
  const isFirst = firstOccurrences(joined);
  yield;
  return Int32Array.from(joined.keys()).filter((row) => isFirst[row] === 1);
}

/** Keeps the rows of a region of the space if there are too many, which keeps copies together, unlike sampling. */
function* regionOf(
  rows: Int32Array,
  spreads: readonly ColumnSpread[],
  read: (spread: ColumnSpread) => Float64Array,
): Pausable<Int32Array> {
  const random = new Random(0).fork(1);
  let kept = rows;
  while (kept.length > MOST_ROWS) {
    const cells = read(spreads[random.integer(spreads.length)]);
    const { cut } = drawCut(random, kept, (row) => cells[row]);
    const isBelow = random.uniform() < 0.5;
    const side = kept.filter((row) => cells[row] < cut === isBelow);
    kept = side.length > MOST_ROWS / 4 ? side : kept.subarray(0, kept.length >> 1);
    yield;
  }
  return kept;
}

/** What rows are compared by, in addition to their distances. */
interface ClumpedRows {
  readonly rows: Int32Array;
  /** Hashes of the cells that must be equal, for all rows. */
  readonly keys: Float64Array;
  readonly labels: Int32Array;
}

/**
 * Examines the neighbours of every row; lists clumps by the number of copies of a row, the last list for any number.
 */
function* clumpsAmong({ rows, keys, labels }: ClumpedRows, points: RowPoints): Pausable<Clump[][]> {
  const clumps: Clump[][] = Array.from({ length: LISTS }, () => []);
  const nearest = new Int32Array(NEIGHBOURS + 1);
  const distances = new Float64Array(NEIGHBOURS + 1);
  const spacings = new Float64Array(NEIGHBOURS + 1);
  for (const near of neighbourhoods(points, NEIGHBOURHOOD, new Random(0).fork(2))) {
    yield;
    if (near.length <= NEIGHBOURS + 1) continue;
    for (const own of near) {
      findNearest(own, near);
      addClumps(own);
    }
  }
  return clumps;

  /** Finds the nearest points among some, by insertion. */
  function findNearest(own: number, near: Int32Array): void {
    distances.fill(Number.POSITIVE_INFINITY);
    for (const other of near) {
      if (other === own) continue;
      const distance = distanceSquared(points, own, other);
      let place = NEIGHBOURS;
      if (distance >= distances[place]) continue;
      for (; place > 0 && distances[place - 1] > distance; place--) {
        distances[place] = distances[place - 1];
        nearest[place] = nearest[place - 1];
      }
      distances[place] = distance;
      nearest[place] = other;
    }
  }

  function addClumps(own: number): void {
    let further = 0;
    for (let s = 1; s <= NEIGHBOURS; s++) {
      spacings[s] = (s / 2) * (logOf(distances[s]) - logOf(distances[s - 1]));
      if (s > MOST_COPIES) further += spacings[s];
    }
    let least: Clump | undefined;
    let isEqual = true;
    for (let s = 1; s <= MOST_COPIES; s++) {
      if (!isFirst(own, s)) break;
      const rest = spacings[s] > 0 ? further / (spacings[s] + further) : 1;
      isEqual &&= keys[rows[nearest[s - 1]]] === keys[rows[own]];
      const clump: Clump = {
        chance: isEqual ? real.wholePower(rest, FURTHER) : 1,
        reach: distances[s - 1],
        next: distances[s],
        agreement: agreeing(own, 0, s) - agreeing(own, s, 2 * s),
      };
      clumps[s - 1].push(clump);
      if (!least || clump.chance < least.chance) least = clump;
    }
    if (least) clumps[MOST_COPIES].push({ ...least, chance: Math.min(1, MOST_COPIES * least.chance) });
  }

  /** Counts the neighbours in a range of ranks that have the class of a point. */
  function agreeing(own: number, from: number, to: number): number {
    let count = 0;
    for (let k = from; k < to; k++) if (labels[rows[nearest[k]]] === labels[rows[own]]) count++;
    return count;
  }

  /** Returns whether a point is the first of its s nearest ones. */
  function isFirst(own: number, s: number): boolean {
    for (let k = 0; k < s; k++) if (nearest[k] < own) return false;
    return true;
  }
}

/** Squared distance of rows that are equal in all compared columns. */
const SMALLEST = 1e-24;
const logOf = (distance: number) => real.log(Math.max(distance, SMALLEST));

/** Decides whether there are copies, and within what squared distance; undefined if there are none. */
function reachOfCopies(lists: readonly (readonly Clump[])[]): number | undefined {
  const limit = real.log((LISTS * RULES.length) / FALSE_ALARM);
  let found: readonly Clump[] = [];
  for (const { chance, uneven, odds } of RULES) {
    for (const clumps of lists) {
      const unlikely = clumps.filter((clump) => clump.chance <= chance);
      const inside = unlikely.filter(({ agreement }) => agreement > 0).length;
      const outside = unlikely.filter(({ agreement }) => agreement < 0).length;
      const isEvidence =
        exceedsShare(unlikely.length, clumps.length, uneven, limit) &&
        (odds === 0 || exceedsShare(inside, inside + outside, odds / (odds + 1), limit));
      if (isEvidence && unlikely.length > found.length) found = unlikely;
    }
    if (found.length > 0) return reachOf(found);
  }
  return undefined;
}

/**
 * Chooses the distance that separates copies from other rows: twice the distance of most copies, unless other rows
 * begin earlier.
 */
function reachOf(clumps: readonly Clump[]): number {
  const most = quantile(
    clumps.map(({ reach }) => reach),
    0.9,
  );
  const next = quantile(
    clumps.map((clump) => clump.next),
    0.1,
  );
  return Math.max(most, Math.min(4 * most, next));
}

function quantile(values: readonly number[], share: number): number {
  return Float64Array.from(values).sort()[Math.floor(share * (values.length - 1))];
}

/** Number of trees to search for all rows, and of rows compared in each. */
const TREES = 2;
const SMALL_NEIGHBOURHOOD = 48;

interface SearchedRows {
  readonly keys: Float64Array;
  readonly spreads: readonly ColumnSpread[];
  readonly read: (spread: ColumnSpread) => Float64Array;
  /** Number of training rows; held-out ones follow. */
  readonly trained: number;
}

/** Finds rows that have another row within a squared distance and with the same key. */
function* rowsWithin(reach: number, { keys, spreads, read, trained }: SearchedRows): Pausable<RepeatedRows> {
  const rows = Int32Array.from(keys.keys());
  const points = rowPoints(spreads, rows, read);
  const held = keys.length - trained;
  const repeated = new Uint8Array(held);
  const firstOfKind = new Uint8Array(held).fill(1);
  const copied = new Uint8Array(trained);
  for (let tree = 0; tree < TREES; tree++) {
    for (const near of neighbourhoods(points, SMALL_NEIGHBOURHOOD, new Random(0).fork(3 + tree))) {
      near.sort();
      compare(near);
      yield;
    }
  }
  return { repeated, firstOfKind, repeatedInTraining: copied.reduce((sum, one) => sum + one, 0) };

  function compare(near: Int32Array): void {
    for (let a = 1; a < near.length; a++) {
      const row = near[a];
      for (let b = 0; b < a; b++) {
        if (keys[near[b]] !== keys[row] || distanceSquared(points, row, near[b]) > reach) continue;
        if (row < trained) copied[row] = 1;
        else if (near[b] < trained) repeated[row - trained] = 1;
        else firstOfKind[row - trained] = 0;
      }
    }
  }
}
