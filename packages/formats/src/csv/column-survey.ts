import { VouchError } from "vouch/errors";
import { INFERENCE_ROWS } from "../cell.js";
import { checkColumnCount } from "../column-memory.js";
import { type ColumnRole, columnRoles } from "../column-roles.js";
import type { Input } from "../input.js";
import type { ReadOptions } from "../read-options.js";
import { TextWindow } from "../text-window.js";
import { type CsvDialect, readDialect } from "./dialect.js";
import { NUMERIC, PROBE, RecordParser, SKIP, TEXT } from "./record-parser.js";
import { SpelledColumns } from "./spelled-columns.js";

/** Capacity for the rows of a compressed file, whose size is unknown, as a multiple of the surveyed rows. */
const COMPRESSED_CAPACITY = 4;

/** What the first rows of a file say about its columns. */
export interface ColumnSurvey {
  readonly dialect: CsvDialect;
  /** The action of the parser on each column. */
  readonly actions: Uint8Array;
  readonly spelled: SpelledColumns;
  /** An estimate from the size of the surveyed rows. */
  readonly expectedRows: number;
}

/**
 * Reads the header and the first rows, to infer names and kinds of the columns. `onDialect` is called when the header has been
 * read. Throws if there are no rows.
 */
export async function surveyColumns(
  input: Input,
  options: ReadOptions,
  onDialect: (dialect: CsvDialect) => void = () => {},
): Promise<ColumnSurvey> {
  const window = await TextWindow.open(input);
  try {
    const dialect = await readDialect(input.name, window, options);
    onDialect(dialect);
    const { names } = dialect;
    const roles = columnRoles(input.name, names, options);
    const keepSpelling = new Set(options.keepSpelling?.filter((name) => !roles.has(name)));
    const actions = Uint8Array.from(names, (name) =>
      roles.has(name) ? SKIP : keepSpelling.has(name) ? TEXT : PROBE,
    );
    const layout = { ...dialect, file: input.name, actions, decimalComma: options.decimalComma ?? false };
    const parser = new RecordParser(layout, { capacity: INFERENCE_ROWS });
    let bytes = 0;
    do {
      const before = window.start;
      parser.parse(window, INFERENCE_ROWS);
      bytes += window.start - before;
    } while (parser.rows < INFERENCE_ROWS && (await window.more()));
    if (window.complete && parser.rows < INFERENCE_ROWS) parser.checkFinished(window);
    const inferred = Uint8Array.from(names, (name, j) => actionFor(roles.get(name), actions[j]));
    checkColumnCount(input.name, names.length, inferred.filter((action) => action === TEXT).length);
    const surveyed = parser.rows;
    if (surveyed === 0) throw noRows(input.name);
    const spelled = new SpelledColumns(parser.takeTable());
    return { dialect, actions: inferred, spelled, expectedRows: expectedRows(input, surveyed, bytes) };
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
