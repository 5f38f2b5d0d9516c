import { Random } from "../runtime/random.js";
import { type Column, denseValues } from "./column.js";
import { conform } from "./conform.js";
import { countKinds, firstOccurrences } from "./repeated-rows.js";
import { rowHashes } from "./row-hashes.js";
import type { Schema } from "./schema.js";
import type { Table } from "./table.js";

/** Probability of taking natural repeats for copies, in each comparison. */
const FALSE_ALARM = 1e-3;
/** Maximum number of different rows, and of their cells, that are compared. */
const MAX_ROWS = 50_000;
const MAX_CELLS = 2 ** 24;
/** Maximum number of columns that are compared together, and of columns that they are chosen from. */
const MAX_TOGETHER = 6;
const MAX_CANDIDATES = 12;
/** Near repeats that a sample without any may have missed: e⁻³ is 5 %. */
const MISSED = 3;

/** Whether rows repeat because few rows are possible, or because rows were copied. */
export interface NaturalRepeats {
  readonly natural: boolean;
  /** The continuous column in which repeats would not occur by chance; absent if they are natural. */
  readonly column?: string;
}

/**
 * Tells whether repeated rows are natural: because the columns have few values, not because rows were copied. Fewer than ten
 * kinds of repeated rows count as natural. Two rules find copies: `lackHigherCounts`, and the one below if a column is numeric.
 *
 * Natural repeats come with near repeats. Rows are near in some columns if they differ as a whole, but have the same value in
 * each of these columns, or the same in all but one numeric column and neighbouring values in that one. If rows are independent
 * and the density of a numeric column is smooth on the scale of its smallest step, such as the last decimal, two rows are one step
 * apart about twice as often as they are equal. So there are more near pairs than repeats, in every set of columns with a numeric
 * one, whatever the correlations. Copies come without near pairs: a copied row is equal in all columns at once. Given the number of
 * both, repeats are at most a fair coin's heads, and the Chernoff bound on their number N, with M near pairs,
 *
 *     P(heads ≥ N) ≤ exp(−N ln(2N/(N+M)) − M ln(2M/(N+M)))   for N > M,
 *
 * decides. The columns are chosen greedily to have few near pairs, a numeric one first, and are at most half of all columns: so
 * columns that are functions of others do little harm. With more than 50,000 different rows, near pairs are estimated from a
 * sample. Only kinds of rows are counted, so that an atom, such as a row of zeros, counts once.
 *
 * @param tables with the columns of the schema, such as training and held-out rows; repeats across tables count too
 * @param hashes of the cells of their rows, if they are known
 */
export function naturalRepeats(
  tables: readonly Table[],
  schema: Schema,
  hashes: readonly Float64Array[] = tables.map((table) => rowHashes({ features: table }, schema)),
): NaturalRepeats {
  const { sample, share, repeats, frequencies } = distinctRows(hashes, schema);
  if (!outnumber(repeats, 0)) return { natural: true };
  if (lackHigherCounts(frequencies)) return { natural: false };
  const numeric = schema.columns.some(({ kind }) => kind === "numeric" || kind === "date");
  if (!numeric) return { natural: true };
  const scale = (pairs: number) => (share < 1 ? (pairs + MISSED) / share ** 2 : pairs);
  const columns = gatherColumns(tables, schema, sample);
  const candidates = fewestFirst(columns, sample).slice(0, MAX_CANDIDATES);
  const first = candidates.find(({ steps }) => steps !== undefined);
  if (!first) return { natural: true };
  const together: GridColumn[] = [];
  const most = Math.max(1, Math.min(MAX_TOGETHER, schema.columns.length >> 1));
  for (let next: GridColumn | undefined = first; next && together.length < most; ) {
    together.push(next);
    const pairs = nearPairs(together, sample);
    if (outnumber(repeats, scale(pairs))) return { natural: false, column: first.name };
    const others = candidates.filter((column) => !together.includes(column));
    next = fewest(others, (column) => nearPairs([...together, column], sample));
  }
  return { natural: true };
}

/** Standard deviations of a count that are allowed for chance. */
const DEVIATIONS = 4;
/** Kinds that occur more often are not looked at: independent rows may have any atoms. */
const MOST_OCCURRENCES = 8;

