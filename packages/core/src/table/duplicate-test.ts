import type { Pausable } from "../runtime/parallel/pausable.js";
import { type Column, denseValues } from "./column.js";
import { conform } from "./conform.js";
import { areImpossible, frequenciesOf, type KindFrequency } from "./kind-frequencies.js";
import { type ComparedCells, columnOfCopies, outnumber } from "./near-pairs.js";
import { countKinds, firstOccurrences } from "./repeated-rows.js";
import { rowHashes } from "./row-hashes.js";
import type { Schema } from "./schema.js";
import type { Table } from "./table.js";

/** Maximum number of distinct rows, and of their cells, to compare. */
const MAX_ROWS = 50_000;
const MAX_CELLS = 2 ** 24;

/** Whether rows repeat because few rows are possible, or because rows were copied. */
export interface NaturalRepeats {
  readonly natural: boolean;
  /** The continuous column in which repeats would not occur by chance; absent if they are natural. */
  readonly column?: string;
}

/**
 * Decides whether repeated rows are natural, because the columns have few values, or were copied. Fewer than ten kinds
 * of repeated rows count as natural. Two rules find copies: impossible frequencies of kinds, and the following one if a
 * column is numeric.
 *
 * Natural repeats come with near repeats. Rows are near in some columns if they differ as a whole, but have the same
 * value in each of these columns, or the same in all but one numeric column and neighbouring values in that one. If
 * rows are independent and the density of a numeric column is smooth on the scale of its smallest step, such as the
 * last decimal, two rows are one step apart about twice as often as they are equal. So there are more near pairs than
 * repeats in every set of columns with a numeric one, for any correlations. Copies come without near pairs: a copied
 * row is equal in all columns at once. Given the number of both, repeats are at most a fair coin's heads, and the
 * Chernoff bound on their number N, with M near pairs,
 *
 *     P(heads ≥ N) ≤ exp(−N ln(2N/(N+M)) − M ln(2M/(N+M)))   for N > M,
 *
 * decides. The columns are chosen greedily to have few near pairs, a numeric one first, and are at most half of all
 * columns, so columns that are functions of others do little harm. With more than 50,000 distinct rows, near pairs are
 * estimated from a sample. Only kinds of rows are counted, so that an atom, such as a row of zeros, counts once.
 *
 * @param tables with the columns of the schema, such as training and held-out rows; repeats across tables count too
 * @param hashes of the cells of their rows, if they are known
 * @param mostRows maximum number of distinct rows to compare
 */
export function* naturalRepeats(
  tables: readonly Table[],
  schema: Schema,
  hashes: readonly Float64Array[] = tables.map((table) => rowHashes({ features: table }, schema)),
  mostRows = MAX_ROWS,
): Pausable<NaturalRepeats> {
  const most = Math.min(mostRows, Math.ceil(MAX_CELLS / schema.columns.length));
  const { sample, share, repeats, frequencies } = distinctRows(hashes, most);
  if (!outnumber(repeats, 0)) return { natural: true };
  if (areImpossible(frequencies)) return { natural: false };
  const numeric = schema.columns.some(({ kind }) => kind === "numeric" || kind === "date");
  if (!numeric) return { natural: true };
  const column = yield* columnOfCopies(comparedCells(tables, schema, sample), { repeats, share });
  return column === undefined ? { natural: true } : { natural: false, column };
}

/** One row of each kind, or of a sample of the kinds. */
interface DistinctRows {
  /** Indices of the rows in each table, ascending. */
  readonly sample: readonly Int32Array[];
  /** Fraction of all kinds in the sample. */
  readonly share: number;
  /** Number of kinds of rows that occur more than once. */
  readonly repeats: number;
  readonly frequencies: readonly KindFrequency[];
}

/** Samples kinds of rows by their hashes, so that equal rows are in the sample together. */
function distinctRows(own: readonly Float64Array[], most: number): DistinctRows {
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
  const share = Math.min(1, most / kinds);
  const sample = own.map((part, t) =>
    Int32Array.from(part.keys()).filter(
      (row) => isFirst[starts[t] + row] === 1 && part[row] < share * 2 ** 53,
    ),
  );
  return { sample, share, repeats: repeated, frequencies: frequenciesOf(ascending) };
}

/** Returns the cells of the sampled rows, column by column. */
function comparedCells(
  tables: readonly Table[],
  schema: Schema,
  sample: readonly Int32Array[],
): ComparedCells[] {
  const conformed = tables.map((table, t) => conform(table.select(sample[t]), schema).columns);
  return schema.columns.map(({ name, kind }, j) => {
    const own = conformed.map((columns) => columns[j]);
    return {
      name,
      cells: joinedCells(kind === "text" ? withCommonCodes(own) : own),
      ordered: kind === "numeric" || kind === "date",
    };
  });
}

/** Gives equal strings of several tables the same code. */
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
