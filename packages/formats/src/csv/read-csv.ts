import { Table, VouchError } from "vouch/predict";
import { SURVEYED_ROWS } from "../cell.js";
import { type Wish, wishes } from "../column-plan.js";
import type { Input } from "../input/input.js";
import { TextWindow } from "../input/text-window.js";
import type { ReadOptions } from "../read-options.js";
import { type Dialect, readDialect } from "./dialect.js";
import { plainNumbers } from "./plain-numbers.js";
import { NUMERIC, PROBE, RecordParser, SKIP, TEXT } from "./record-parser.js";

/** Room for the rows of a compressed file, whose length is not known, as a multiple of the surveyed rows. */
const GUESSED_ROWS = 4;

/**
 * Reads CSV in two goes: the header and the first rows, to learn the columns' names and kinds, then everything
 * into typed columns. It is its own parser because it has to name file, line and column of every fault, refuse
 * what is ragged or ambiguous, and stay within a small multiple of the table's own memory.
 */
export async function readCsv(input: Input, options: ReadOptions): Promise<Table> {
  const survey = await surveyColumns(input, options);
  const { dialect, actions, rows } = survey;
  if (rows === 0) {
    throw new VouchError("data/no-rows", `${input.name} has a header but no rows.`, {
      hint: "If its one line is data, say that there is no header: --no-header.",
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
      .map((column) => (survey.spelled.has(column.name) ? plainNumbers(column) : column));
    return new Table(input.name, parser.rows, columns);
  } finally {
    await window.close();
  }
}

interface Survey {
  readonly dialect: Dialect;
  /** What the parser should do with each column. */
  readonly actions: Uint8Array;
  /** The columns whose spelling counts. */
  readonly spelled: ReadonlySet<string>;
  /** Rows looked at, and the bytes they took. */
  readonly rows: number;
  readonly bytes: number;
}

async function surveyColumns(input: Input, options: ReadOptions): Promise<Survey> {
  const window = await TextWindow.open(input);
  try {
    const dialect = await readDialect(input.name, window, options);
    const { names } = dialect;
    const wished = wishes(input.name, names, options);
    const spelled = new Set(options.spelled?.filter((name) => wished.get(name) === undefined));
    const probed = (name: string) => wished.get(name) === undefined && !spelled.has(name);
    const actions = Uint8Array.from(names, (name) => (probed(name) ? PROBE : SKIP));
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
      parser.parse(window, SURVEYED_ROWS);
      bytes += window.start - before;
    } while (parser.rows < SURVEYED_ROWS && (await window.more()));
    if (window.complete && parser.rows < SURVEYED_ROWS) parser.checkFinished(window);
    const decided = Uint8Array.from(names, (name, j) => decidedAction(wished.get(name), actions[j]));
    return { dialect, actions: decided, spelled, rows: parser.rows, bytes };
  } finally {
    await window.close();
  }
}

function decidedAction(wish: Wish, probed: number): number {
  if (wish === "ignored") return SKIP;
  if (wish === "numeric") return NUMERIC;
  if (wish === "categorical") return TEXT;
  return probed === PROBE ? NUMERIC : TEXT;
}

function expectedRows(input: Input, survey: Survey): number {
  if (survey.rows < SURVEYED_ROWS) return survey.rows;
  if (input.size === undefined) return GUESSED_ROWS * survey.rows;
  return Math.ceil((1.05 * input.size * survey.rows) / survey.bytes) + 1;
}
