import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { TableNotice } from "@vouch/core/internal/table/table";
import { INFERENCE_ROWS } from "../cell.js";
import { checkColumnCount } from "../column-memory.js";
import { columnRoles } from "../column-roles.js";
import type { Input } from "../input.js";
import type { MissingWords } from "../missing-words.js";
import { decideNumberColumns, type WrittenColumn } from "../number-columns.js";
import { numericBy } from "../number-survey.js";
import type { ReadOptions } from "../read-options.js";
import { TextWindow } from "../text-window.js";
import { DECIMAL_POINT, numberLayout } from "../written-numbers.js";
import { type CsvDialect, readDialect } from "./dialect.js";
import { RecordEvidence } from "./record-evidence.js";
import { type CsvLayout, NUMERIC, PROBE, RecordParser, SKIP, TEXT } from "./record-parser.js";
import { VerbatimColumns } from "./verbatim-columns.js";

/** Capacity for a compressed file, whose size is unknown, as a multiple of the surveyed rows. */
const COMPRESSED_CAPACITY = 4;

/** What the first rows of a file reveal about its columns. */
export interface ColumnSurvey {
  readonly dialect: CsvDialect;
  /** How the parser reads the columns. */
  readonly layout: CsvLayout;
  /** By column: whether the user or a model declares it numeric. */
  readonly isDeclared: readonly boolean[];
  /** Notes on how numbers are written, and on doubtful cases. */
  readonly notices: readonly TableNotice[];
  readonly verbatim: VerbatimColumns;
  /** Estimated from the size of the surveyed rows. */
  readonly expectedRows: number;
}

/**
 * Reads the header and the first rows to infer names and kinds of the columns. Calls `onDialect` after the header.
 * Throws if there are no rows.
 *
 * @param isDetailed whether to examine how plain numbers are written, even if their columns contain nothing else
 */
export async function surveyColumns(
  input: Input,
  options: ReadOptions,
  onDialect: (dialect: CsvDialect) => void = () => {},
  isDetailed = options.decimalComma ?? false,
): Promise<ColumnSurvey> {
  const window = await TextWindow.open(input);
  try {
    const dialect = await readDialect(input.name, window, options);
    onDialect(dialect);
    const { names } = dialect;
    const roles = columnRoles(input.name, names, options);
    const verbatim = new Set(options.verbatim?.filter((name) => !roles.has(name)));
    const declaredBy = names.map(numericBy(roles, options));
    const actions = Uint8Array.from(names, (name, j) => {
      if (declaredBy[j]) return PROBE;
      return roles.has(name) ? SKIP : verbatim.has(name) ? TEXT : PROBE;
    });
    const probed = {
      ...{ ...dialect, file: input.name, actions, words: [], missing: options.missing ?? [] },
      hasNumberCells: input.hasNumberCells ?? false,
      marks: new Uint8Array(names.length).fill(DECIMAL_POINT),
    };
    const evidence = new RecordEvidence(names.length, probed.hasNumberCells, isDetailed);
    const parser = new RecordParser(probed, { capacity: INFERENCE_ROWS }, evidence);
    let bytes = 0;
    do {
      const before = window.start;
      parser.parse(window, INFERENCE_ROWS);
      bytes += window.start - before;
    } while (!evidence.needsDetail && parser.rows < INFERENCE_ROWS && (await window.more()));
    if (evidence.needsDetail) return await surveyColumns(input, options, () => {}, true);
    if (window.complete && parser.rows < INFERENCE_ROWS) parser.checkFinished(window);
    const surveyed = parser.rows;
    if (surveyed === 0) throw noRows(input.name);
    const isOpen = (j: number) => actions[j] === PROBE || declaredBy[j] !== undefined;
    const places = Array.from(names.keys()).filter(isOpen);
    const columns = evidence.finish();
    const numbers = decideNumberColumns(
      places.map((j) => ({ name: names[j], evidence: columns[j], numericBy: declaredBy[j] })),
      { decimalComma: options.decimalComma, delimiter: String.fromCharCode(dialect.delimiter) },
    );
    const numberColumns: (WrittenColumn | undefined)[] = names.map(() => undefined);
    places.forEach((j, i) => {
      numberColumns[j] = numbers.columns[i];
    });
    const inferred = Uint8Array.from(names, (name, j) => {
      if (roles.get(name) === "ignored") return SKIP;
      return numberColumns[j] ? NUMERIC : TEXT;
    });
    checkColumnCount(input.name, names.length, inferred.filter((action) => action === TEXT).length);
    const layout = {
      ...{ ...probed, actions: inferred },
      ...numberLayout(names, numberColumns, options.missing),
    };
    return {
      ...{ dialect, layout, notices: numbers.notices },
      isDeclared: declaredBy.map((by) => by !== undefined),
      verbatim: VerbatimColumns.startingWith(parser.takeTable()),
      expectedRows: expectedRows(input, surveyed, bytes),
    };
  } finally {
    await window.close();
  }
}

/** Describes after the last row how the numbers of a file were read. */
export function readingNotices(
  { layout: { file, names }, isDeclared, notices }: ColumnSurvey,
  words: MissingWords,
  rows: number,
): TableNotice[] {
  return [...notices, ...words.notices({ file, names, rows, isDeclared })];
}

/** Estimates the rows of a file from the size of the first ones. */
function expectedRows({ size }: Input, surveyed: number, bytes: number): number {
  if (surveyed < INFERENCE_ROWS) return surveyed;
  if (size === undefined) return COMPRESSED_CAPACITY * surveyed;
  return Math.ceil((1.05 * size * surveyed) / bytes) + 1;
}

function noRows(name: string): VouchError {
  return new VouchError("data/no-rows", `${name} has a header but no rows.`, {
    hint: "If its only line is data, pass --no-header.",
  });
}
