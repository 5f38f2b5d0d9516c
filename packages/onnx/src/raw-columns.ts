import type { ColumnSchema } from "@vouch/core/internal/table/schema";
import { GENERATED, type Graph, ML_DOMAIN, type Value } from "./graph.js";
import type { ElementType } from "./onnx-model.js";

/** Names of the outputs; a column with such a name gets another input name. */
const OUTPUT_NAMES = ["label", "probabilities", "scores", "answered", "set"] as const;

const COLUMN_PREFIX = "column:";

/** Returns the input name of a column: its own, unless that name is reserved. */
export function inputName(column: string): string {
  const isTaken =
    column === "" ||
    OUTPUT_NAMES.some((name) => name === column) ||
    column.startsWith(COLUMN_PREFIX) ||
    column.startsWith(GENERATED);
  return isTaken ? `${COLUMN_PREFIX}${column}` : column;
}

/** Returns the input type of a column; strings are categories. */
export function inputType({ kind }: ColumnSchema): ElementType {
  return kind === "numeric" || kind === "date" ? "double" : "string";
}

/** Indices of special categories; levels follow. */
export const UNKNOWN_INDEX = 0;
export const MISSING_INDEX = 1;
export const FIRST_LEVEL_INDEX = 2;

/** Columns that a graph can read, raw or computed. */
export interface ColumnSource {
  /** Returns a numeric column, [rows, 1]; NaN is missing. */
  numbers(column: string): Value;
  /** Returns category indices, [rows, 1]: `UNKNOWN_INDEX`, `MISSING_INDEX`, or the index of the level. */
  indices(column: string, levels: readonly string[]): Value;
}

/** The inputs of a graph, one per raw column. */
export class RawColumns implements ColumnSource {
  readonly #graph: Graph;
  readonly #inputs: ReadonlyMap<string, Value>;
  readonly #indices = new Map<string, Value>();

  constructor(graph: Graph, columns: readonly ColumnSchema[]) {
    this.#graph = graph;
    this.#inputs = new Map(
      columns.map((column) => [
        column.name,
        graph.input(inputName(column.name), inputType(column), [ROWS, 1]),
      ]),
    );
  }

  numbers(column: string): Value {
    return this.#input(column);
  }

  indices(column: string, levels: readonly string[]): Value {
    const key = JSON.stringify([column, levels]);
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    const indices = levelIndices(this.#graph, this.#input(column), levels);
    this.#indices.set(key, indices);
    return indices;
  }

  #input(column: string): Value {
    const input = this.#inputs.get(column);
    if (input === undefined) throw new TypeError(`There is no column "${column}".`);
    return input;
  }
}

/** Name of the row dimension in the shapes of inputs and outputs. */
export const ROWS = "rows";

/** Operator that matches strings with a pattern; older runtimes lack it. */
export const PATTERN_OPERATOR = "RegexFullMatch";

/** Finds levels by their text, or else by their value if exactly one level has it, like the library. */
function levelIndices(graph: Graph, texts: Value, levels: readonly string[]): Value {
  const byText = graph.op(
    "LabelEncoder",
    [texts],
    {
      keys_strings: { kind: "texts", value: ["", ...levels] },
      values_int64s: { kind: "ints", value: ["", ...levels].map((_, k) => MISSING_INDEX + k) },
      default_int64: { kind: "int", value: UNKNOWN_INDEX },
    },
    ML_DOMAIN,
  );
  const valued = valuedLevels(levels);
  if (valued.length === 0) return byText;
  const isNumber = graph.op(PATTERN_OPERATOR, [texts], { pattern: { kind: "text", value: NUMBER } });
  const numbers = graph.cast(graph.where(isNumber, texts, graph.texts(["0"], [])), "double");
  const isValue = graph.op("Equal", [
    numbers,
    graph.doubles(
      valued.map(({ value }) => value),
      [1, valued.length],
    ),
  ]);
  const places = graph.integers(
    valued.map(({ level }) => FIRST_LEVEL_INDEX + level),
    [1, valued.length],
  );
  const found = graph.where(isValue, places, graph.integer(UNKNOWN_INDEX));
  const byValue = graph.where(isNumber, graph.sum(found), graph.integer(UNKNOWN_INDEX));
  const isUnknown = graph.op("Equal", [byText, graph.integer(UNKNOWN_INDEX)]);
  return graph.where(isUnknown, byValue, byText);
}

/** Numbers that every runtime parses alike: no spaces, and few digits. */
const NUMBER = String.raw`[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?`;

const NUMBER_TEXT = new RegExp(`^\\s*${NUMBER}\\s*$`);

/** Lists the levels that are numbers, without values that several levels share. */
function valuedLevels(levels: readonly string[]): { readonly level: number; readonly value: number }[] {
  const valued = levels
    .map((text, level) => ({ level, value: NUMBER_TEXT.test(text) ? Number(text) : Number.NaN }))
    .filter(({ value }) => !Number.isNaN(value));
  const levelsOf = new Map<number, number>();
  for (const { value } of valued) levelsOf.set(value, (levelsOf.get(value) ?? 0) + 1);
  return valued.filter(({ value }) => levelsOf.get(value) === 1);
}
