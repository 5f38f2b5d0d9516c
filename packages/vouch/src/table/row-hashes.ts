import { inOneGo, type Steps } from "../runtime/steps.js";
import type { Column, NumericColumn } from "./column.js";
import { numberOf } from "./number-text.js";
import type { Schema } from "./schema.js";
import { SparseValues } from "./sparse-values.js";
import type { Table } from "./table.js";
import { doublesOf } from "./value-blocks.js";

const BLOCK_ROWS = 4096;
/** Columns of a block that are hashed between two pauses. */
const COLUMNS_AT_ONCE = 256;
/** Cells of sparse columns that are hashed between two pauses. */
const ENTRIES_AT_ONCE = 2 ** 18;

/** Stands for every class that a model does not know; no column can hold this text. */
const UNKNOWN_CLASS = "\0unknown";

/** Rows to hash, with their classes or without. */
interface HashedRows {
  readonly features: Table;
  readonly labels?: Int32Array;
}

/**
 * Hashes each row's cells in the schema's columns, and its class if there are labels: an integer below 2⁵³. The hash depends on
 * names and contents, not on the order of columns, and is the same for the number 1.5 and the text "1.50". (A decimal fraction
 * rounded to single precision is another number, though.) Missing cells do not contribute. Among a million different rows, two
 * have the same hash with a probability below 10⁻⁴.
 */
export function rowHashes(rows: HashedRows, schema: Schema): Float64Array {
  return inOneGo(rowHashesInSteps(rows, schema));
}

/** Hashes rows with pauses, for many of them. */
export function* rowHashesInSteps({ features, labels }: HashedRows, schema: Schema): Steps<Float64Array> {
  const { rows } = features;
  // All columns share one block of scratch: with many columns, one block each would take gigabytes.
  const words = new Uint32Array(2 * Math.min(BLOCK_ROWS, rows));
  const columns = schema.columns.map(({ name }) => features.column(name));
  const sparse = yield* sparseHashes(columns, rows);
  const cells = columns.filter((column) => !isSparse(column)).map((column) => cellHashes(column, words));
  if (labels)
    cells.push(codeHashes(schema.target, [...schema.classes, UNKNOWN_CLASS], classCodes(labels, schema)));
  const hashes = new Float64Array(rows);
  const high = new Int32Array(BLOCK_ROWS);
  const low = new Int32Array(BLOCK_ROWS);
  for (let start = 0; start < rows; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, rows);
    high.set(sparse.high.subarray(start, end));
    low.set(sparse.low.subarray(start, end));
    for (const [j, add] of cells.entries()) {
      add(start, end, high, low);
      if (j % COLUMNS_AT_ONCE === COLUMNS_AT_ONCE - 1) yield;
    }
    for (let i = 0; i < end - start; i++) hashes[start + i] = (high[i] >>> 0) * 2097152 + (low[i] >>> 11);
    yield;
  }
  return hashes;
}

function classCodes(labels: Int32Array, { classes }: Schema): Int32Array {
  return labels.map((label) => (label < 0 ? classes.length : label));
}

/** Adds the hashes of a column's cells in [start, end) to the two halves of the rows' hashes. */
type AddHashes = (start: number, end: number, high: Int32Array, low: Int32Array) => void;

function cellHashes(column: Column, words: Uint32Array): AddHashes {
  if (column.kind === "categorical") return codeHashes(column.name, column.levels, column.codes);
  const { values } = column;
  const [highSeed, lowSeed] = textHash(column.name);
  const scratch = new Float64Array(words.buffer);
  return (start, end, high, low) => {
    const block = doublesOf(values, start, end, scratch);
    if (block.buffer !== scratch.buffer) scratch.set(block);
    addNumberHashes(words, end - start, highSeed, lowSeed, high, low);
  };
}

type SparseColumn = NumericColumn & { readonly values: SparseValues };

function isSparse(column: Column): column is SparseColumn {
  return column.kind === "numeric" && column.values instanceof SparseValues;
}

