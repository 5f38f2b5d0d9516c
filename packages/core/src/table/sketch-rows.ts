import { Random } from "../runtime/maths/random.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import { columnSpreads, type Standard, standardised } from "./continuous-columns.js";
import { chanceOfCommonRows } from "./fingerprint.js";
import { rowHashesInSteps } from "./row-hashes.js";
import { type Band, bandsOf, type Cells, MOST_COLUMNS, MOST_KINDS, RowSketch } from "./row-sketch.js";
import type { Schema } from "./schema.js";
import { Table } from "./table.js";

/** Maximum stored count, because higher frequencies are not further evidence. */
const MOST_COUNTED = 255;
/** Largest and smallest width of cells to try, in standard deviations; each is half of the previous one. */
const WIDEST = 1;
const HALVINGS = 14;
/** Maximum share of training rows that share a cell. */
const COLLISIONS = 0.01;
/** Number of training rows for choosing the widths of cells. */
const SAMPLED_ROWS = 2 ** 12;
/**
 * Maximum number of sketched training rows. A sample is as good, because a band keeps so few cells that the chance to
 * recognise a row is the same.
 */
const MOST_ROWS = 2 ** 15;
/** Probability of mistaking fresh rows for near copies of training rows. */
const FALSE_ALARM = 1e-3;

/** Rows of a table that are near copies of training rows. */
export interface NearTraining {
  /**
   * 1 for each row that is close to a training row, or equal in most columns, if there are more such rows than chance
   * explains.
   */
  readonly near: Uint8Array;
  /** Probability that fresh rows from the same source are as near to the training rows. */
  readonly chance: number;
}

/** Sketches training rows on the schema's columns; undefined if there is nothing to compare. */
export function* sketchRows(all: Table, schema: Schema): Pausable<RowSketch | undefined> {
  if (all.rows < 2) return undefined;
  const training = all.select(sampledRows(all.rows, MOST_ROWS));
  const columns = comparedColumns(training, schema);
  if (columns.length === 0) return undefined;
  const sample = training.select(sampledRows(training.rows, SAMPLED_ROWS));
  const collisions = (COLLISIONS * sample.rows) / training.rows;
  const bands: Band[] = [];
  for (const own of bandsOf(columns)) {
    const width = yield* chooseWidth(sample, schema, own, collisions);
    bands.push({ width, ...smallestCells(yield* cellHashes(training, schema, own, width)) });
  }
  return new RowSketch(training.rows, columns, bands);
}

/** Finds near copies of training rows among other rows. */
export function* findNearRows(sketch: RowSketch, table: Table, schema: Schema): Pausable<NearTraining> {
  const near = new Uint8Array(table.rows);
  let least = 1;
  const own = bandsOf(sketch.columns);
  for (const [b, band] of sketch.bands.entries()) {
    const hashes = yield* cellHashes(table, schema, own[b], band.width);
    const chance = Math.min(
      1,
      sketch.bands.length * chanceOf(band, smallestCells(hashes), table.rows / (sketch.rows + table.rows)),
    );
    least = Math.min(least, chance);
    if (chance >= FALSE_ALARM) continue;
    const known = new Set(band.hashes);
    for (let i = 0; i < hashes.length; i++) if (known.has(hashes[i])) near[i] = 1;
  }
  return { near, chance: least };
}

/**
 * Computes the probability of at least this many common cells, among those with hashes in both samples.
 *
 * @param share of the other rows among all
 */
function chanceOf(band: Cells, others: Cells, share: number): number {
  const last = Math.min(lastOf(band), lastOf(others));
  const trained = countsUpTo(last, band);
  const occurrences: number[] = [];
  let common = 0;
  for (const [hash, count] of countsUpTo(last, others)) {
    occurrences.push((trained.get(hash) ?? 0) + count);
    if (trained.delete(hash)) common++;
  }
  occurrences.push(...trained.values());
  return chanceOfCommonRows(common, occurrences, share);
}

/** Returns the hash up to which all cells are known. */
function lastOf({ hashes }: Cells): number {
  return hashes.length < MOST_KINDS ? Number.POSITIVE_INFINITY : hashes[MOST_KINDS - 1];
}

