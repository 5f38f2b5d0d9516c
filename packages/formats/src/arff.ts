import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { Table } from "@vouch/core/internal/table/table";
import { type CellPosition, excerpt, INFERENCE_ROWS, parseNumber, positionText } from "./cell.js";
import { CategoricalBuilder } from "./column-builder.js";
import { ColumnMemory, checkColumnCount } from "./column-memory.js";
import { type ColumnRole, columnRoles, uniqueNames } from "./column-roles.js";
import type { Input } from "./input.js";
import { FirstValues, type NumberSurvey } from "./number-survey.js";
import type { ReadOptions } from "./read-options.js";
import { SparseColumns } from "./sparse-columns.js";
import { noticedAtEnd } from "./table-chunks.js";
import { type LineBatch, readLines } from "./text-window.js";
import type { WrittenNumbers } from "./written-numbers.js";

/**
 * Reads Weka's ARFF. Numeric, real and integer attributes are numbers, nominal and date attributes are categories, and
 * the values of string attributes decide their kind. As in Weka, an attribute that a sparse row omits is 0 or its first
 * nominal value; an omitted string or date is missing.
 */
export async function* readArff(input: Input, options: ReadOptions, rows: number): AsyncGenerator<Table> {
  const { attributes, roles, survey } = await surveyRows(input, options);
  const cells = survey.newCells();
  const reader = new RowReader(input.name, attributes, finalRoles(attributes, roles, survey), { cells });
  const tables = readRows(input, reader, options, rows);
  const names = attributes.map(({ name }) => name);
  yield* noticedAtEnd(tables, () => survey.notices(input.name, names, cells.words, reader.firstRow));
}

async function* readRows(
  input: Input,
  reader: RowReader,
  { signal }: ReadOptions,
  rows: number,
): AsyncGenerator<Table> {
  for await (const { first, lines } of dataLines(input, new ArffHeader(input.name))) {
    for (let index = 0; index < lines.length; index++) {
      reader.take(lines[index].trim(), first + index);
      if (reader.rows === rows) yield await reader.takeTable(signal);
    }
  }
  if (reader.rows > 0) yield await reader.takeTable(signal);
}

/** Reads the header, then yields the lines after `@data`. */
async function* dataLines(input: Input, header: ArffHeader): AsyncGenerator<LineBatch> {
  let isData = false;
  for await (const { first, lines } of readLines(input)) {
    let index = 0;
    while (!isData && index < lines.length) {
      isData = header.take(lines[index].trim(), first + index);
      index++;
    }
    if (isData) yield { first: first + index, lines: lines.slice(index) };
  }
  if (isData) return;
  throw new VouchError("data/malformed", `${input.name} has no @data line.`, {
    hint: "The rows of an ARFF file follow a line @data.",
  });
}

/** Reads the header and the first rows, which decide the kinds of string attributes and the number format. */
async function surveyRows(input: Input, options: ReadOptions) {
  const header = new ArffHeader(input.name);
  const values = new FirstValues(options);
  let roles: Map<string, ColumnRole> = new Map();
  let reader: RowReader | undefined;
  for await (const { first, lines } of dataLines(input, header)) {
    if (reader === undefined) {
      roles = attributeRoles(input.name, header.attributes, options);
      for (const { name } of header.attributes) values.addColumn(name);
      reader = new RowReader(input.name, header.attributes, finalRoles(header.attributes, roles), { values });
    }
    for (let index = 0; index < lines.length && reader.rows < INFERENCE_ROWS; index++) {
      reader.take(lines[index].trim(), first + index);
    }
    if (reader.rows === INFERENCE_ROWS) break;
  }
  if (!reader?.rows) throw new VouchError("data/no-rows", `${input.name} has no rows after @data.`);
  return { attributes: header.attributes, roles, survey: values.decide(roles, options) };
}

/** Returns the roles of attributes according to options and header; only strings may be left open. */
function attributeRoles(
  file: string,
  attributes: readonly ArffAttribute[],
  options: ReadOptions,
): Map<string, ColumnRole> {
  const names = attributes.map(({ name }) => name);
  const roles = columnRoles(file, uniqueNames(file, names), options);
  const kept = new Set(options.verbatim);
  for (const { name, kind } of attributes) {
    if (roles.has(name) || (kind === "string" && !kept.has(name))) continue;
    roles.set(name, kind === "numeric" ? "numeric" : "categorical");
  }
  return roles;
}

