import type { Executor, MapOptions } from "@vouch/core/internal/runtime/parallel/executor";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Column } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";
import { type ColumnSurvey, readingNotices, surveyColumns } from "../csv/column-survey.js";
import type { CsvDialect } from "../csv/dialect.js";
import { LevelDictionary, type PackedLevels } from "../csv/level-dictionary.js";
import { type LocatedRows, locateRows, withNotices } from "../csv/locate-rows.js";
import { readCsv, readSurveyed } from "../csv/read-csv.js";
import { type CsvLayout, type PreparedColumns, preparedColumns } from "../csv/record-parser.js";
import { TAIL_BYTES } from "../csv/total-lines.js";
import type { Input, KnownFile } from "../input.js";
import { MissingWords } from "../missing-words.js";
import type { ReadOptions } from "../read-options.js";
import { inChunks } from "../table-chunks.js";
import {
  type ByteRange,
  countRecords,
  parseRange,
  type RangeCounts,
  replaceCodes,
} from "./csv-range-tasks.js";
import { changedFile } from "./file-errors.js";
import { openKnown } from "./known-file.js";

/** Smaller files are read on this thread, because starting threads takes about as long. */
const SMALLEST_FILE = 4 << 20;
/** Smaller files that are read in parts stay on this thread, because their consumer may not need threads. */
const SMALLEST_DIVIDED = 32 << 20;
/** Parts of the file per thread: a few, so that no thread waits long for the last one. */
const RANGES_PER_THREAD = 3;
const SMALLEST_RANGE = 1 << 20;
/** Wider tables are read on this thread, because their arrays would have to be sent with every range. */
const MOST_COLUMNS = 1 << 13;
/** Bytes to search for the end of a line; a range without one belongs to the previous range. */
const LINE_BYTES = 1 << 16;
/** Share of the time for counting, for progress. */
const COUNTING_SHARE = 0.15;
/** Milliseconds per replaced code. */
const TIME_PER_CODE = 1e-6;

const LINE_FEED = 10;

/** Reads CSV, on the threads of the executor if the file is large. */
export async function* readCsvFile(input: Input, options: ReadOptions, rows: number): AsyncGenerator<Table> {
  const { executor } = options;
  const { plainFile, size = 0 } = input;
  const isWhole = rows === Number.POSITIVE_INFINITY;
  if (
    !executor ||
    executor.threads === 1 ||
    !plainFile ||
    size < (isWhole ? SMALLEST_FILE : SMALLEST_DIVIDED)
  ) {
    yield* readCsv(input, options, rows);
    return;
  }
  yield* readCsvOnThreads(input, options, rows, { executor, plainFile, size });
}

/** Reads a CSV file on threads like `readCsv`, in tables of at most `rows` rows. */
export async function* readCsvOnThreads(
  input: Input,
  options: ReadOptions,
  rows: number,
  { plainFile, size, ...others }: ThreadedFile,
): AsyncGenerator<Table> {
  const located = await locateRows(input, options);
  const file = { ...others, plainFile, size: await rowsEnd(plainFile, size, located) };
  yield* withNotices(
    rows === Number.POSITIVE_INFINITY
      ? readWhole(located.input, located.options, file)
      : readParts(located.input, located.options, rows, file),
    located,
  );
}

/** Returns the end of the last row: the first total line or the end of the file. */
export async function rowsEnd(file: KnownFile, size: number, { findTotals }: LocatedRows): Promise<number> {
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  const handle = await openKnown(file);
  try {
    const { bytesRead } = await handle.read(tail, 0, tail.length, size - tail.length);
    return size - findTotals(tail.subarray(0, bytesRead), size).bytes;
  } finally {
    await handle.close();
  }
}

/** The file that threads read, and the size of its ranges. */
export interface ThreadedFile {
  readonly executor: Executor;
  readonly plainFile: KnownFile;
  readonly size: number;
  /** Bytes of a range. */
  readonly rangeBytes?: number;
}

/**
 * Reads a whole CSV file on threads. The table and the errors equal the results of `readCsv`, bit for bit:
 *
 * 1. The file is divided into ranges that start after a line feed. Only the preceding ranges can tell whether that is
 *    inside a quoted cell. Threads therefore count the records of each range for both cases, and one pass over the
 *    counts resolves them.
 * 2. Now the first record of each range and its number are known. Threads parse the records of each range directly into
 *    their rows of the columns, which have exactly the right length.
 * 3. Each range has numbered the strings of a column by appearance. Merged in the order of the ranges, they give the
 *    numbers of the whole file.
 */
async function* readWhole(input: Input, options: ReadOptions, file: ThreadedFile): AsyncGenerator<Table> {
  const { survey, ranges } = await surveyAndCount(input, options, file);
  const words = missingWords(survey);
  const table = ranges && (await parseRanges(ranges, survey, input, options, file, words));
  if (table) {
    yield survey.verbatim.restoredWhole(table.withNotices(readingNotices(survey, words, table.rows)));
  } else yield* readSurveyed(input, options, Number.POSITIVE_INFINITY, survey);
}

