import { Table, VouchError } from "vouch/predict";
import { MISSING_MARKERS, SURVEYED_ROWS } from "../cell.js";
import { type CellPlace, finiteNumber, placeText } from "../cell-fault.js";
import { CategoricalBuilder, NumericBuilder } from "../column-builder.js";
import { targetName, type Wish, wishes } from "../column-plan.js";
import { firstBytes, type Input } from "../input/input.js";
import { readLines } from "../input/lines.js";
import type { ReadOptions } from "../read-options.js";
import { arrayElements, type JsonText } from "./array-elements.js";

type JsonCell = string | number | boolean | null;

/** One row and where it stands in the file. */
interface JsonRow {
  readonly row: number;
  readonly line: number;
  readonly cells: Readonly<Record<string, unknown>>;
}

/** Reads `[{…}, {…}]`, or one object per line. */
export async function readJson(input: Input, options: ReadOptions): Promise<Table> {
  const start = (await firstBytes(input, 1 << 16))
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .trimStart();
  return readTexts(
    input,
    options,
    start.startsWith("[") ? () => arrayElements(input) : () => lineTexts(input),
  );
}

/** Reads one JSON object per line. */
export async function readNdjson(input: Input, options: ReadOptions): Promise<Table> {
  return readTexts(input, options, () => lineTexts(input));
}

/** Columns are the keys of all objects, in order of appearance; an object without a key lacks that cell. */
async function readTexts(
  input: Input,
  options: ReadOptions,
  texts: () => AsyncGenerator<JsonText>,
): Promise<Table> {
  const kinds = await surveyedKinds(input, texts());
  const builders = new Map<string, NumericBuilder | CategoricalBuilder>();
  const names = new Set(kinds.keys());
  // Names that turn up later cannot change what was decided for the first rows.
  const target = targetName([...names], options);
  const wishOf = earlyWishes(target, options);
  let rows = 0;
  for await (const { row, line, cells } of jsonRows(input, texts())) {
    for (const [column, raw] of Object.entries(cells)) {
      names.add(column);
      const wish = wishOf(column);
      if (wish === "ignored") continue;
      const place = { file: input.name, row, line, column };
      const cell = plainCell(place, raw);
      let builder = builders.get(column);
      if (builder === undefined) {
        builder = newBuilder(column, wish ?? kinds.get(column) ?? kindOf(cell));
        builders.set(column, builder);
      }
      setCell(builder, place, cell);
    }
    rows = row;
  }
  if (rows === 0) throw new VouchError("data/no-rows", `${input.name} has no rows.`);
  wishes(input.name, [...names], { ...options, ...(target !== undefined && { target }) });
  const columns = Array.from(names).flatMap((name) => builders.get(name)?.finish(rows) ?? []);
  return new Table(input.name, rows, columns);
}

type Kind = "numeric" | "categorical";

/** Numeric are the columns whose cells are all JSON numbers or null. */
async function surveyedKinds(input: Input, texts: AsyncGenerator<JsonText>): Promise<Map<string, Kind>> {
  const kinds = new Map<string, Kind>();
  for await (const { row, cells } of jsonRows(input, texts)) {
    for (const [column, cell] of Object.entries(cells)) {
      if (kinds.get(column) !== "categorical") kinds.set(column, kindOf(cell));
    }
    if (row === SURVEYED_ROWS) break;
  }
  return kinds;
}

function kindOf(cell: unknown): Kind {
  if (cell === null || typeof cell === "number") return "numeric";
  return typeof cell === "string" && MISSING_MARKERS.has(cell) ? "numeric" : "categorical";
}

/** The options' wishes as they come; whether they make sense is known when all columns have turned up. */
function earlyWishes(target: string | undefined, options: ReadOptions): (column: string) => Wish {
  const wished = new Map<string, Wish>();
  for (const column of options.numeric ?? []) wished.set(column, "numeric");
  for (const column of options.categorical ?? []) wished.set(column, "categorical");
  if (target !== undefined) wished.set(target, "categorical");
  for (const column of options.ignore ?? []) wished.set(column, "ignored");
  return (column) => wished.get(column);
}

function newBuilder(column: string, kind: Kind): NumericBuilder | CategoricalBuilder {
  return kind === "numeric" ? new NumericBuilder(column) : new CategoricalBuilder(column);
}

function setCell(builder: NumericBuilder | CategoricalBuilder, place: CellPlace, cell: JsonCell): void {
  const row = place.row - 1;
  if (builder.kind === "categorical") {
    if (cell !== null) builder.set(row, String(cell));
    return;
  }
  if (cell === null || (typeof cell === "string" && MISSING_MARKERS.has(cell))) return;
  builder.set(
    row,
    typeof cell === "number" && Number.isFinite(cell) ? cell : finiteNumber(place, String(cell)),
  );
}

function plainCell(place: CellPlace, cell: unknown): JsonCell {
  if (cell === null || typeof cell !== "object") return isJsonCell(cell) ? cell : null;
  throw new VouchError(
    "data/malformed",
    `${placeText(place)}: the cell is ${Array.isArray(cell) ? "an array" : "an object"}, not a single value.`,
    { hint: "Flatten nested values into columns of their own before loading." },
  );
}

function isJsonCell(cell: unknown): cell is JsonCell {
  return typeof cell === "string" || typeof cell === "number" || typeof cell === "boolean" || cell === null;
}

async function* jsonRows(input: Input, texts: AsyncGenerator<JsonText>): AsyncGenerator<JsonRow> {
  let row = 0;
  for await (const { text, line } of texts) {
    const cells = parsed(input.name, text, line);
    row++;
    if (!isObject(cells)) {
      throw new VouchError(
        "data/malformed",
        `${input.name}, row ${row} (line ${line}): not an object of columns and values.`,
        { hint: 'A row is written {"column": value, …}.' },
      );
    }
    yield { row, line, cells };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(file: string, text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const position = Number(/position (\d+)/.exec(reason)?.[1] ?? text.length);
    const at = line + text.slice(0, position).split("\n").length - 1;
    throw new VouchError("data/malformed", `${file}, line ${at}: malformed JSON (${reason}).`, {
      cause: error,
    });
  }
}

async function* lineTexts(input: Input): AsyncGenerator<JsonText> {
  for await (const { first, lines } of readLines(input)) {
    for (let index = 0; index < lines.length; index++) {
      if (lines[index].trim() !== "") yield { text: lines[index], line: first + index };
    }
  }
}