function finalRoles(
  attributes: readonly ArffAttribute[],
  roles: ReadonlyMap<string, ColumnRole>,
  survey?: NumberSurvey,
): ColumnRole[] {
  return attributes.map(
    ({ name }) => roles.get(name) ?? (survey?.isNumeric(name) ? "numeric" : "categorical"),
  );
}

/** One `@attribute` line. */
interface ArffAttribute {
  readonly name: string;
  readonly kind: "numeric" | "nominal" | "string" | "date";
  /** Allowed values of a nominal attribute. */
  readonly values: ReadonlySet<string>;
}

const NUMERIC = new Set(["numeric", "real", "integer"]);
const NO_VALUES: ReadonlySet<string> = new Set();

/** Reads the part of the file before `@data`, line by line. */
class ArffHeader {
  readonly attributes: ArffAttribute[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Reads one line; returns true at `@data`, the end of the header. */
  take(line: string, number: number): boolean {
    if (line === "" || line.startsWith("%")) return false;
    const keyword = /^@(\w+)/.exec(line)?.[1]?.toLowerCase();
    if (keyword === "data") {
      if (this.attributes.length > 0) return true;
      throw this.#malformed(number, "there is no @attribute before @data");
    }
    if (keyword === "attribute") {
      this.attributes.push(this.#attribute(line.slice(10), number));
      checkColumnCount(this.#file, this.attributes.length);
    } else if (keyword !== "relation") {
      throw this.#malformed(number, `${excerpt(line)} is neither @relation, @attribute nor @data`);
    }
    return false;
  }

  #attribute(declaration: string, number: number): ArffAttribute {
    const tokens = new ArffTokens(declaration);
    const name = tokens.token(" \t{");
    if (name === undefined || name.text === "") throw this.#malformed(number, "the attribute has no name");
    // A name without quotes ends before white space, which new tokens skip.
    const type = new ArffTokens(tokens.rest);
    if (type.take("{"))
      return { name: name.text, kind: "nominal", values: this.#nominalValues(type, number) };
    const word = /^\S*/.exec(type.rest)?.[0].toLowerCase() ?? "";
    if (NUMERIC.has(word)) return { name: name.text, kind: "numeric", values: NO_VALUES };
    if (word === "string" || word === "date") return { name: name.text, kind: word, values: NO_VALUES };
    if (word === "relational") {
      throw new VouchError(
        "data/malformed",
        `${this.#file}, line ${number}: attribute "${name.text}" is relational, which is not supported.`,
        { hint: "Flatten the nested table into separate attributes." },
      );
    }
    throw this.#malformed(number, `attribute "${name.text}" has unknown type ${excerpt(type.rest)}`);
  }

  #nominalValues(tokens: ArffTokens, number: number): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const value = tokens.token(",}");
      if (value === undefined) throw this.#malformed(number, "a quote is not closed");
      values.add(value.text);
      if (tokens.take("}")) return values;
      if (!tokens.take(",")) throw this.#malformed(number, "the list of values is not closed");
    }
  }

  #malformed(line: number, problem: string): VouchError {
    return new VouchError("data/malformed", `${this.#file}, line ${line}: ${problem}.`, {
      hint: "Write @attribute name numeric, or @attribute name {value, value}.",
    });
  }
}

/** Rows are read to collect the first values, or to fill tables. */
type ReadingPurpose = { readonly values: FirstValues } | { readonly cells: WrittenNumbers };

/** Reads the lines after `@data`. */
class RowReader {
  readonly #file: string;
  readonly #purpose: ReadingPurpose;
  readonly #attributes: readonly ArffAttribute[];
  /** Role of each attribute; `#numbers` reads the numeric ones, in order. */
  readonly #roles: readonly ColumnRole[];
  /** Position of an attribute among the numeric ones. */
  readonly #places: Int32Array;
  /** Attributes, ascending, whose cell must be set even if a sparse row omits them. */
  readonly #defaults: readonly number[];
  #memory: ColumnMemory;
  #numbers: SparseColumns;
  #builders: ReadonlyMap<number, CategoricalBuilder>;
  /** Number of rows in earlier tables. */
  firstRow = 0;