function countsUpTo(last: number, { hashes, counts }: Cells): Map<number, number> {
  const known = new Map<number, number>();
  for (let i = 0; i < hashes.length && hashes[i] <= last; i++) known.set(hashes[i], counts[i]);
  return known;
}

/** Chooses the columns whose values repeat least. Non-numeric columns get the scale 1, which is unused. */
function comparedColumns(training: Table, schema: Schema): Standard[] {
  const numeric = columnSpreads([training], schema);
  const known = new Set(numeric.map(({ index }) => index));
  const sample = training.select(sampledRows(training.rows, SAMPLED_ROWS));
  const others = schema.columns.flatMap(({ kind, name }, index) => {
    const column = sample.column(name);
    if (known.has(index) || kind === "numeric" || kind === "date" || column.kind === "numeric") return [];
    return [{ index, median: 0, scale: 1, ties: tiesOf(column.codes) }];
  });
  return [...numeric, ...others]
    .sort((a, b) => a.ties - b.ties || a.index - b.index)
    .slice(0, MOST_COLUMNS)
    .map(({ index, median, scale }) => ({ index, median, scale }));
}

function tiesOf(codes: Int32Array): number {
  const counts = new Map<number, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  let pairs = 0;
  for (const count of counts.values()) pairs += count * (count - 1);
  return pairs / (codes.length * (codes.length - 1));
}

/** Draws rows; all if there are few. */
function sampledRows(rows: number, most: number): Int32Array {
  if (rows <= most) return Int32Array.from({ length: rows }, (_, i) => i);
  const random = new Random(0).fork(0);
  return Int32Array.from(new Set(Array.from({ length: most }, () => random.integer(rows))));
}

/** Finds the widest cells that few rows share, or hardly more rows than share the narrowest ones. */
function* chooseWidth(
  sample: Table,
  schema: Schema,
  columns: readonly Standard[],
  collisions: number,
): Pausable<number> {
  const shared = function* (halvings: number): Pausable<number> {
    const hashes = yield* cellHashes(sample, schema, columns, WIDEST / 2 ** halvings);
    return sample.rows - new Set(hashes).size;
  };
  let low = 0;
  let high = HALVINGS;
  const most = Math.max(collisions * sample.rows, (1 + collisions) * (yield* shared(HALVINGS)));
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((yield* shared(middle)) <= most) high = middle;
    else low = middle + 1;
  }
  return WIDEST / 2 ** low;
}

/** Hashes the cell of each row to 31 bits. Cells have random offsets, so that rounded values are not on their edges. */
function* cellHashes(
  table: Table,
  schema: Schema,
  columns: readonly Standard[],
  width: number,
): Pausable<Int32Array> {
  const made = columns.map((standard) => {
    const { kind, name } = schema.columns[standard.index];
    if (kind !== "numeric" && kind !== "date") return table.column(name);
    const offset = new Random(0).fork(standard.index).uniform();
    const values = standardised([table], schema, standard);
    for (let i = 0; i < values.length; i++) values[i] = Math.floor(values[i] / width + offset);
    return { kind: "numeric" as const, name, values };
  });
  const cells = new Table(table.name, table.rows, made);
  const own = { ...schema, columns: columns.map(({ index }) => schema.columns[index]) };
  const hashes = yield* rowHashesInSteps({ features: cells }, own);
  return Int32Array.from(hashes.cells, (hash) => Math.floor(hash / 2 ** 22));
}

/** Counts the rows of the cells with the smallest hashes. */
function smallestCells(hashes: Int32Array): Cells {
  const ascending = hashes.slice().sort();
  const kept: number[] = [];
  const counts: number[] = [];
  for (let start = 0, end = 0; start < ascending.length && kept.length < MOST_KINDS; start = end) {
    while (end < ascending.length && ascending[end] === ascending[start]) end++;
    kept.push(ascending[start]);
    counts.push(Math.min(MOST_COUNTED, end - start));
  }
  return { hashes: Int32Array.from(kept), counts: Uint8Array.from(counts) };
}
