import { VouchError } from "vouch/errors";
import type { Table } from "vouch/predict";
import { INFERENCE_ROWS } from "../cell.js";
import { checkColumns } from "../column-memory.js";
import { type ColumnRole, columnRoles } from "../column-roles.js";
import type { Input } from "../input.js";
import type { ReadOptions } from "../read-options.js";
import { TextWindow } from "../text-window.js";
import { type CsvDialect, readDialect } from "./dialect.js";
import { NUMERIC, PROBE, RecordParser, SKIP, TEXT } from "./record-parser.js";
import { SpelledColumns } from "./spelled-columns.js";

/** Capacity for the rows of a compressed file, whose size is unknown, as a multiple of the surveyed rows. */
const COMPRESSED_CAPACITY = 4;

/**
 * Reads CSV in two passes: the header and the first rows, to infer names and kinds of the columns, then everything
 * into typed columns, in tables of at most `rows` rows. vouch has its own parser because it names file, line and column of every error, refuses what
 * is ragged or ambiguous, and needs little more memory than the table itself.
 */
export async function* readCsv(input: Input, options: ReadOptions, rows: number): AsyncGenerator<Table> {
  const survey = await surveyColumns(input, options);
  const { dialect, actions, spelled } = survey;
  if (survey.rows === 0) {
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
      capacity: Math.min(rows, expectedRows(input, survey)),
    });
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

interface ColumnSurvey {
  readonly dialect: CsvDialect;
  /** The action of the parser on each column. */
  readonly actions: Uint8Array;
  readonly spelled: SpelledColumns;
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
      roles.has(name) ? SKIP : keepSpelling.has(name) ? TEXT : PROBE,
    );
    const parser = new RecordParser({
      ...dialect,
      file: input.name,
      actions,
      decimalComma: options.decimalComma ?? false,
      capacity: INFERENCE_ROWS,
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
    const surveyed = parser.rows;
    const spelled = new SpelledColumns(parser.takeTable());
    return { dialect, actions: inferred, spelled, rows: surveyed, bytes };
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