  constructor(
    file: string,
    attributes: readonly ArffAttribute[],
    roles: readonly ColumnRole[],
    purpose: ReadingPurpose,
  ) {
    this.#file = file;
    this.#attributes = attributes;
    this.#memory = new ColumnMemory(file);
    this.#roles = roles;
    this.#purpose = purpose;
    this.#places = new Int32Array(attributes.length);
    for (const [place, j] of this.#withRole("numeric").entries()) this.#places[j] = place;
    this.#defaults = Array.from(attributes.keys()).filter((j) => this.#needsDefault(j));
    this.#numbers = new SparseColumns();
    this.#builders = this.#newBuilders();
  }

  /** Lists the attributes with a role. */
  #withRole(role: ColumnRole): number[] {
    return Array.from(this.#roles.keys()).filter((j) => this.#roles[j] === role);
  }

  #newBuilders(): Map<number, CategoricalBuilder> {
    for (const _ of this.#withRole("numeric")) this.#memory.addColumn();
    return new Map(
      this.#withRole("categorical").map((j) => [
        j,
        new CategoricalBuilder(this.#attributes[j].name, this.#memory),
      ]),
    );
  }

  /** Returns whether the default of an omitted cell is neither the number 0 nor a missing string. */
  #needsDefault(j: number): boolean {
    const { kind } = this.#attributes[j];
    if (this.#roles[j] === "numeric") return kind !== "numeric";
    return this.#roles[j] === "categorical" && (kind === "numeric" || kind === "nominal");
  }

  /** Number of rows in the current table. */
  get rows(): number {
    return this.#numbers.rows;
  }

  take(line: string, number: number): void {
    if (line === "" || line.startsWith("%")) return;
    const tokens = new ArffTokens(line);
    if (tokens.take("{")) this.#sparse(tokens, number);
    else this.#dense(tokens, number);
    this.#numbers.endRow();
  }

  /** Returns the rows as a table, and starts the next table. */
  async takeTable(signal: AbortSignal | undefined): Promise<Table> {
    const { rows, firstRow } = this;
    const names = this.#withRole("numeric").map((j) => this.#attributes[j].name);
    const numbers = await this.#numbers.finish(names, signal);
    const columns = this.#roles.flatMap((role, j) => {
      if (role === "numeric") return numbers[this.#places[j]];
      return this.#builders.get(j)?.finish(rows) ?? [];
    });
    this.firstRow += rows;
    this.#memory = new ColumnMemory(this.#file);
    this.#numbers = new SparseColumns();
    this.#builders = this.#newBuilders();
    return new Table(this.#file, rows, columns, firstRow);
  }

