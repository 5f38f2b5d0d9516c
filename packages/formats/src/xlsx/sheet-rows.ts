import { serialDate } from "./number-format.js";
import { parseXml, type Sheet, TextCollector, unescapeText, type Workbook } from "./workbook.js";
import { attributeOf, type XmlHandler } from "./xml-parser.js";
import { malformedWorkbook } from "./zip-archive.js";

/** Limits of Excel. */
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;

export type SheetCell = number | string;

/** A row of a sheet: its number, from 1, and its cells; holes are empty cells. */
export interface SheetRow {
  readonly number: number;
  readonly cells: readonly SheetCell[];
}

/** Facts about a sheet apart from its rows. */
export interface SheetFacts {
  /** Cells merged across rows: their first column from 0, and rows from 1. */
  readonly merges: readonly { readonly column: number; readonly from: number; readonly to: number }[];
  /** Number of formulas without a stored result. */
  readonly unsolved: number;
}

/**
 * Reads the rows of a sheet in order; returns what is known only at the end. Dates become ISO dates, and booleans TRUE
 * and FALSE; errors such as #N/A are empty.
 */
export async function* sheetRows(workbook: Workbook, sheet: Sheet): AsyncGenerator<SheetRow[], SheetFacts> {
  const parser = new SheetParser(workbook);
  for await (const _ of parseXml(workbook.name, workbook.archive, sheet.path, parser)) {
    if (parser.rows.length > 0) yield parser.rows;
    parser.rows = [];
  }
  if (parser.rows.length > 0) yield parser.rows;
  return parser;
}

class SheetParser implements XmlHandler, SheetFacts {
  rows: SheetRow[] = [];
  readonly merges: { column: number; from: number; to: number }[] = [];
  unsolved = 0;
  readonly #workbook: Workbook;
  #row = 0;
  #cells: SheetCell[] = [];
  #column = -1;
  #type = "n";
  #style = 0;
  #value = "";
  #hasFormula = false;
  #inValue = false;
  readonly #inline = new TextCollector();

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  open(tag: string, attributes: string): void {
    if (tag === "c") this.#openCell(attributes);
    else if (tag === "v") this.#inValue = true;
    else if (tag === "f") this.#hasFormula = true;
    else if (tag === "row") this.#openRow(attributes);
    else if (tag === "mergeCell") this.#addMerge(attributeOf(attributes, "ref") ?? "");
    else this.#inline.open(tag);
  }

  close(tag: string): void {
    if (tag === "v") this.#inValue = false;
    else if (tag === "c") this.#closeCell();
    else if (tag === "row") {
      if (this.#cells.length > 0) this.rows.push({ number: this.#row, cells: this.#cells });
    } else this.#inline.close(tag);
  }

  text(text: string): void {
    if (this.#inValue) this.#value += text;
    else this.#inline.add(text);
  }

  #openRow(attributes: string): void {
    const number = attributeOf(attributes, "r");
    const row = number === undefined ? this.#row + 1 : Number(number);
    if (!Number.isInteger(row) || row <= this.#row || row > MOST_ROWS) throw this.#malformed(`row ${number}`);
    this.#row = row;
    this.#cells = [];
    this.#column = -1;
  }

  #openCell(attributes: string): void {
    const reference = attributeOf(attributes, "r");
    const column = reference === undefined ? this.#column + 1 : columnOf(reference);
    if (column <= this.#column || column >= MOST_COLUMNS) throw this.#malformed(`cell ${reference}`);
    this.#column = column;
    this.#type = attributeOf(attributes, "t") ?? "n";
    this.#style = Number(attributeOf(attributes, "s") ?? 0);
    this.#value = "";
    this.#hasFormula = false;
  }

  #closeCell(): void {
    const cell = this.#cell();
    if (cell !== "") this.#cells[this.#column] = cell;
    else if (this.#hasFormula && this.#value === "" && this.#type === "n") this.unsolved++;
  }

  #cell(): SheetCell {
    const value = this.#value;
    if (this.#type === "inlineStr") return this.#inline.take();
    if (value === "" || this.#type === "e") return "";
    if (this.#type === "s") {
      const text = this.#workbook.strings[Number(value)];
      if (text === undefined) throw this.#malformed(`text ${value}`);
      return text;
    }
    if (this.#type === "b") return value === "0" || value === "false" ? "FALSE" : "TRUE";
    if (this.#type === "n") return this.#numberOrDate(value);
    return this.#type === "d" ? value.replace(/T00:00:00(?:\.0+)?Z?$/, "") : unescapeText(value);
  }

  #numberOrDate(written: string): SheetCell {
    const value = Number(written);
    if (!Number.isFinite(value)) throw this.#malformed(`number ${written.slice(0, 40)}`);
    const shown = this.#workbook.styles[this.#style] ?? "number";
    const date = shown === "number" ? undefined : serialDate(value, shown, this.#workbook.is1904);
    return date ?? value;
  }

  #addMerge(reference: string): void {
    const [, column = "", from, to] = /^([A-Z]+)(\d+):[A-Z]+(\d+)$/.exec(reference) ?? [];
    if (Number(to) > Number(from)) {
      this.merges.push({ column: columnOf(column), from: Number(from), to: Number(to) });
    }
  }

  #malformed(what: string): Error {
    return malformedWorkbook(this.#workbook.name, `has a wrong ${what}`);
  }
}

/** Returns the column index, from 0, of a reference such as AB12. */
function columnOf(reference: string): number {
  let column = 0;
  for (let i = 0; i < reference.length; i++) {
    const code = reference.charCodeAt(i);
    if (code < 65 || code > 90) break;
    column = 26 * column + code - 64;
  }
  return column - 1;
}
