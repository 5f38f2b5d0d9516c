import { existsSync, statSync } from "node:fs";
import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import type { ShardGroup } from "@vouch/core/internal/runtime/shards/shard-group";
import { didYouMean } from "@vouch/core/internal/runtime/text/suggestions";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Column } from "@vouch/core/internal/table/column";
import type { ColumnSchema } from "@vouch/core/internal/table/schema";
import { Table } from "@vouch/core/internal/table/table";
import { readerOptions } from "@vouch/core/internal/train/request/request";
import type { LocatedDataset } from "@vouch/datasets";
import {
  FORMATS,
  type Format,
  type ReadOptions,
  readTable,
  readTableInChunks,
  readTableShard,
  type TableSource,
} from "@vouch/formats";
import { type ReadingFlags, wrongValue } from "../options/flags.js";
import { standardInput } from "../process/interruption.js";

/** The rows of a DATA argument, and its official test rows if it has any. */
export interface Data {
  readonly rows: Table;
  readonly test?: Table;
}

/** How a command reads DATA. */
export interface Reading {
  readonly flags: ReadingFlags;
  readonly target: ReadOptions["target"];
  /**
   * Columns of related rows. A LIBSVM file does not show features that are 0 in all its rows, and categories that were
   * strings there may all look like numbers here.
   */
  readonly like?: readonly Pick<Column | ColumnSchema, "name" | "kind">[];
  /** Columns whose spelling matters, because they are written out as read or name groups. */
  readonly kept?: readonly string[];
  readonly signal?: AbortSignal;
  readonly progress?: (progress: Progress) => void;
  /** Threads for reading large files. */
  readonly executor?: Executor;
  /** Tasks that will follow on the threads, which load them while a large file is read. */
  readonly tasks?: readonly string[];
}

/** Minimum file size in bytes for starting threads while reading; work on smaller files may not need them. */
const LARGE_FILE = 1 << 20;

/** Reads DATA for training: a file, standard input, or a data set with its official split if there is one. */
export async function readTrainingData(argument: string, reading: Reading): Promise<Data> {
  if (!isDatasetName(argument)) return { rows: await readFile(argument, reading) };
  const { files, entry } = await located(argument);
  if ("all" in files) return { rows: await readFile(files.all, reading, argument) };
  const rows = await readFile(files.train, reading, entry.name);
  return { rows, test: await readFile(files.test, { ...reading, like: rows.columns }, `${entry.name}.test`) };
}

/**
 * Maximum number of rows to read of ignored columns: as many as determine the kind of a column, so that no later cell
 * can contradict it.
 */
const ASIDE_ROWS = 16_384;
/** Maximum size of these rows in bytes, because an ignored column may contain long texts. */
const ASIDE_BYTES = 2 ** 26;
/** Assumed compression ratio of a compressed file. */
const COMPRESSION = 20;

/**
 * Reads the ignored columns of DATA for checks of its rows; no model sees them. Reads the first rows, and fills up with
 * missing cells. This second pass over the start of the file makes it irrelevant if such a column is unreadable or too
 * long. Standard input allows no second pass.
 *
 * @param read the table without these columns
 */
export async function readAside(
  argument: string,
  read: Table,
  { flags, signal }: Pick<Reading, "flags" | "signal">,
): Promise<Table | undefined> {
  const names = flags.ignore ?? [];
  if (names.length === 0 || argument === "-") return undefined;
  try {
    const path = await trainingFile(argument);
    const bytes = statSync(path).size * (path.endsWith(".gz") ? COMPRESSION : 1);
    const rows = Math.floor(Math.min(ASIDE_ROWS, (ASIDE_BYTES / Math.max(1, bytes)) * read.rows));
    if (rows < 1) return undefined;
    const { categorical: _c, numeric: _n, date: _d, text: _t, ...format } = flags;
    const others = { ...format, ignore: read.columns.map(({ name }) => name) };
    const reading = { flags: others, target: undefined, signal, progress: () => {} };
    for await (const part of readTableInChunks(path, { ...optionsFor(path, reading, read.name), rows })) {
      if (part.rows !== Math.min(rows, read.rows)) return undefined;
      return new Table(
        read.name,
        read.rows,
        part.columns.map((column) => padded(column, read.rows)),
      );
    }
    return undefined;
  } catch (error) {
    if (signal?.aborted || !(error instanceof VouchError)) throw error;
    return undefined;
  }
}