/**
 * Tells whether the frequencies of kinds are impossible for independent rows, which needs no order of values. A kind of probability
 * q occurs in about Poisson(nq) of n independent rows, so that with f_k kinds that occur k times, k! f_k are about the moments of a
 * measure, which are log-convex: (k! f_k)² ≤ (k−1)! f_{k−1} · (k+1)! f_{k+1}, that is
 *
 *     f_{k+1} ≥ k/(k + 1) · f_k² / f_{k−1}.
 *
 * If rows were copied, many kinds occur exactly twice and none three times.
 */
function lackHigherCounts(frequencies: readonly number[]): boolean {
  const spread = (count: number) => DEVIATIONS * Math.sqrt(Math.max(1, count));
  for (let k = 2; k < MOST_OCCURRENCES; k++) {
    const own = frequencies[k] - spread(frequencies[k]);
    if (own <= 0) continue;
    const fewer = frequencies[k - 1] + spread(frequencies[k - 1]);
    const expected = ((k / (k + 1)) * own ** 2) / fewer;
    if (frequencies[k + 1] < expected - spread(expected)) return true;
  }
  return false;
}

/** Tells whether there are more repeats than near pairs, by more than chance. */
function outnumber(repeats: number, near: number): boolean {
  if (repeats <= near) return false;
  const all = repeats + near;
  const part = (count: number) => (count === 0 ? 0 : count * Math.log((2 * count) / all));
  return part(repeats) + part(near) > -Math.log(FALSE_ALARM);
}

/** One row of each kind, or of a sample of the kinds. */
interface DistinctRows {
  /** Indices of the rows in each table, ascending. */
  readonly sample: readonly Int32Array[];
  /** The fraction of all kinds that the sample has. */
  readonly share: number;
  /** Number of kinds of rows that occur more than once. */
  readonly repeats: number;
  /** Number of kinds that occur exactly k times, by k. */
  readonly frequencies: readonly number[];
}

