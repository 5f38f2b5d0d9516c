import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import type { Table, TableNotice } from "@vouch/core/internal/table/table";
import { joinBytes } from "../bytes.js";
import { excerpt } from "../cell.js";
import type { Input } from "../input.js";
import type { ReadOptions } from "../read-options.js";
import { TextWindow } from "../text-window.js";
import { readDialect } from "./dialect.js";
import { findTotalLines, TAIL_BYTES, type TotalLines } from "./total-lines.js";

/** The rows of a CSV file, without lines above the header and totals below the last row. */
export interface LocatedRows {
  /** The text up to the last row. */
  readonly input: Input;
  /** Options with delimiter and skipped lines set, so that every pass agrees on them. */
  readonly options: ReadOptions;
  /** Finds total lines in the last bytes of the file, up to `TAIL_BYTES`, and remembers them for `notices`. */
  findTotals(tail: Uint8Array, size: number): TotalLines;
  /** Notes on the lines above the header, and on total lines once they are found. */
  readonly titleNotices: readonly TableNotice[];
  totalNotices(): readonly TableNotice[];
}

/** Finds the header of a CSV file and prepares to drop totals at its end. */
export async function locateRows(input: Input, options: ReadOptions): Promise<LocatedRows> {
  const window = await TextWindow.open(input);
  const { delimiter, names, start, skipped, titles } = await readDialect(input.name, window, options).finally(
    () => window.close(),
  );
  const { headerRow, ...others } = options;
  let words: readonly string[] = [];
  const findTotals = (tail: Uint8Array, size: number): TotalLines => {
    if (options.keepTotals) return { bytes: 0, words: [] };
    const rows = tail.subarray(Math.max(0, start - (size - tail.length)));
    const isWhole = size - rows.length <= start;
    const found = findTotalLines(rows, { delimiter, columns: names.length }, isWhole);
    words = found.words;
    return found;
  };
  return {
    input: { ...input, open: () => withoutTotals(input.open(), findTotals) },
    options: {
      ...others,
      ...(headerRow !== undefined && options.header === undefined && { header: true }),
      ...{ delimiter: String.fromCharCode(delimiter), skip: skipped },
    },
    findTotals,
    titleNotices: describeTitles(titles),
    totalNotices: () => describeTotals(words),
  };
}

/** Holds back the last bytes until the end, and then drops total lines. */
async function* withoutTotals(
  blocks: AsyncIterable<Uint8Array>,
  find: LocatedRows["findTotals"],
): AsyncGenerator<Uint8Array> {
  let held = new Uint8Array();
  let size = 0;
  for await (const block of blocks) {
    size += block.length;
    const free = Math.max(0, held.length + block.length - TAIL_BYTES);
    if (free >= held.length) {
      if (held.length > 0) yield held;
      const passed = free - held.length;
      if (passed > 0) yield block.subarray(0, passed);
      held = block.slice(passed);
    } else {
      if (free > 0) yield held.subarray(0, free);
      held = joinBytes([held.subarray(free), block]).slice();
    }
  }
  const rows = held.subarray(0, held.length - find(held, size).bytes);
  if (rows.length > 0) yield rows;
}

/** Adds notes about dropped lines: titles with the first table, totals with the last. */
export async function* withNotices(
  tables: AsyncIterable<Table>,
  { titleNotices, totalNotices }: LocatedRows,
): AsyncGenerator<Table> {
  let held: Table | undefined;
  for await (const table of tables) {
    if (held) yield held;
    held = held ? table : table.withNotices(titleNotices);
  }
  if (held) yield held.withNotices(totalNotices());
}

function describeTitles(titles: readonly string[]): TableNotice[] {
  if (titles.length === 0) return [];
  const lines = `${formatCount(titles.length, "title line")} above the header skipped (${excerpt(titles[0])})`;
  return [{ message: `${lines}; --skip 0 reads ${titles.length === 1 ? "it" : "them"}.` }];
}

function describeTotals(words: readonly string[]): TableNotice[] {
  if (words.length === 0) return [];
  const lines = `${formatCount(words.length, "total line")} below the rows skipped (${excerpt(words[0])})`;
  return [{ message: `${lines}; --keep-totals reads ${words.length === 1 ? "it" : "them"}.` }];
}
