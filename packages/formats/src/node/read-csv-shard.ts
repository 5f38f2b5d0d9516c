import { inlineExecutor } from "@vouch/core/internal/runtime/parallel/inline";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { Table } from "@vouch/core/internal/table/table";
import { type ColumnSurvey, readingNotices, surveyColumns } from "../csv/column-survey.js";
import { locateRows } from "../csv/locate-rows.js";
import type { RecordCounts } from "../csv/record-counter.js";
import { preparedColumns } from "../csv/record-parser.js";
import type { PartsOfData } from "../data-part.js";
import type { Input } from "../input.js";
import { type MissingWords, wordsOfShards } from "../missing-words.js";
import type { ReadOptions } from "../read-options.js";
import { countRecords, type RangeCounts } from "./csv-range-tasks.js";
import { changedFile } from "./file-errors.js";
import {
  lineStarts,
  missingWords,
  parseRanges,
  type RecordRange,
  recordRanges,
  rowsEnd,
  type ThreadedFile,
  tableColumns,
} from "./read-csv-on-threads.js";

/** Ranges per thread of a shard. */
const RANGES_PER_THREAD = 3;

/**
 * Reads the records of a CSV file that start in one of its parts. A process reads only the first rows of the file and
 * its own part. Only the preceding parts can tell whether a part starts inside a quoted cell. Each process therefore
 * counts the records of its part for both cases, and the exchanged counts of all processes resolve them. The
 * concatenated tables of all shards equal the result of `readTable`.
 */
export async function readCsvShard(file: Input, given: ReadOptions, part: PartsOfData): Promise<Table> {
  const { plainFile, size: bytes = 0 } = file;
  if (!plainFile) throw notInPlace(file.name, "it is compressed, not a file, or not UTF-8");
  if (given.verbatim && given.verbatim.length > 0) {
    throw new VouchError(
      "option/invalid",
      "verbatim needs all rows of a file, and cannot be used in shards.",
    );
  }
  const located = await locateRows(file, given);
  const { input, options } = located;
  const size = await rowsEnd(plainFile, bytes, located);
  const survey = await surveyColumns(input, options);
  const { dialect } = survey;
  const { executor = inlineExecutor() } = options;
  const ranges = part.shards * RANGES_PER_THREAD * executor.threads;
  const rangeBytes = Math.max(1, Math.ceil((size - dialect.start) / ranges));
  const starts = await lineStarts({ plainFile, size, executor, rangeBytes }, dialect.start);
  const first = (shard: number) => Math.floor((starts.length * shard) / part.shards);
  const all = starts.map((from, i) => ({
    ...{ file: plainFile, from, to: starts[i + 1] ?? size, delimiter: dialect.delimiter },
    last: i + 1 === starts.length,
  }));
  const [begin, end] = [first(part.shard), first(part.shard + 1)];
  const { signal } = options;
  const own = await executor.map(countRecords, all.slice(begin, end), { signal });
  const counts = countsFrom(await part.gather(encodeCounts(own)), all.length);
  if (!counts.every(({ isText }) => isText)) throw notInPlace(input.name, "it is not UTF-8");
  const records = recordRanges(dialect, all, counts);
  // Bytes of this shard's ranges.
  const [from, to] = [begin, end].map((range) => starts[range] ?? Number.POSITIVE_INFINITY);
  const wanted = records.filter((range) => begin < end && range.from >= from && range.from < to);
  const words = missingWords(survey);
  const table = await parsed(wanted, survey, input, options, { plainFile, size, executor }, records, words);
  const ofAll = await wordsOfShards(words, part, missingWords(survey));
  const rows = records.reduce((sum, range) => sum + range.rows, 0);
  return table.withNotices([
    ...located.titleNotices,
    ...located.totalNotices(),
    ...readingNotices(survey, ofAll, rows),
  ]);
}

async function parsed(
  ranges: readonly RecordRange[],
  survey: ColumnSurvey,
  input: Input,
  options: ReadOptions,
  file: ThreadedFile,
  all: readonly RecordRange[],
  words: MissingWords,
): Promise<Table> {
  if (ranges.length === 0) {
    const { names } = survey.dialect;
    const columns = tableColumns(
      names,
      preparedColumns(survey.layout.actions, 0),
      names.map(() => []),
    );
    return new Table(
      input.name,
      0,
      columns,
      all.reduce((sum, { rows }) => sum + rows, 0),
    );
  }
  const table = await parseRanges(ranges, survey, input, options, file, words);
  if (!table) throw changedFile(input.name);
  return table;
}

function encodeCounts(counts: readonly RangeCounts[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(counts));
}

/** Joins the counts of all processes. */
function countsFrom(parts: readonly Uint8Array[], expected: number): RangeCounts[] {
  const counts = parts.flatMap((bytes): unknown[] => {
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(read) ? read : [undefined];
  });
  if (counts.length === expected && counts.every(isRangeCounts)) return counts;
  throw new VouchError("data/malformed", "Shards have counted the records of different files.", {
    hint: "All shards must read the same file.",
  });
}

function isRangeCounts(value: unknown): value is RangeCounts {
  if (typeof value !== "object" || value === null) return false;
  if (!("outside" in value && "inside" in value && "isText" in value)) return false;
  return isCounts(value.outside) && isCounts(value.inside) && typeof value.isText === "boolean";
}

function isCounts(value: unknown): value is RecordCounts {
  if (typeof value !== "object" || value === null) return false;
  const numbers = ["rows", "lines", "firstStart", "firstLines"] as const;
  const counts: Readonly<Record<string, unknown>> = { ...value };
  return numbers.every((name) => Number.isInteger(counts[name])) && typeof counts.endsInQuotes === "boolean";
}

function notInPlace(name: string, why: string): VouchError {
  return new VouchError("file/format", `${name} cannot be read in shards: ${why}.`, {
    hint: "Use a plain CSV file in UTF-8 or a Parquet file, or give one file for each shard.",
  });
}
