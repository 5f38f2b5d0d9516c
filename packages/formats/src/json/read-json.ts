import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { Table, type TableNotice } from "@vouch/core/internal/table/table";
import { decodeUtf8 } from "../bytes.js";
import { type CellPosition, INFERENCE_ROWS, positionText } from "../cell.js";
import { type ColumnBuilder, columnBuilder } from "../column-builder.js";
import { ColumnMemory, checkColumnCount } from "../column-memory.js";
import { type ColumnRole, columnRoles, targetName } from "../column-roles.js";
import { VerbatimColumns } from "../csv/verbatim-columns.js";
import { firstBytes, type Input } from "../input.js";
import { FirstValues, type NumberSurvey } from "../number-survey.js";
import type { ReadOptions } from "../read-options.js";
import { noticedAtEnd } from "../table-chunks.js";
import { readLines } from "../text-window.js";
import type { WrittenNumbers } from "../written-numbers.js";
import { arrayElements, type ElementText } from "./array-elements.js";

/** Maximum number of arrays and objects in a row. */
const MOST_NESTED_VALUES = 1 << 20;

type JsonCell = string | number | boolean | null;

/** One row and its position in the file. */
interface JsonRow {
  readonly row: number;
  readonly line: number;
  readonly columns: readonly string[];
  readonly cells: Readonly<Record<string, unknown>>;
}

/** Reads `[{…}, {…}]`, or one object per line. */
export async function* readJson(input: Input, options: ReadOptions, rows: number): AsyncGenerator<Table> {
  const start = decodeUtf8(await firstBytes(input, 1 << 16)).replace(/^\ufeff/, "");
  const isArray = start.trimStart().startsWith("[");
  yield* readTexts(input, options, rows, () => (isArray ? arrayElements(input) : lineTexts(input)));
}

/** Reads one JSON object per line. */
export async function* readNdjson(input: Input, options: ReadOptions, rows: number): AsyncGenerator<Table> {
  yield* readTexts(input, options, rows, () => lineTexts(input));
}

/** Reads objects. Their keys become columns in order of appearance; missing keys are missing cells. */
async function* readTexts(
  input: Input,
  options: ReadOptions,
  rows: number,
  texts: () => AsyncGenerator<ElementText>,
): AsyncGenerator<Table> {
  const firstRows = await surveyRows(input, texts(), options);
  const { names, declared, verbatim } = firstRows;
  // When reading in parts, options can only name columns of the first rows, because an error after the last row would
  // come too late.
  if (rows < Number.POSITIVE_INFINITY) columnRoles(input.name, names, declared);
  const objects = new ObjectTable(input.name, firstRows);
  const tables = readObjects(input, texts(), objects, rows);
  for await (const table of noticedAtEnd(tables, () => objects.notices())) {
    if (rows < Number.POSITIVE_INFINITY) yield* verbatim.restored(table);
    else {
      columnRoles(input.name, objects.names, declared);
      yield verbatim.restoredWhole(table);
    }
  }
}

async function* readObjects(
  input: Input,
  texts: AsyncGenerator<ElementText>,
  objects: ObjectTable,
  rows: number,
): AsyncGenerator<Table> {
  for await (const row of jsonRows(input, texts)) {
    objects.add(row);
    if (objects.rows === rows) yield objects.take();
  }
  if (objects.rows + objects.firstRow === 0) {
    throw new VouchError("data/no-rows", `${input.name} has no rows.`);
  }
  if (objects.rows > 0) yield objects.take();
}

/** A column of objects. */
interface ObjectColumn {
  readonly kind: ColumnBuilder["kind"] | "ignored";
  /** Its position among all columns, in order of appearance. */
  readonly place: number;
  /** Number of values that are not null. */
  values: number;
}

/** Collects objects as rows of a table. */
class ObjectTable {
  readonly #file: string;
  readonly #columns = new Map<string, ObjectColumn>();
  readonly #roles: ReadonlyMap<string, ColumnRole>;
  readonly #survey: NumberSurvey;
  readonly #cells: WrittenNumbers;
  #memory: ColumnMemory;
  #builders = new Map<string, ColumnBuilder>();
  /** Numbers of rows in this table and in earlier ones. */
  rows = 0;
  firstRow = 0;