/** Reads a CSV file on threads in parts. */
async function* readParts(
  input: Input,
  options: ReadOptions,
  rows: number,
  file: ThreadedFile,
): AsyncGenerator<Table> {
  const { survey, ranges } = await surveyAndCount(input, options, { rangeBytes: SMALLEST_RANGE, ...file });
  if (!ranges) {
    yield* readSurveyed(input, options, rows, survey);
    return;
  }
  const words = missingWords(survey);
  const total = ranges.reduce((sum, range) => sum + range.rows, 0);
  for (const some of batches(ranges, rows)) {
    const table = await parseRanges(some, survey, input, options, file, words);
    if (!table) throw changedFile(input.name);
    for (const part of inChunks(table, rows)) {
      // The last part carries the notes, which count words of all rows.
      const isLast = part.firstRow + part.rows === total;
      const noticed = isLast ? part.withNotices(readingNotices(survey, words, total)) : part;
      yield* survey.verbatim.restored(noticed);
    }
  }
}

/** Starts counting words in numeric columns. */
export function missingWords({ layout: { names, words } }: ColumnSurvey): MissingWords {
  return new MissingWords(names.length, words);
}

/** Groups ranges into batches with a maximum number of rows, unless one range exceeds it. */
function* batches(ranges: readonly RecordRange[], rows: number): Generator<readonly RecordRange[]> {
  let first = 0;
  let count = 0;
  for (let i = 0; i < ranges.length; i++) {
    if (i > first && count + ranges[i].rows > rows) {
      yield ranges.slice(first, i);
      first = i;
      count = 0;
    }
    count += ranges[i].rows;
  }
  yield ranges.slice(first);
}

/**
 * Parses consecutive ranges, and counts words in numeric columns; undefined if threads cannot read the file, or if it
 * has changed since its records were counted.
 */
export async function parseRanges(
  ranges: readonly RecordRange[],
  { dialect, layout }: ColumnSurvey,
  input: Input,
  options: ReadOptions,
  { executor, plainFile, size }: ThreadedFile,
  words: MissingWords,
): Promise<Table | undefined> {
  const [{ from, firstRow }] = ranges;
  const rows = ranges.reduce((sum, range) => sum + range.rows, 0);
  const columns = preparedColumns(layout.actions, rows);
  const inputs = ranges.map(({ line, ...range }) => ({
    ...range,
    file: plainFile,
    layout: { ...layout, line },
    columns: sliceRows(columns, range.firstRow - firstRow, range.rows),
  }));
  const share = (bytes: number) => COUNTING_SHARE + ((1 - COUNTING_SHARE) * bytes) / size;
  const shares = mapOptions(input, options, share(from), share(ranges[ranges.length - 1].to));
  const parsed = await executor.map(parseRange, inputs, shares).catch(unlessInterrupted);
  const fault = parsed?.find((range) => range.fault)?.fault;
  if (fault) {
    throw new VouchError(fault.code, fault.message, {
      hint: fault.hint,
    });
  }
  if (!parsed?.every((range, i) => range.rows === ranges[i].rows)) return undefined;
  for (const range of parsed) words.merge(range.words);
  const parts = inputs.map(({ columns }, i) => ({ codes: columns.codes, levels: parsed[i].levels }));
  const levels = await commonLevels(parts, layout, executor, options.signal);
  return new Table(input.name, rows, tableColumns(dialect.names, columns, levels), firstRow);
}

/** Surveys the columns while threads count the records; returns no ranges if the file must be read on this thread. */
async function surveyAndCount(
  input: Input,
  options: ReadOptions,
  file: ThreadedFile,
): Promise<{ survey: ColumnSurvey; ranges: readonly RecordRange[] | undefined }> {
  file.executor.prepare?.([]);
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  let counting: Promise<readonly RecordRange[] | undefined> = Promise.resolve(undefined);
  try {
    const survey = await surveyColumns(input, { ...options, signal }, (dialect) => {
      counting = countedRanges(input, { ...options, signal }, file, dialect);
      // An error of the survey has priority.
      counting.catch(() => {});
    });
    const ranges = await counting;
    return { survey, ranges: survey.layout.names.length > MOST_COLUMNS ? undefined : ranges };
  } catch (error) {
    stop.abort();
    await counting.catch(() => {});
    throw error;
  }
}

/** Bytes `from` to `to` of a file with whole records. */
export interface RecordRange {
  readonly from: number;
  readonly to: number;
  /** First line of the range. */
  readonly line: number;
  /** Numbers of records before the range and in it. */
  readonly firstRow: number;
  readonly rows: number;
}

async function countedRanges(
  input: Input,
  options: ReadOptions,
  file: ThreadedFile,
  dialect: CsvDialect,
): Promise<readonly RecordRange[] | undefined> {
  const { delimiter } = dialect;
  const { plainFile, size } = file;
  const starts = await lineStarts(file, dialect.start);
  const ranges = starts.map((from, i) => {
    const last = i + 1 === starts.length;
    return { file: plainFile, from, to: last ? size : starts[i + 1], delimiter, last };
  });
  const counts = await file.executor
    .map(countRecords, ranges, mapOptions(input, options, 0, COUNTING_SHARE))
    .catch(unlessInterrupted);
  return counts?.every(({ isText }) => isText) ? recordRanges(dialect, ranges, counts) : undefined;
}