/** Samples kinds of rows by their hashes, so that equal rows are in the sample together. */
function distinctRows(own: readonly Float64Array[], schema: Schema): DistinctRows {
  const hashes = new Float64Array(own.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  const starts = own.map((part) => {
    hashes.set(part, start);
    start += part.length;
    return start - part.length;
  });
  const isFirst = firstOccurrences(hashes);
  const ascending = hashes.slice().sort();
  const { kinds, repeated } = countKinds(ascending);
  const most = Math.min(MAX_ROWS, Math.ceil(MAX_CELLS / schema.columns.length));
  const share = Math.min(1, most / kinds);
  const sample = own.map((part, t) =>
    Int32Array.from(part.keys()).filter(
      (row) => isFirst[starts[t] + row] === 1 && part[row] < share * 2 ** 53,
    ),
  );
  return { sample, share, repeats: repeated, frequencies: frequenciesOf(ascending) };
}

/** Counts the values of an ascending list that occur exactly k times, for small k. */
function frequenciesOf(ascending: Float64Array): number[] {
  const frequencies = new Array<number>(MOST_OCCURRENCES + 1).fill(0);
  for (let start = 0, end = 0; start < ascending.length; start = end) {
    while (end < ascending.length && ascending[end] === ascending[start]) end++;
    if (end - start <= MOST_OCCURRENCES) frequencies[end - start]++;
  }
  return frequencies;
}

/** A column as steps on a grid. */
interface GridColumn {
  readonly name: string;
  /** Number of the value of each row, in ascending order of values. */
  readonly places: Int32Array;
  /** 1 if the next value is one step away; absent if values have no order. */
  readonly steps?: Uint8Array;
  /** A random integer for each value; sums of them identify combinations of values. */
  readonly keys: Float64Array;
}

function gatherColumns(
  tables: readonly Table[],
  schema: Schema,
  sample: readonly Int32Array[],
): GridColumn[] {
  const conformed = tables.map((table, t) => conform(table.select(sample[t]), schema).columns);
  const random = new Random(0);
  return schema.columns.map(({ name, kind }, j) => {
    const own = conformed.map((columns) => columns[j]);
    const cells = joinedCells(kind === "text" ? withCommonCodes(own) : own);
    const values = distinctValues(cells);
    const places = Int32Array.from(cells, (cell) => placeOf(values, cell));
    const keys = Float64Array.from({ length: values.length + 1 }, () => random.integer(2 ** 32) * 2 ** 12);
    return {
      name,
      places,
      keys,
      ...((kind === "numeric" || kind === "date") && { steps: stepsBetween(values) }),
    };
  });
}

/** Gives equal texts of several tables the same code. */
function withCommonCodes(columns: readonly Column[]): Column[] {
  const codeOf = new Map<string, number>();
  return columns.map((column) => {
    if (column.kind === "numeric") return column;
    const common = column.levels.map((level) => {
      const code = codeOf.get(level) ?? codeOf.size;
      codeOf.set(level, code);
      return code;
    });
    return { ...column, codes: column.codes.map((code) => (code < 0 ? code : common[code])) };
  });
}

/** Joins the cells of all tables, categories by their codes; missing ones are NaN. */
function joinedCells(columns: readonly Column[]): Float64Array {
  const cells = columns.map((column) =>
    column.kind === "numeric" ? denseValues(column.values) : column.codes,
  );
  const joined = new Float64Array(cells.reduce((sum, { length }) => sum + length, 0));
  let next = 0;
  for (const own of cells) {
    joined.set(own, next);
    next += own.length;
  }
  return joined;
}

/** Lists the values that occur, ascending, without NaN. */
function distinctValues(cells: Float64Array): Float64Array {
  const ascending = cells.filter((cell) => !Number.isNaN(cell)).sort();
  return ascending.filter((value, i) => i === 0 || value !== ascending[i - 1]);
}

/** Finds the place of a value; missing cells have the place after the last. */
function placeOf(values: Float64Array, cell: number): number {
  if (Number.isNaN(cell)) return values.length;
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < cell) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Marks values with 1 if the next one is a smallest step away. Rounding of decimal fractions changes steps a little. */
function stepsBetween(values: Float64Array): Uint8Array {
  let smallest = Number.POSITIVE_INFINITY;
  for (let i = 1; i < values.length; i++) smallest = Math.min(smallest, values[i] - values[i - 1]);
  return Uint8Array.from({ length: values.length + 1 }, (_, i) =>
    Number(i + 1 < values.length && values[i + 1] - values[i] <= 1.5 * smallest),
  );
}

/** Counts the pairs of rows that are equal in all columns, or in all but one, in which they are a step apart. */
function nearPairs(columns: readonly GridColumn[], sample: readonly Int32Array[]): number {
  const rows = sample.reduce((sum, { length }) => sum + length, 0);
  const cellOf = new Float64Array(rows);
  for (const { places, keys } of columns) {
    for (let i = 0; i < rows; i++) cellOf[i] += keys[places[i]];
  }
  const counts = new CellCounts(rows);
  let pairs = 0;
  for (let i = 0; i < rows; i++) pairs += counts.add(cellOf[i]);
  for (const { places, keys, steps } of columns) {
    if (!steps) continue;
    for (let i = 0; i < rows; i++) {
      const place = places[i];
      if (steps[place] === 1) pairs += counts.of(cellOf[i] - keys[place] + keys[place + 1]);
    }
  }
  return pairs;
}

/** Counts cells by their keys, sums of random multiples of 2¹²: a hash table with linear probing, several times as fast as a Map. */
class CellCounts {
  readonly #keys: Float64Array;
  readonly #counts: Int32Array;
  readonly #mask: number;

  constructor(cells: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * cells + 2));
    this.#keys = new Float64Array(size);
    this.#counts = new Int32Array(size);
    this.#mask = size - 1;
  }

  /** Adds a cell, and returns how many it equals. */
  add(key: number): number {
    const place = this.#placeOf(key);
    this.#keys[place] = key;
    return this.#counts[place]++;
  }

  of(key: number): number {
    return this.#counts[this.#placeOf(key)];
  }

  /** Finds the place of a key, or the free one where it belongs. */
  #placeOf(key: number): number {
    let place = (key / 2 ** 12) & this.#mask;
    while (this.#counts[place] > 0 && this.#keys[place] !== key) place = (place + 1) & this.#mask;
    return place;
  }
}

/** Sorts columns by their number of near pairs. */
function fewestFirst(columns: readonly GridColumn[], sample: readonly Int32Array[]): GridColumn[] {
  const pairs = new Map(columns.map((column) => [column, nearPairs([column], sample)]));
  const of = (column: GridColumn) => pairs.get(column) ?? 0;
  return columns.toSorted((a, b) => of(a) - of(b));
}

function fewest(
  columns: readonly GridColumn[],
  pairsOf: (column: GridColumn) => number,
): GridColumn | undefined {
  let best: { column: GridColumn; pairs: number } | undefined;
  for (const column of columns) {
    const pairs = pairsOf(column);
    if (!best || pairs < best.pairs) best = { column, pairs };
  }
  return best?.column;
}
