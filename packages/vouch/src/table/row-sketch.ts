import * as z from "zod";
import { counted } from "../runtime/number-ranges.js";
import { checked, readParts, sized, writeParts } from "../runtime/parts.js";
import { Random } from "../runtime/random.js";
import { corrupt, type State } from "../runtime/state.js";
import { inOneGo, type Steps } from "../runtime/steps.js";
import { float64, int32, uint8 } from "../runtime/tensor-parts.js";
import { columnSpreads, type Standard, standardised } from "./continuous-columns.js";
import { chanceOfCommonRows } from "./fingerprint.js";
import { rowHashesInSteps } from "./row-hashes.js";
import type { Schema } from "./schema.js";
import { Table } from "./table.js";

/** Maximum number of columns that are compared, those whose values repeat least. */
const MOST_COLUMNS = 16;
/** The columns are divided into so many groups. One band has all of them, each other one leaves a group out. */
const GROUPS = 3;
/** Maximum number of kinds of rows that a band keeps: 31 kB in all. */
const MOST_KINDS = 1536;
/** Counts are stored up to this one; that a row occurs more often is no further evidence. */
const MOST_COUNTED = 255;
/** Widths of cells that are tried, in standard deviations: halves of each other. */
const WIDEST = 1;
const HALVINGS = 14;
/** Share of training rows that may be in the same cell as another one. */
const COLLISIONS = 0.01;
/** Training rows by which the widths of cells are chosen. */
const SAMPLED_ROWS = 2 ** 12;
/**
 * Training rows that are sketched. Of more rows, a sample is as good: a band keeps so few cells that the chance to recognise a row
 * is the same.
 */
const MOST_ROWS = 2 ** 15;
/** Probability of taking fresh rows for near copies of training rows. */
const FALSE_ALARM = 1e-3;

/** Rows of a table that are near copies of training rows. */
export interface NearTraining {
  /** 1 for each row that is close to a training row, or equal in most columns, if there are more such rows than chance explains. */
  readonly near: Uint8Array;
  /** Probability that fresh rows from the same source are as near to the training rows as these. */
  readonly chance: number;
}

/** Cells that rows are in: all of them, or those with the smallest hashes. */
interface Cells {
  /** Ascending. */
  readonly hashes: Int32Array;
  /** Number of rows in each. */
  readonly counts: Uint8Array;
}

/** Columns that are compared together, and the cells of training rows. */
interface Band extends Cells {
  /** Width of a cell, in standard deviations. */
  readonly width: number;
}

const parts = {
  rows: counted,
  columns: sized("columns", z.array(counted).min(1).max(MOST_COLUMNS).readonly()),
  medians: float64(["columns"]),
  scales: float64(["columns"], { min: 0 }),
  widths: checked(float64(["bands"], { min: 0 }), (widths) =>
    widths.length <= GROUPS + 1 ? undefined : "it has too many bands",
  ),
  /** Number of hashes of each band. */
  sizes: int32(["bands"], { min: 0, max: MOST_KINDS }),
  hashes: int32(["hashes"], { min: 0 }),
  counts: uint8(["hashes"], { min: 1 }),
};

/**
 * A small sketch of the training rows, to detect whether other rows are near copies of them: rounded, with some noise, or changed
 * in a column. It divides space into cells, whose width in standard deviations is chosen such that few training rows share one,
 * and keeps hashes of the cells that training rows are in, but no value. Each of several bands of columns is compared on its own, so
 * that rows with one changed value match in another band.
 *
 * Fresh rows from the same source share cells with training rows as often as training rows do with each other: given how often each
 * cell occurs, chance decides which of its rows are the training rows, so that the number of common cells is tested exactly,
 * whatever the distribution (see `chanceOfCommonRows`). Of long tables, cells with the smallest hashes are kept, a uniform sample.
 * Rows of few possible values are no evidence.
 */
export class RowSketch {
  /** Number of training rows that are sketched. */
  readonly rows: number;
  readonly #columns: readonly Standard[];
  readonly #bands: readonly Band[];

  private constructor(rows: number, columns: readonly Standard[], bands: readonly Band[]) {
    this.rows = rows;
    this.#columns = columns;
    this.#bands = bands;
  }

  /** Makes the sketch of training rows, on the schema's columns; undefined if there is nothing to compare. */
  static of(training: Table, schema: Schema): RowSketch | undefined {
    return inOneGo(RowSketch.inSteps(training, schema));
  }

