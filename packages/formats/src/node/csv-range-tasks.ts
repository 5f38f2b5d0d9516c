import type { TaskContext } from "@vouch/core/internal/runtime/parallel/executor";
import { defineTask } from "@vouch/core/internal/runtime/parallel/task";
import { type ErrorCode, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { PackedLevels } from "../csv/level-dictionary.js";
import { RecordCounter, type RecordCounts } from "../csv/record-counter.js";
import { type CsvLayout, type PreparedColumns, RecordParser } from "../csv/record-parser.js";
import type { Input, KnownFile } from "../input.js";
import type { WordsOfRows } from "../missing-words.js";
import { TextWindow } from "../text-window.js";
import { fileBlocks, isUtf8WithoutNul } from "./file-blocks.js";

const LINE_FEED = 10;
const QUOTE = 34;

/** Bytes `from` to `to` of a file. */
export interface ByteRange {
  readonly file: KnownFile;
  readonly from: number;
  readonly to: number;
}

/** A range that starts after a line feed, whose records are to be counted. */
interface RangeToCount extends ByteRange {
  readonly delimiter: number;
  /** Whether the file ends here. Its last record then ends even without a line feed. */
  readonly last: boolean;
}

/** Record counts of a range, if it starts with a record and if it starts inside a quoted cell. */
export interface RangeCounts {
  readonly outside: RecordCounts;
  readonly inside: RecordCounts;
  /** False if it contains NUL or invalid UTF-8, or possibly if it has very long lines. */
  readonly isText: boolean;
}

/** Counts the records of a range of bytes. */
export const countRecords = defineTask(
  "csv/count-records",
  async ({ delimiter, last, ...range }: RangeToCount, context): Promise<RangeCounts> => {
    const outside = new RecordCounter(delimiter, false);
    let inside: RecordCounter | undefined;
    let lastByte = LINE_FEED;
    let isText = true;
    for await (const block of watchedBlocks(range, context)) {
      const hasQuotes = block.includes(QUOTE);
      // Both counts agree up to the first quote.
      if (hasQuotes) inside ??= new RecordCounter(delimiter, true, outside.skipped);
      outside.count(block, hasQuotes);
      inside?.count(block, hasQuotes);
      isText &&= isUtf8WithoutNul(block);
      lastByte = block[block.length - 1];
    }
    inside ??= new RecordCounter(delimiter, true, outside.skipped);
    if (last && lastByte !== LINE_FEED) {
      for (const counter of [outside, inside]) counter.count(Uint8Array.of(LINE_FEED));
    }
    return { outside: outside.counts(), inside: inside.counts(), isText };
  },
  import.meta.url,
);

/** A range of whole records. */
interface RangeToParse extends ByteRange {
  /** `line` is the first line of the range. */
  readonly layout: CsvLayout;
  /** Numbers of records before the range and in it. */
  readonly firstRow: number;
  readonly rows: number;
  /** The part of the table's columns for this range. */
  readonly columns: PreparedColumns;
}

/** A parsed range: the strings of its columns, or why it cannot be parsed. */
interface ParsedRange {
  readonly rows: number;
  readonly levels: readonly PackedLevels[];
  /** Words in its numeric columns. */
  readonly words: WordsOfRows;
  readonly fault?: CsvFault;
}

/** A `VouchError` as a message. */
interface CsvFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/**
 * Parses a range of whole records into its part of the columns. Returns errors, because another range may have an
 * earlier one.
 */
export const parseRange = defineTask(
  "csv/parse-range",
  async ({ layout, firstRow, columns, ...range }: RangeToParse, context): Promise<ParsedRange> => {
    const parser = new RecordParser(layout, { columns });
    parser.firstRow = firstRow;
    try {
      await parseAll(parser, range, layout.file, context);
    } catch (error) {
      if (!(error instanceof VouchError) || error.code === "run/interrupted") throw error;
      const { code, message, hint } = error;
      return { rows: parser.rows, levels: [], words: parser.words.ofRows(), fault: { code, message, hint } };
    }
    return { rows: parser.rows, levels: parser.packedLevels(), words: parser.words.ofRows() };
  },
  import.meta.url,
);

async function parseAll(
  parser: RecordParser,
  range: ByteRange,
  file: string,
  context: TaskContext,
): Promise<void> {
  const input: Input = {
    name: file,
    size: range.to - range.from,
    // Already checked when the records were counted.
    isText: () => true,
    open: () => watchedBlocks(range, context),
  };
  const window = await TextWindow.open(input, range.from);
  try {
    do parser.parse(window);
    while (await window.more());
    parser.checkFinished(window);
  } finally {
    await window.close();
  }
}

/** Codes of a part of a column, and the new code for each. */
interface CodesToReplace {
  readonly codes: Int32Array;
  readonly codeOf: Int32Array;
}

/** Replaces the codes of a range by codes of the whole file. Missing cells stay missing. */
export const replaceCodes = defineTask(
  "csv/replace-codes",
  async (parts: readonly CodesToReplace[], context) => {
    for (const { codes, codeOf } of parts) {
      await context.checkpoint();
      for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) codes[i] = codeOf[codes[i]];
    }
  },
  import.meta.url,
);

async function* watchedBlocks(
  { file, from, to }: ByteRange,
  context: TaskContext,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for (const block of fileBlocks(file, from, to)) {
    await context.checkpoint();
    yield block;
    done += block.length;
    context.progress(done / (to - from));
  }
}
