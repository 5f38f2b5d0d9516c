import type { Table } from "vouch/data";
import type { Input } from "../input.js";
import type { ReadOptions } from "../read-options.js";
import { TextWindow } from "../text-window.js";
import { type ColumnSurvey, surveyColumns } from "./column-survey.js";
import { readDialect } from "./dialect.js";
import { locateRows, withNotices } from "./locate-rows.js";
import { RecordParser } from "./record-parser.js";

/**
 * Reads CSV in two passes: the header and the first rows, to infer names and kinds of the columns, then everything
 * into typed columns, in tables of at most `rows` rows. vouch has its own parser because it names file, line and column of every error, refuses what
 * is ragged or ambiguous, and needs little more memory than the table itself.
 */
export async function* readCsv(input: Input, options: ReadOptions, rows: number): AsyncGenerator<Table> {
  const located = await locateRows(input, options);
  const survey = await surveyColumns(located.input, located.options);
  yield* withNotices(readSurveyed(located.input, located.options, rows, survey), located);
}

/** Reads CSV whose columns are known. */
export async function* readSurveyed(
  input: Input,
  options: ReadOptions,
  rows: number,
  { dialect, actions, spelled, expectedRows }: ColumnSurvey,
): AsyncGenerator<Table> {
  const window = await TextWindow.open(input);
  try {
    await readDialect(input.name, window, { ...options, delimiter: String.fromCharCode(dialect.delimiter) });
    const layout = { ...dialect, file: input.name, actions, decimalComma: options.decimalComma ?? false };
    const parser = new RecordParser(layout, { capacity: Math.min(rows, expectedRows) });
    do {
      parser.parse(window, rows);
      while (parser.rows === rows) {
        yield* spelled.restored(parser.takeTable());
        parser.parse(window, rows);
      }
    } while (await window.more());
    parser.checkFinished(window);
    if (parser.rows === 0) return;
    const last = parser.takeTable();
    yield* rows === Number.POSITIVE_INFINITY ? [spelled.restoredWhole(last)] : spelled.restored(last);
  } finally {
    await window.close();
  }
}
