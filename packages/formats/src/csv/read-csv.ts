import { VouchError } from "vouch/errors";
import { type CategoricalColumn, type Column, Table } from "vouch/predict";
import { INFERENCE_ROWS, parseNumber } from "../cell.js";
import { checkColumns } from "../column-memory.js";
import { type ColumnRole, columnRoles } from "../column-roles.js";
import type { Input } from "../input.js";
import type { ReadOptions } from "../read-options.js";
import { TextWindow } from "../text-window.js";
import { type CsvDialect, readDialect } from "./dialect.js";
import { NUMERIC, PROBE, RecordParser, SKIP, TEXT } from "./record-parser.js";

/** Capacity for the rows of a compressed file, whose size is unknown, as a multiple of the surveyed rows. */
const COMPRESSED_CAPACITY = 4;

/**
 * Reads CSV in two passes: the header and the first rows, to infer names and kinds of the columns, then everything
 * into typed columns. vouch has its own parser because it names file, line and column of every error, refuses what
 * is ragged or ambiguous, and needs little more memory than the table itself.
 */
export async function readCsv(input: Input, options: ReadOptions): Promise<Table> {
  const survey = await surveyColumns(input, options);
  const { dialect, actions, rows } = survey;
  if (rows === 0) {
    throw new VouchError("data/no-rows", `${input.name} has a header but no rows.`, {
      hint: "If its only line is data, pass --no-header.",
    });
  }
  const window = await TextWindow.open(input);
  try {
    await readDialect(input.name, window, { ...options, delimiter: String.fromCharCode(dialect.delimiter) });
    const parser = new RecordParser({
      ...dialect,
      file: input.name,
      actions,
      decimalComma: options.decimalComma ?? false,
      capacity: expectedRows(input, survey),
    });
    do parser.parse(window);
    while (await window.more());
    parser.checkFinished(window);
    const columns = parser
      .columns()
      .map((column) =>
        column.kind === "categorical" && survey.keepSpelling.has(column.name)
          ? numbersIfLossless(column)
          : column,
      );
    return new Table(input.name, parser.rows, columns);
  } finally {
    await window.close();
  }
}

interface ColumnSurvey {
  readonly dialect: CsvDialect;
  /** The action of the parser on each column. */
  readonly actions: Uint8Array;
  readonly keepSpelling: ReadonlySet<string>;
  /** Rows that were surveyed, and their size. */
  readonly rows: number;
  readonly bytes: number;
}

async function surveyColumns(input: Input, options: ReadOptions): Promise<ColumnSurvey> {
  const window = await TextWindow.open(input);
  try {
    const dialect = await readDialect(input.name, window, options);
    const { names } = dialect;
    const roles = columnRoles(input.name, names, options);
    const keepSpelling = new Set(options.keepSpelling?.filter((name) => !roles.has(name)));
    const actions = Uint8Array.from(names, (name) =>
      roles.has(name) || keepSpelling.has(name) ? SKIP : PROBE,
    );
    const parser = new RecordParser({
      ...dialect,
      file: input.name,
      actions,
      decimalComma: options.decimalComma ?? false,
      capacity: Number.POSITIVE_INFINITY,
    });
    let bytes = 0;
    do {
      const before = window.start;
      parser.parse(window, INFERENCE_ROWS);
      bytes += window.start - before;
    } while (parser.rows < INFERENCE_ROWS && (await window.more()));
    if (window.complete && parser.rows < INFERENCE_ROWS) parser.checkFinished(window);
    const inferred = Uint8Array.from(names, (name, j) => actionFor(roles.get(name), actions[j]));
    checkColumns(input.name, names.length, inferred.filter((action) => action === TEXT).length);
    return { dialect, actions: inferred, keepSpelling, rows: parser.rows, bytes };
  } finally {
    await window.close();
  }
}

function actionFor(role: ColumnRole | undefined, probed: number): number {
  if (role === "ignored") return SKIP;
  if (role === "numeric") return NUMERIC;
  if (role === "categorical") return TEXT;
  return probed === PROBE ? NUMERIC : TEXT;
}

function expectedRows(input: Input, survey: ColumnSurvey): number {
  if (survey.rows < INFERENCE_ROWS) return survey.rows;
  if (input.size === undefined) return COMPRESSED_CAPACITY * survey.rows;
  return Math.ceil((1.05 * input.size * survey.rows) / survey.bytes) + 1;
}

/** Turns categories into numbers if all are spelled as JavaScript prints numbers, so that the text can be restored. */
function numbersIfLossless(column: CategoricalColumn): Column {
  const { name, codes, levels } = column;
  const numbers = levels.map((level) => parseNumber(level) ?? Number.NaN);
  if (!levels.every((level, code) => Number.isFinite(numbers[code]) && String(numbers[code]) === level)) {
    return column;
  }
  return {
    kind: "numeric",
    name,
    values: Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : numbers[code])),
  };
}
