import { inParallel, type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { isShared, onSharedMemory, sharedBuffer } from "../runtime/parallel/shared-array.js";
import { definePureTask } from "../runtime/parallel/task.js";
import type { Column, NumericColumn } from "./column.js";
import {
  type CellSource,
  cellsFrom,
  codeSource,
  isSelected,
  numberSource,
  sharedSource,
} from "./column-cells.js";
import { numberOf } from "./number-text.js";
import type { Schema } from "./schema.js";
import { copiedCodes } from "./selected-values.js";
import { SparseValues } from "./sparse-cells.js";
import type { Table } from "./table.js";
import { doublesOf } from "./value-blocks.js";

const BLOCK_ROWS = 4096;
/** Cells of sparse columns to hash between two pauses. */
const ENTRIES_AT_ONCE = 2 ** 18;
/** Cells to hash per task: a few milliseconds of work. */
const CELLS_PER_TASK = 2 ** 19;
/** Maximum number of tasks, because sending many takes long. */
const MOST_TASKS = 64;
/** Approximate milliseconds per cell. */
const MILLISECONDS_PER_CELL = 8e-6;

/** Stands for every class that a model lacks; no column can contain this string. */
const UNKNOWN_CLASS = "\0unknown";

/** Rows to hash, with their classes or without. */
interface HashedRows {
  readonly features: Table;
  readonly labels?: Int32Array;
}

/** Hashes of rows. */
export interface RowHashes {
  /** Of the cells alone. */
  readonly cells: Float64Array;
  /** Of the cells and the class; the same as `cells` without labels. */
  readonly labelled: Float64Array;
}

/**
 * Hashes each row's cells in the schema's columns, and its class if there are labels, to an integer below 2⁵³. The hash
 * depends on names and contents, not on the order of columns, and is the same for the number 1.5 and the string "1.50".
 * (A decimal fraction rounded to single precision is another number, though.) Missing cells do not contribute. Among a
 * million distinct rows, two have the same hash with a probability below 10⁻⁴.
 */
export function rowHashes(rows: HashedRows, schema: Schema): Float64Array {
  return runNow(rowHashesInSteps(rows, schema)).labelled;
}

/** Hashes rows on threads, both without and with their classes. */
export function* rowHashesInSteps({ features, labels }: HashedRows, schema: Schema): Pausable<RowHashes> {
  const { rows } = features;
  const columns = schema.columns.map(({ name }) => features.column(name));
  const start = columns.some(isSparse) ? yield* sparseHashes(columns, rows) : undefined;
  const cells = new Float64Array(sharedBuffer(8 * rows, "the hashes of rows"));
  const labelled = labels ? new Float64Array(sharedBuffer(8 * rows, "the hashes of rows")) : cells;
  const common = {
    columns: columns.flatMap((column) => (isSparse(column) ? [] : hashedColumn(column))),
    ...(labels && { classes: classHashes(labels, schema) }),
    ...(start && { start }),
    cells,
    labelled,
  };
  const count = Math.max(1, common.columns.length);
  const step = Math.ceil(Math.max(CELLS_PER_TASK / count, rows / MOST_TASKS, 1));
  const inputs = Array.from({ length: Math.ceil(rows / step) }, (_, k): HashInput => {
    return { ...common, begin: k * step, end: Math.min(rows, (k + 1) * step) };
  });
  const shared = isShared(cells) ? sharedOnce(common) : undefined;
  yield* inParallel(hashTask, inputs, {
    milliseconds: shared ? rows * count * MILLISECONDS_PER_CELL : 0,
    ...(shared && { share: ({ begin, end }) => ({ ...shared(), begin, end }) }),
  });
  return { cells, labelled };
}

/** The rows of a table, as they are hashed. */
interface HashedTable extends RowHashes {
  readonly columns: readonly HashedColumn[];
  readonly classes?: HashedCodes;
  /** Hashes of sparse columns. */
  readonly start?: Halves;
}

interface HashInput extends HashedTable {
  readonly begin: number;
  readonly end: number;
}

/** A column of numbers, or of codes with a hash per level. */
type HashedColumn = HashedNumbers | HashedCodes;

interface HashedNumbers {
  readonly source: CellSource;
  readonly seeds: readonly [high: number, low: number];
}

interface HashedCodes {
  readonly source: CellSource;
  readonly levels: Halves;
}

/** The two halves of hashes. */
interface Halves {
  readonly high: Int32Array;
  readonly low: Int32Array;
}

/** Moves the arrays of a table to shared memory on the first call. */
function sharedOnce(table: HashedTable): () => HashedTable {
  let shared: HashedTable | undefined;
  return () => {
    shared ??= {
      ...table,
      columns: table.columns.map(onSharedArrays),
      ...(table.classes && { classes: onSharedArrays(table.classes) }),
      ...(table.start && { start: sharedHalves(table.start) }),
    };
    return shared;
  };
}

function onSharedArrays<Hashed extends HashedColumn>(column: Hashed): Hashed {
  return {
    ...column,
    source: sharedSource(column.source),
    ...("levels" in column && { levels: sharedHalves(column.levels) }),
  };
}

function sharedHalves({ high, low }: Halves): Halves {
  return { high: onSharedMemory(high), low: onSharedMemory(low) };
}

const hashTask = definePureTask("table/row-hashes", (input: HashInput): void => {
  const high = new Int32Array(BLOCK_ROWS);
  const low = new Int32Array(BLOCK_ROWS);
  const scratch = new Float64Array(BLOCK_ROWS);
  const codes = new Int32Array(BLOCK_ROWS);
  const { columns, classes, start, cells, labelled, begin: first, end: last } = input;
  for (let begin = first; begin < last; begin += BLOCK_ROWS) {
    const end = Math.min(begin + BLOCK_ROWS, last);
    if (start) {
      high.set(start.high.subarray(begin, end));
      low.set(start.low.subarray(begin, end));
    } else {
      high.fill(0);
      low.fill(0);
    }
    for (const column of columns) addColumn(column, begin, end);
    writeHashes(cells, begin, end);
    if (!classes) continue;
    addColumn(classes, begin, end);
    writeHashes(labelled, begin, end);
  }

  function addColumn(column: HashedColumn, begin: number, end: number): void {
    const values = cellsFrom(column.source);
    if ("levels" in column) {
      addCodeHashes(copiedCodes(values, begin, end, codes), column.levels, high, low);
      return;
    }
    const block = doublesOf(values, begin, end, scratch);
    if (block.buffer !== scratch.buffer) scratch.set(block);
    const [highSeed, lowSeed] = column.seeds;
    addNumberHashes(new Uint32Array(scratch.buffer), end - begin, highSeed, lowSeed, high, low);
  }

  function writeHashes(to: Float64Array, begin: number, end: number): void {
    for (let i = 0; i < end - begin; i++) to[begin + i] = hashOf(high[i], low[i]);
  }
});

function hashedColumn(column: Exclude<Column, SparseColumn>): HashedColumn[] {
  if (column.kind === "categorical") {
    return [{ source: codeSource(column), levels: levelHashes(column.name, column.levels) }];
  }
  const source = numberSource(column);
  return source ? [{ source, seeds: textHash(column.name) }] : [];
}

function classHashes(labels: Int32Array, { target, classes }: Schema): HashedCodes {
  const known = labels.some((label) => label < 0)
    ? labels.map((label) => (label < 0 ? classes.length : label))
    : labels;
  return { source: { cells: known }, levels: levelHashes(target, [...classes, UNKNOWN_CLASS]) };
}

type SparseColumn = NumericColumn & { readonly values: SparseValues };

function isSparse(column: Column): column is SparseColumn {
  return column.kind === "numeric" && !isSelected(column) && column.values instanceof SparseValues;
}

/**
 * Sums the hashes of sparse columns for all rows. A row first gets the hash of 0 from every column, which is corrected
 * where a cell is not 0, so that zeros take no time.
 */
function* sparseHashes(columns: readonly Column[], rows: number): Pausable<Halves> {
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

function addCodeHashes(codes: Int32Array, levels: Halves, high: Int32Array, low: Int32Array): void {
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] < 0) continue;
    high[i] += levels.high[codes[i]];
    low[i] += levels.low[codes[i]];
  }
}