/** Adds missing cells to a column. */
function padded(column: Column, rows: number): Column {
  if (column.kind === "categorical") {
    const codes = new Int32Array(rows).fill(-1);
    codes.set(column.codes);
    return { ...column, codes };
  }
  const values = new Float64Array(rows).fill(Number.NaN);
  values.set(Array.from(column.values));
  return { ...column, values };
}

/** Reads a shard's training rows from DATA, a file. */
export function readShardOfData(argument: string, group: ShardGroup, reading: Reading): Promise<Table> {
  return readTableShard(argument, group, optionsFor(argument, reading, undefined));
}

/** Finds the file of a DATA argument without reading it; for a data set with an official split, the training rows. */
export async function trainingFile(argument: string): Promise<string> {
  if (!isDatasetName(argument)) return argument;
  const { files } = await located(argument);
  return "all" in files ? files.all : files.train;
}

/** Reads DATA for a finished model; for a data set with an official split, the test rows. */
export async function readNewData(argument: string, reading: Reading): Promise<Table> {
  const { path, name } = await newDataFile(argument);
  return readFile(path, reading, name);
}

/** Reads DATA for a finished model in parts of at most `rows` rows. */
export async function* readNewDataInChunks(
  argument: string,
  reading: Reading,
  rows: number,
): AsyncGenerator<Table> {
  const { path, name } = await newDataFile(argument);
  yield* readTableInChunks(sourceAt(path), { ...optionsFor(path, reading, name), rows });
}

async function newDataFile(argument: string): Promise<{ path: string; name?: string }> {
  if (!isDatasetName(argument)) return { path: argument };
  const { files, entry } = await located(argument);
  return "all" in files
    ? { path: files.all, name: argument }
    : { path: files.test, name: `${entry.name}.test` };
}

/** Checks whether an argument is the name of a data set: a word without folder or extension that is not a file. */
function isDatasetName(argument: string): boolean {
  return argument !== "-" && !existsSync(argument) && /^[\w-]+(\.train|\.test)?$/.test(argument);
}

/** Finds a data set of the catalogue. The argument may be a misspelt file name, so the error mentions both. */
async function located(name: string): Promise<LocatedDataset> {
  try {
    const { locateDataset } = await import("@vouch/datasets");
    return await locateDataset(name);
  } catch (error) {
    if (!(error instanceof VouchError) || error.code !== "dataset/unknown") throw error;
    throw new VouchError(error.code, `${error.message} There is no file of that name, either.`, {
      hint: error.hint,
    });
  }
}

function readFile(path: string, reading: Reading, name?: string): Promise<Table> {
  prepareThreads(path, reading);
  return readTable(sourceAt(path), optionsFor(path, reading, name));
}

/** Starts the threads if the file is large. */
function prepareThreads(path: string, { executor, tasks }: Reading): void {
  if (!tasks || !executor?.prepare || executor.threads === 1 || path === "-") return;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size >= LARGE_FILE) executor.prepare(tasks);
}

function sourceAt(path: string): TableSource {
  return path === "-" ? standardInput() : path;
}

function optionsFor(path: string, reading: Reading, name: string | undefined): ReadOptions {
  const { flags, target, like = [], kept = [], signal, progress, executor } = reading;
  const called = name ?? (path === "-" ? "standard input" : undefined);
  return {
    ...(flags.format !== undefined && { format: checkedFormat(flags.format) }),
    name: called,
    target,
    ...readerOptions(flags),
    verbatim: spelledColumns(like, kept),
    expectNumbers: like.flatMap(({ name, kind }) => (kind === "numeric" ? [name] : [])),
    features: like.reduce((most, { name }) => Math.max(most, featureNumber(name)), 0),
    signal,
    onProgress: progress,
    ...(executor && { executor }),
  };
}

/**
 * Lists the columns that keep their spelling: categories of the related rows, and kept columns that are not numeric
 * there.
 */
function spelledColumns(like: NonNullable<Reading["like"]>, kept: readonly string[]): string[] {
  const numbers = new Set(like.flatMap(({ name, kind }) => (kind === "numeric" ? [name] : [])));
  return [...like.map(({ name }) => name), ...kept].filter((name) => !numbers.has(name));
}

/** Returns the number in a LIBSVM column name (f1, f2, …); 0 for other names. */
function featureNumber(name: string): number {
  return /^f[1-9]\d{0,6}$/.test(name) ? Number(name.slice(1)) : 0;
}

function checkedFormat(name: string): Format {
  const format = FORMATS.find((known) => known === name);
  if (format) return format;
  throw wrongValue("--format", `one of ${FORMATS.join(", ")}`, name, didYouMean(name, FORMATS));
}