  #dense(tokens: ArffTokens, line: number): void {
    const width = this.#attributes.length;
    this.#memory.addRows(1, width);
    let j = 0;
    do {
      const cell = this.#token(tokens, ",", line);
      if (j < width) this.#set(j, cell, line);
      j++;
    } while (tokens.take(","));
    if (tokens.next !== "") throw this.#malformed(line, `${excerpt(tokens.rest)} after a closing quote`);
    if (j !== width) {
      throw new VouchError(
        "data/ragged",
        `${this.#file}, row ${this.firstRow + this.rows + 1} (line ${line}): ${formatCount(j, "cell")}, but there ${width === 1 ? "is" : "are"} ${formatCount(width, "attribute")}.`,
        { hint: "Correct the row. A cell that contains a comma needs quotes." },
      );
    }
  }

  /** Reads `{index value, …}`; indices count from 0 and ascend. */
  #sparse(tokens: ArffTokens, line: number): void {
    this.#memory.addRows(1, 0);
    let next = 0;
    let nextDefault = 0;
    const setDefaultsUpTo = (end: number) => {
      while (this.#defaults[nextDefault] < end) this.#setDefault(this.#defaults[nextDefault++], line);
    };
    while (!tokens.take("}")) {
      const written = this.#token(tokens, " \t,}", line).text;
      const index = /^\d+$/.test(written) ? Number(written) : Number.NaN;
      if (!(index >= next && index < this.#attributes.length)) {
        throw this.#malformed(
          line,
          `${excerpt(written)} is not an ascending index of at most ${this.#attributes.length - 1}`,
        );
      }
      setDefaultsUpTo(index);
      if (this.#defaults[nextDefault] === index) nextDefault++;
      tokens.take(tokens.next.trim() === "" ? tokens.next : "");
      this.#set(index, this.#token(tokens, ",}", line), line);
      next = index + 1;
      if (!tokens.take(",") && tokens.next !== "}")
        throw this.#malformed(line, "the sparse row is not closed");
    }
    if (tokens.next !== "") throw this.#malformed(line, `${excerpt(tokens.rest)} after the row`);
    setDefaultsUpTo(this.#attributes.length);
  }

  #setDefault(j: number, line: number): void {
    const { kind, values } = this.#attributes[j];
    const [first] = values;
    if (kind === "nominal") this.#set(j, { text: first, quoted: true }, line);
    else this.#set(j, { text: kind === "numeric" ? "0" : "?", quoted: false }, line);
  }

  #set(j: number, { text, quoted }: ArffToken, line: number): void {
    const role = this.#roles[j];
    if (role === "ignored") return;
    const { name, kind, values } = this.#attributes[j];
    const position = { file: this.#file, row: this.firstRow + this.rows + 1, line, column: name };
    const isMissing = text === "?" && !quoted;
    if (kind === "nominal" && !isMissing && !values.has(text)) {
      throw new VouchError(
        "data/malformed",
        `${positionText(position)}: ${excerpt(text)} is not a declared value.`,
        {
          hint: "Add it to the attribute's list of values, or correct the cell.",
        },
      );
    }
    if ("values" in this.#purpose) {
      if (!isMissing && (role === "numeric" || kind === "string")) {
        this.#purpose.values.add(name, (role === "numeric" ? parseNumber(text) : undefined) ?? text);
      }
    } else if (role === "numeric") {
      this.#numbers.add(
        this.#places[j],
        this.#number(this.#purpose.cells, j, isMissing ? "" : text, position),
      );
    } else if (!isMissing) this.#builders.get(j)?.set(this.rows, text);
  }

  #number(cells: WrittenNumbers, j: number, text: string, position: CellPosition): number {
    const value = parseNumber(text);
    return value !== undefined && Number.isFinite(value) ? value : cells.cell(j, text, position);
  }

  #token(tokens: ArffTokens, stops: string, line: number): ArffToken {
    const token = tokens.token(stops);
    if (token === undefined) throw this.#malformed(line, "a quote is not closed");
    return token;
  }

  #malformed(line: number, problem: string): VouchError {
    return new VouchError(
      "data/malformed",
      `${this.#file}, row ${this.firstRow + this.rows + 1} (line ${line}): ${problem}.`,
      {
        hint: "Write value, value, … or, for a sparse row, {index value, …}.",
      },
    );
  }
}

/** A name or value of an ARFF file; a quoted "?" is text, an unquoted one is a missing cell. */
interface ArffToken {
  readonly text: string;
  readonly quoted: boolean;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/**
 * Reads the tokens of an ARFF line from left to right. A quoted token may contain anything, with backslash escapes; any
 * other token ends at one of the `stops`.
 */
class ArffTokens {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line;
    this.#skipSpace();
  }

  /** Next character that is not white space; empty at the end of the line. */
  get next(): string {
    return this.#line.charAt(this.#at);
  }

  get rest(): string {
    return this.#line.slice(this.#at);
  }

  /** Skips the character if it is next. */
  take(character: string): boolean {
    if (this.next !== character) return false;
    this.#at++;
    this.#skipSpace();
    return true;
  }

  /** Reads the next token; undefined if a quote is not closed. */
  token(stops: string): ArffToken | undefined {
    const quote = this.next;
    if (quote === "'" || quote === '"') return this.#quotedToken(quote);
    const from = this.#at;
    while (this.#at < this.#line.length && !stops.includes(this.next)) this.#at++;
    return { text: this.#line.slice(from, this.#at).trim(), quoted: false };
  }

  #quotedToken(quote: string): ArffToken | undefined {
    const pieces: string[] = [];
    let from = this.#at + 1;
    for (this.#at++; this.#at < this.#line.length; this.#at++) {
      const c = this.next;
      if (c === quote) {
        pieces.push(this.#line.slice(from, this.#at));
        this.#at++;
        this.#skipSpace();
        return { text: pieces.join(""), quoted: true };
      }
      if (c === "\\") {
        pieces.push(this.#line.slice(from, this.#at));
        this.#at++;
        pieces.push(ESCAPES[this.next] ?? this.next);
        from = this.#at + 1;
      }
    }
    return undefined;
  }

  #skipSpace(): void {
    while (this.next === " " || this.next === "\t") this.#at++;
  }
}