/**
 * Returns the starts of a file's ranges: the start of the data, then positions after line feeds about `rangeBytes`
 * apart.
 */
export async function lineStarts(
  { plainFile, size, executor, rangeBytes }: ThreadedFile,
  start: number,
): Promise<number[]> {
  const bytes =
    rangeBytes ?? Math.max(SMALLEST_RANGE, Math.ceil(size / (RANGES_PER_THREAD * executor.threads)));
  const starts = [start];
  const buffer = Buffer.allocUnsafe(LINE_BYTES);
  const handle = await openKnown(plainFile);
  try {
    for (let at = start + bytes; at < size; at += bytes) {
      const { bytesRead } = await handle.read(buffer, 0, LINE_BYTES, at - 1);
      const next = at + buffer.subarray(0, bytesRead).indexOf(LINE_FEED);
      if (next >= at && next < size && next > starts[starts.length - 1]) starts.push(next);
    }
  } finally {
    await handle.close();
  }
  return starts;
}

/** Moves the starts of ranges to the next record; a range without one is merged into the previous range. */
export function recordRanges(
  dialect: CsvDialect,
  ranges: readonly ByteRange[],
  counts: readonly RangeCounts[],
): readonly RecordRange[] {
  const end = ranges[ranges.length - 1].to;
  const starts: { from: number; line: number; firstRow: number }[] = [];
  let rows = 0;
  let line = dialect.line;
  let inQuotes = false;
  counts.forEach(({ outside, inside }, i) => {
    const range = inQuotes ? inside : outside;
    const from = ranges[i].from + range.firstStart;
    if (range.firstStart >= 0 && from < end) {
      // The record that is open at the start of the range belongs to the previous range.
      const firstRow = inQuotes ? rows + 1 : rows;
      starts.push({ from, line: line + range.firstLines, firstRow });
    }
    rows += range.rows;
    line += range.lines;
    inQuotes = range.endsInQuotes;
  });
  return starts.map((start, i) => {
    const { from: to, firstRow: nextRow } = starts[i + 1] ?? { from: end, firstRow: rows };
    return { ...start, to, rows: nextRow - start.firstRow };
  });
}

function sliceRows({ numbers, codes }: PreparedColumns, from: number, count: number): PreparedColumns {
  return {
    numbers: numbers.map((values) => values.subarray(from, from + count)),
    codes: codes.map((values) => values.subarray(from, from + count)),
  };
}

/** The codes of a range and their strings, by column. */
interface CodedRange {
  readonly codes: readonly Int32Array[];
  readonly levels: readonly PackedLevels[];
}

/** Merges the strings of each column in the order of the file, and returns them. */
async function commonLevels(
  ranges: readonly CodedRange[],
  { names, missing }: CsvLayout,
  executor: Executor,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly string[])[]> {
  const isMissing = new Set(missing);
  const dictionaries = ranges[0].levels.map((_, j) => new LevelDictionary(names[j], isMissing));
  const parts = ranges.map(({ codes, levels }) =>
    levels.flatMap((packed, j) => {
      const codeOf = dictionaries[j].addAll(packed);
      return codeOf.every((code, level) => code === level) ? [] : [{ codes: codes[j], codeOf }];
    }),
  );
  const changed = parts.filter((part) => part.length > 0);
  const cells = changed.flat().reduce((sum, { codes }) => sum + codes.length, 0);
  await executor.map(replaceCodes, changed, {
    milliseconds: TIME_PER_CODE * cells,
    signal,
  });
  return dictionaries.map(({ levels }) => levels);
}

/** Makes the columns of a table from parsed cells. */
export function tableColumns(
  names: readonly string[],
  { numbers, codes }: PreparedColumns,
  levels: readonly (readonly string[])[],
): Column[] {
  return names.flatMap((name, j): Column[] => {
    if (numbers[j]) return [{ kind: "numeric", name, values: numbers[j] }];
    return codes[j] ? [{ kind: "categorical", name, codes: codes[j], levels: levels[j] }] : [];
  });
}

/** Reports progress from one share of the file to another. */
function mapOptions(
  { name, size = 0 }: Input,
  { signal, onProgress }: ReadOptions,
  from: number,
  to: number,
): MapOptions {
  return {
    signal,
    onProgress: (done, total) => {
      const share = from + ((to - from) * done) / total;
      onProgress?.({ stage: `Reading ${name}`, done: Math.round(share * size), total: size, unit: "bytes" });
    },
  };
}

/** Ignores errors of the threads, such as a vanished file, because the reader on this thread will report them. */
function unlessInterrupted(error: unknown): undefined {
  if (error instanceof VouchError && error.code === "run/interrupted") throw error;
}