/**
 * Adds up the hashes of sparse columns, for all rows. A row has the hash of 0 from every column, which is corrected where a cell
 * is not 0, so that zeros take no time.
 */
function* sparseHashes(
  columns: readonly Column[],
  rows: number,
): Steps<{ readonly high: Int32Array; readonly low: Int32Array }> {
  const high = new Int32Array(rows);
  const low = new Int32Array(rows);
  let [zeroHigh, zeroLow] = [0, 0];
  let sincePause = 0;
  for (const column of columns) {
    if (!isSparse(column)) continue;
    const seeds = textHash(column.name);
    const zero = [mix(seeds[0], 0, 0), mix(seeds[1], 0, 0)] as const;
    zeroHigh = (zeroHigh + zero[0]) | 0;
    zeroLow = (zeroLow + zero[1]) | 0;
    addSparseHashes(column.values, seeds, zero, high, low);
    sincePause += 1 + column.values.entries;
    if (sincePause > ENTRIES_AT_ONCE) {
      yield;
      sincePause = 0;
    }
  }
  for (let i = 0; i < rows; i++) {
    high[i] += zeroHigh;
    low[i] += zeroLow;
  }
  return { high, low };
}

function addSparseHashes(
  { rows, values, first, last }: SparseValues,
  [highSeed, lowSeed]: readonly [number, number],
  [zeroHigh, zeroLow]: readonly [number, number],
  high: Int32Array,
  low: Int32Array,
): void {
  const cell = new Float64Array(1);
  const words = new Uint32Array(cell.buffer);
  for (let e = first; e < last; e++) {
    // −0 is 0, and missing cells do not contribute.
    cell[0] = values[e] + 0;
    const missing = (words[1] & 0x7ff00000) === 0x7ff00000;
    high[rows[e]] += (missing ? 0 : mix(highSeed, words[1], words[0])) - zeroHigh;
    low[rows[e]] += (missing ? 0 : mix(lowSeed, words[1], words[0])) - zeroLow;
  }
}

function addNumberHashes(
  words: Uint32Array,
  count: number,
  highSeed: number,
  lowSeed: number,
  high: Int32Array,
  low: Int32Array,
): void {
  for (let i = 0; i < count; i++) {
    const lower = words[2 * i];
    const upper = words[2 * i + 1];
    if ((upper & 0x7ff00000) === 0x7ff00000) continue; // NaN: missing.
    const canonical = upper === 0x80000000 && lower === 0 ? 0 : upper; // −0 is 0.
    high[i] += mix(highSeed, canonical, lower);
    low[i] += mix(lowSeed, canonical, lower);
  }
}

function codeHashes(name: string, levels: readonly string[], codes: Int32Array): AddHashes {
  const [highSeed, lowSeed] = textHash(name);
  const highs = new Int32Array(levels.length);
  const lows = new Int32Array(levels.length);
  levels.forEach((level, code) => {
    const [upper, lower] = canonicalWords(level);
    highs[code] = mix(highSeed, upper, lower);
    lows[code] = mix(lowSeed, upper, lower);
  });
  return (start, end, high, low) => {
    for (let i = start; i < end; i++) {
      if (codes[i] < 0) continue;
      high[i - start] += highs[codes[i]];
      low[i - start] += lows[codes[i]];
    }
  };
}

/** Returns the words of the number that a text spells, or else of the text's own hash. */
function canonicalWords(text: string): readonly [number, number] {
  const number = numberOf(text);
  if (Number.isNaN(number)) return textHash(text);
  const [lower, upper] = new Uint32Array(Float64Array.of(number + 0).buffer);
  return [upper, lower];
}

function textHash(text: string): readonly [number, number] {
  let high = 0x2545f491;
  let low = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = mix(high, low, unit);
    low = mix(low, unit, i);
  }
  return [high, low];
}

/** Mixes three words into one, each bit of which depends on all of theirs (the finaliser of MurmurHash3, twice). */
function mix(seed: number, upper: number, lower: number): number {
  let h = Math.imul(seed ^ lower, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h ^ upper, 0xc2b2ae35);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  return h ^ (h >>> 13);
}
