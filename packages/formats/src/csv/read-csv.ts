import type { Table } from "@vouch/core/internal/table/table";
import type { Input } from "../input.js";
import type { ReadOptions } from "../read-options.js";
import { TextWindow } from "../text-window.js";
import { type ColumnSurvey, readingNotices, surveyColumns } from "./column-survey.js";
import { readDialect } from "./dialect.js";
import { locateRows, withNotices } from "./locate-rows.js";
import { RecordParser } from "./record-parser.js";

/**
 * Reads CSV in two passes. The first reads the header and the first rows to infer names and kinds of the columns. The
 * second reads everything into typed columns, in tables of at most `rows` rows. vouch has its own parser because it
 * names file, line and column in every error, refuses ragged or ambiguous files, and needs little more memory than the
 * table itself.
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
  survey: ColumnSurvey,
): AsyncGenerator<Table> {
  const { dialect, layout, verbatim, expectedRows } = survey;
  const window = await TextWindow.open(input);
  try {
    await readDialect(input.name, window, { ...options, delimiter: String.fromCharCode(dialect.delimiter) });
    const parser = new RecordParser(layout, { capacity: Math.min(rows, expectedRows) });
    // The last table carries the notes, which count words of all rows.
    let complete: Table | undefined;
    do {
      parser.parse(window, rows);
      while (parser.rows === rows) {
        if (complete) yield* verbatim.restored(complete);
        complete = parser.takeTable();
        parser.parse(window, rows);
      }
    } while (await window.more());
    parser.checkFinished(window);
    if (complete && parser.rows > 0) yield* verbatim.restored(complete);
    const last = parser.rows > 0 ? parser.takeTable() : complete;
    if (!last) return;
    const noticed = last.withNotices(readingNotices(survey, parser.words, parser.firstRow));
    yield* rows === Number.POSITIVE_INFINITY ? [verbatim.restoredWhole(noticed)] : verbatim.restored(noticed);
  } finally {
    await window.close();
  }
}
