import { formatNumber, MISSING_MARKERS, Table } from "vouch/data";
import { VouchError } from "vouch/errors";
import { decodeUtf8 } from "../bytes.js";
import { type CellPosition, finiteNumber, INFERENCE_ROWS, positionText } from "../cell.js";
import { type ColumnBuilder, columnBuilder } from "../column-builder.js";
import { ColumnMemory, checkColumnCount } from "../column-memory.js";
import { type ColumnRole, columnRoles, targetName } from "../column-roles.js";
import { firstBytes, type Input } from "../input.js";
import type { ReadOptions } from "../read-options.js";
import { readLines } from "../text-window.js";
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

/** Reads objects. Their keys are the columns, in order of appearance; a key that an object lacks is a missing cell. */
async function* readTexts(
  input: Input,
  options: ReadOptions,
  rows: number,
  texts: () => AsyncGenerator<ElementText>,
): AsyncGenerator<Table> {
  const kinds = await inferKinds(input, texts());
  // Names that appear later cannot change the kinds inferred from the first rows.
  const target = targetName([...kinds.keys()], options);
  const declared = { ...options, ...(target !== undefined && { target }) };
  // In parts, options can only name columns of the first rows: it would be late to refuse them after the last.
  if (rows < Number.POSITIVE_INFINITY) columnRoles(input.name, [...kinds.keys()], declared);
  const objects = new ObjectTable(input.name, kinds, declaredRoles(target, options));
  for await (const row of jsonRows(input, texts())) {
    objects.add(row);
    if (objects.rows === rows) yield objects.take();
  }
  if (objects.rows + objects.firstRow === 0) {
    throw new VouchError("data/no-rows", `${input.name} has no rows.`);
  }
  if (rows === Number.POSITIVE_INFINITY) columnRoles(input.name, [...kinds.keys()], declared);
  if (objects.rows > 0) yield objects.take();
}

/** Collects objects as rows of a table. */
class ObjectTable {
  readonly #file: string;
  /** Kinds of all columns so far, in order of appearance. */
  readonly #kinds: Map<string, ColumnKind>;
  readonly #roles: ReadonlyMap<string, ColumnRole>;
  #memory: ColumnMemory;
  #builders = new Map<string, ColumnBuilder>();
  /** Rows of this table, and of those before it. */
  rows = 0;
  firstRow = 0;

  constructor(file: string, kinds: Map<string, ColumnKind>, roles: ReadonlyMap<string, ColumnRole>) {
    this.#file = file;
    this.#kinds = kinds;
    this.#roles = roles;
    this.#memory = new ColumnMemory(file);
  }

  add({ row, line, columns, cells }: JsonRow): void {
    this.#memory.addRows(1, columns.length);
    for (const column of columns) {
      const position = { file: this.#file, row, line, column };
      if (this.#roles.get(column) === "ignored") {
        if (!this.#kinds.has(column)) this.#kinds.set(column, "categorical");
        continue;
      }
      const cell = plainCell(position, cells[column]);
      if (!this.#kinds.has(column)) this.#kinds.set(column, kindOf(cell));
      setCell(this.#builder(column), this.rows, position, cell);
    }
    checkColumnCount(this.#file, this.#kinds.size);
    this.rows++;
  }

  /** Returns the rows as a table with all columns that have appeared so far, and starts the next table. */
  take(): Table {
    const names = Array.from(this.#kinds.keys()).filter((name) => this.#roles.get(name) !== "ignored");
    const columns = names.map((name) => this.#builder(name).finish(this.rows));
    const table = new Table(this.#file, this.rows, columns, this.firstRow);
    this.firstRow += this.rows;
    this.rows = 0;
    this.#memory = new ColumnMemory(this.#file);
    this.#builders = new Map();
    return table;
  }

  #builder(column: string): ColumnBuilder {
    let builder = this.#builders.get(column);
    if (builder === undefined) {
      const role = this.#roles.get(column) ?? this.#kinds.get(column);
      builder = columnBuilder(role === "numeric" ? "numeric" : "categorical", column, this.#memory);
      this.#builders.set(column, builder);
    }
    return builder;
  }
}

type ColumnKind = ColumnBuilder["kind"];

/** Infers the kinds of columns from the first rows: numeric if all cells are JSON numbers or missing. */
async function inferKinds(
  input: Input,
  texts: AsyncGenerator<ElementText>,
): Promise<Map<string, ColumnKind>> {
  const kinds = new Map<string, ColumnKind>();
  for await (const { row, columns, cells } of jsonRows(input, texts)) {
    for (const column of columns) {
      if (kinds.get(column) !== "categorical") kinds.set(column, kindOf(cells[column]));
    }
    checkColumnCount(input.name, kinds.size);
    if (row === INFERENCE_ROWS) break;
  }
  return kinds;
}

function kindOf(cell: unknown): ColumnKind {
  if (cell === null || typeof cell === "number") return "numeric";
  return typeof cell === "string" && MISSING_MARKERS.has(cell) ? "numeric" : "categorical";
}

/** Returns the roles as the options state them; `columnRoles` checks them once all columns are known. */
function declaredRoles(target: string | undefined, options: ReadOptions): Map<string, ColumnRole> {
  const roles = new Map<string, ColumnRole>();
  for (const column of options.numeric ?? []) roles.set(column, "numeric");
  const texts = [...(options.categorical ?? []), ...(options.date ?? []), ...(options.text ?? [])];
  for (const column of texts) roles.set(column, "categorical");
  if (target !== undefined) roles.set(target, "categorical");
  for (const column of options.ignore ?? []) roles.set(column, "ignored");
  return roles;
}

function setCell(builder: ColumnBuilder, row: number, position: CellPosition, cell: JsonCell): void {
  if (builder.kind === "categorical") {
    if (cell !== null) builder.set(row, String(cell));
    return;
  }
  if (cell === null || (typeof cell === "string" && MISSING_MARKERS.has(cell))) return;
  builder.set(
    row,
    typeof cell === "number" && Number.isFinite(cell) ? cell : finiteNumber(position, String(cell)),
  );
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
 * Checks a long row before it is parsed: an array or object takes a hundred bytes or more, but may be written with two. Rows have
 * none but in columns that are ignored.
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
      if (lines[index].trim() !== "") yield { text: lines[index], line: first + index };
    }
  }
}