  constructor(file: string, { names, roles, survey }: FirstRows) {
    this.#file = file;
    this.#roles = roles;
    this.#survey = survey;
    this.#cells = survey.newCells();
    this.#memory = new ColumnMemory(file);
    for (const name of names) this.#addColumn(name, survey.isNumeric(name));
  }

  get names(): string[] {
    return [...this.#columns.keys()];
  }

  add({ row, line, columns, cells }: JsonRow): void {
    this.#memory.addRows(1, columns.length);
    for (const name of columns) {
      const value = cells[name];
      const column = this.#columns.get(name) ?? this.#addColumn(name, this.#isNumber(value));
      if (column.kind === "ignored") continue;
      const position = { file: this.#file, row, line, column: name };
      const cell = plainCell(position, value);
      const builder = this.#builder(name, column.kind);
      if (cell === null) continue;
      column.values++;
      if (builder.kind === "categorical") builder.set(this.rows, String(cell));
      else builder.set(this.rows, this.#number(cell, column.place, position));
    }
    this.#cells.words.endRecord(true);
    checkColumnCount(this.#file, this.#columns.size);
    this.rows++;
  }

  #number(cell: string | number | boolean, place: number, position: CellPosition): number {
    if (typeof cell === "number" && Number.isFinite(cell)) return cell;
    const text = String(cell);
    return this.#cells.isMissing(text)
      ? this.#cells.missing(place)
      : this.#cells.number(place, text, position);
  }

  /** Checks the first value of a column that is absent from the first rows. */
  #isNumber(value: unknown): boolean {
    return (
      value === null ||
      typeof value === "number" ||
      (typeof value === "string" && this.#cells.isMissing(value))
    );
  }

  #addColumn(name: string, isNumeric: boolean): ObjectColumn {
    const kind = this.#roles.get(name) ?? (isNumeric ? "numeric" : "categorical");
    const column = { kind, place: this.#columns.size, values: 0 };
    this.#columns.set(name, column);
    return column;
  }

  /** Returns the rows as a table with all columns that have appeared so far, and starts the next table. */
  take(): Table {
    const columns = Array.from(this.#columns).flatMap(([name, { kind }]) =>
      kind === "ignored" ? [] : [this.#builder(name, kind).finish(this.rows)],
    );
    const table = new Table(this.#file, this.rows, columns, this.firstRow);
    this.firstRow += this.rows;
    this.rows = 0;
    this.#memory = new ColumnMemory(this.#file);
    this.#builders = new Map();
    return table;
  }

  /** Describes after the last row how the numbers were read. */
  notices(): TableNotice[] {
    const rows = this.firstRow;
    for (const { place, values } of this.#columns.values()) this.#cells.words.addAbsent(place, rows - values);
    return this.#survey.notices(this.#file, this.names, this.#cells.words, rows);
  }

  #builder(name: string, kind: ColumnBuilder["kind"]): ColumnBuilder {
    let builder = this.#builders.get(name);
    if (builder === undefined) {
      builder = columnBuilder(kind, name, this.#memory);
      this.#builders.set(name, builder);
    }
    return builder;
  }
}

/** What the first rows reveal about the columns. */
interface FirstRows {
  readonly names: readonly string[];
  /** The options with the target's name, which later columns cannot change. */
  readonly declared: ReadOptions;
  readonly roles: ReadonlyMap<string, ColumnRole>;
  readonly survey: NumberSurvey;
  readonly verbatim: VerbatimColumns;
}

/** Infers the kinds of columns from the first rows. */
async function surveyRows(
  input: Input,
  texts: AsyncGenerator<ElementText>,
  options: ReadOptions,
): Promise<FirstRows> {
  const values = new FirstValues(options);
  const names = new Set<string>();
  const withTexts = new Set<string>();
  for await (const { row, columns, cells } of jsonRows(input, texts)) {
    for (const name of columns) {
      names.add(name);
      values.addColumn(name);
      const cell = cells[name];
      if (cell === null) continue;
      if (typeof cell !== "number") withTexts.add(name);
      // Arrays and objects are errors, unless their column is ignored.
      if (isJsonCell(cell)) values.add(name, typeof cell === "number" ? cell : String(cell));
    }
    checkColumnCount(input.name, names.size);
    if (row === INFERENCE_ROWS) break;
  }
  const target = targetName([...names], options);
  const declared = { ...options, ...(target !== undefined && { target }) };
  const roles = declaredRoles(target, options);
  const kept = (options.verbatim ?? []).filter((name) => !roles.has(name));
  for (const name of kept) roles.set(name, "categorical");
  const survey = values.decide(roles, options);
  const numbers = kept.filter((name) => names.has(name) && !withTexts.has(name));
  return { names: [...names], declared, roles, survey, verbatim: new VerbatimColumns(numbers, numbers) };
}

/** Returns the roles by the options; `columnRoles` checks them once all columns are known. */
function declaredRoles(target: string | undefined, options: ReadOptions): Map<string, ColumnRole> {
  const roles = new Map<string, ColumnRole>();
  for (const column of options.numeric ?? []) roles.set(column, "numeric");
  const texts = [...(options.categorical ?? []), ...(options.date ?? []), ...(options.text ?? [])];
  for (const column of texts) roles.set(column, "categorical");
  if (target !== undefined) roles.set(target, "categorical");
  for (const column of options.ignore ?? []) roles.set(column, "ignored");
  return roles;
}

function plainCell(position: CellPosition, cell: unknown): JsonCell {
  if (cell === null || typeof cell !== "object") return isJsonCell(cell) ? cell : null;
  throw new VouchError(
    "data/malformed",
    `${positionText(position)}: the cell is ${Array.isArray(cell) ? "an array" : "an object"}, not a single value.`,
    { hint: "Flatten nested values into separate columns first." },
  );
}

function isJsonCell(cell: unknown): cell is JsonCell {
  return typeof cell === "string" || typeof cell === "number" || typeof cell === "boolean" || cell === null;
}

async function* jsonRows(input: Input, texts: AsyncGenerator<ElementText>): AsyncGenerator<JsonRow> {
  let row = 0;
  for await (const { text, line } of texts) {
    row++;
    checkNesting(input.name, text, row, line);
    const cells = parseJson(input.name, text, line);
    if (!isObject(cells)) {
      throw new VouchError(
        "data/malformed",
        `${input.name}, row ${row} (line ${line}): not an object with columns and values.`,
        { hint: 'Write each row as {"column": value, …}.' },
      );
    }
    const columns = Object.keys(cells);
    checkColumnCount(input.name, columns.length);
    yield { row, line, columns, cells };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Checks a long row before parsing it: an array or object takes a hundred bytes or more in memory, but as few as two in
 * the file. Rows contain them only in ignored columns.
 */
function checkNesting(file: string, text: string, row: number, line: number): void {
  if (text.length < MOST_NESTED_VALUES) return;
  let opened = 0;
  let inString = false;
  for (let p = 0; p < text.length; p++) {
    const c = text[p];
    if (c === '"') inString = !inString;
    else if (c === "\\" && inString) p++;
    else if (!inString && (c === "[" || c === "{")) opened++;
  }
  if (opened <= MOST_NESTED_VALUES) return;
  throw new VouchError(
    "data/too-large",
    `${file}, row ${row} (line ${line}): there are ${formatNumber(opened)} arrays and objects in the row.`,
    { hint: "Flatten nested values into separate columns first." },
  );
}

function parseJson(file: string, text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const position = Number(/position (\d+)/.exec(reason)?.[1] ?? text.length);
    let at = line;
    for (let p = text.indexOf("\n"); p >= 0 && p < position; p = text.indexOf("\n", p + 1)) at++;
    throw new VouchError("data/malformed", `${file}, line ${at}: malformed JSON (${reason}).`, {
      hint: "Correct the text there, or check the program that wrote it.",
      cause: error,
    });
  }
}

async function* lineTexts(input: Input): AsyncGenerator<ElementText> {
  for await (const { first, lines } of readLines(input)) {
    for (let index = 0; index < lines.length; index++) {
      // Programs that concatenate files keep all byte-order marks.
      const text = lines[index].replace(/^\ufeff/, "");
      if (text.trim() !== "") yield { text, line: first + index };
    }
  }
}