  /** Makes the sketch of many rows, on threads. */
  static *inSteps(all: Table, schema: Schema): Steps<RowSketch | undefined> {
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
  near(table: Table, schema: Schema): NearTraining {
    return inOneGo(this.nearInSteps(table, schema));
  }

  /** Finds near copies of training rows among many rows, on threads. */
  *nearInSteps(table: Table, schema: Schema): Steps<NearTraining> {
    const near = new Uint8Array(table.rows);
    let least = 1;
    const own = bandsOf(this.#columns);
    for (const [b, band] of this.#bands.entries()) {
      const hashes = yield* cellHashes(table, schema, own[b], band.width);
      const chance = Math.min(
        1,
        this.#bands.length * this.#chanceOf(band, smallestCells(hashes), table.rows),
      );
      least = Math.min(least, chance);
      if (chance >= FALSE_ALARM) continue;
      const known = new Set(band.hashes);
      for (let i = 0; i < hashes.length; i++) if (known.has(hashes[i])) near[i] = 1;
    }
    return { near, chance: least };
  }

  /** Computes the probability of so many common cells, among those with hashes that both samples have. */
  #chanceOf(band: Cells, others: Cells, rows: number): number {
    const last = Math.min(lastOf(band), lastOf(others));
    const trained = countsUpTo(last, band);
    const occurrences: number[] = [];
    let common = 0;
    for (const [hash, count] of countsUpTo(last, others)) {
      occurrences.push((trained.get(hash) ?? 0) + count);
      if (trained.delete(hash)) common++;
    }
    occurrences.push(...trained.values());
    return chanceOfCommonRows(common, occurrences, rows / (this.rows + rows));
  }

  toState(): State {
    const bands = this.#bands;
    const joined = bands.flatMap(({ hashes }) => Array.from(hashes));
    const values = {
      rows: this.rows,
      columns: this.#columns.map(({ index }) => index),
      medians: Float64Array.from(this.#columns, ({ median }) => median),
      scales: Float64Array.from(this.#columns, ({ scale }) => scale),
      widths: Float64Array.from(bands, ({ width }) => width),
      sizes: Int32Array.from(bands, ({ hashes }) => hashes.length),
      hashes: Int32Array.from(joined),
      counts: Uint8Array.from(bands.flatMap(({ counts }) => Array.from(counts))),
    };
    return writeParts(parts, values, { bands: bands.length, hashes: joined.length });
  }

  /** Restores the sketch of a model with this schema from the result of `toState`; throws `model/corrupt` for anything else. */
  static restore(state: State, schema: Schema): RowSketch {
    const { rows, columns, medians, scales, widths, sizes, hashes, counts } = readParts(
      "row sketch",
      parts,
      state,
      {},
    );
    const standards = columns.map((index, c): Standard => ({ index, median: medians[c], scale: scales[c] }));
    let end = 0;
    const bands = Array.from(widths, (width, b): Band => {
      const start = end;
      end += sizes[b];
      return { width, hashes: hashes.subarray(start, end), counts: counts.subarray(start, end) };
    });
    const isBand = ({ width, hashes: own, counts: many }: Band) =>
      width > 0 &&
      own.length > 0 &&
      own.every((hash, i) => i === 0 || hash > own[i - 1]) &&
      many.reduce((sum, count) => sum + count, 0) <= rows;
    if (
      end !== hashes.length ||
      bands.length !== bandsOf(standards).length ||
      new Set(columns).size !== columns.length ||
      !standards.every(({ index, scale }) => index < schema.columns.length && scale > 0) ||
      !bands.every(isBand)
    ) {
      throw corrupt("The row sketch is damaged: its parts do not fit together.");
    }
    return new RowSketch(rows, standards, bands);
  }
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

/** Chooses the columns whose values repeat least. Those that are not numbers have the scale 1, which nobody needs. */
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

/** Lists the columns of each band. */
function bandsOf(columns: readonly Standard[]): (readonly Standard[])[] {
  const groups = columns.length < 2 ? 0 : Math.min(GROUPS, columns.length);
  const without = Array.from({ length: groups }, (_, group) =>
    columns.filter((_, c) => c % groups !== group),
  );
  return [columns, ...without];
}

/** Finds the widest cells that few rows share, or hardly more rows than share the narrowest ones. */
function* chooseWidth(
  sample: Table,
  schema: Schema,
  columns: readonly Standard[],
  collisions: number,
): Steps<number> {
  const shared = function* (halvings: number): Steps<number> {
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

/** Hashes the cell of each row, to 31 bits. Cells begin anywhere, so that rounded values are not on their edges. */
function* cellHashes(
  table: Table,
  schema: Schema,
  columns: readonly Standard[],
  width: number,
): Steps<Int32Array> {
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