/** Hashes names, such as group names, like a column of them: integers below 2⁵³. */
export function nameHashes(names: readonly string[]): Float64Array {
  const { high, low } = levelHashes("", names);
  return Float64Array.from(names, (_, i) => hashOf(high[i], low[i]));
}

/** Joins the halves of a hash to an integer below 2⁵³. */
function hashOf(high: number, low: number): number {
  return (high >>> 0) * 2097152 + (low >>> 11);
}

/** Hashes the levels of a column. */
function levelHashes(name: string, levels: readonly string[]): Halves {
  const [highSeed, lowSeed] = textHash(name);
  const high = new Int32Array(levels.length);
  const low = new Int32Array(levels.length);
  levels.forEach((level, code) => {
    const [upper, lower] = canonicalWords(level);
    high[code] = mix(highSeed, upper, lower);
    low[code] = mix(lowSeed, upper, lower);
  });
  return { high, low };
}

/** Returns the words of the number that a string spells, or else of the string's own hash. */
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

/** Mixes three words into one, each bit of which depends on all input bits (the finaliser of MurmurHash3, twice). */
function mix(seed: number, upper: number, lower: number): number {
  let h = Math.imul(seed ^ lower, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h ^ upper, 0xc2b2ae35);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  return h ^ (h >>> 13);
}
