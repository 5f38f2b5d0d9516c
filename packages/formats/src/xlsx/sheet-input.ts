import { shortList } from "@vouch/core/internal/runtime/text/number-format";
import { interrupted, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { TableNotice } from "@vouch/core/internal/table/table";
import { joinBytes } from "../bytes.js";
import { quotedCell } from "../csv/csv-line.js";
import { linesToSkip } from "../csv/dialect.js";
import { collectBlocks, type Input } from "../input.js";
import type { ReadOptions } from "../read-options.js";
import { type SheetCell, type SheetFacts, type SheetRow, sheetRows } from "./sheet-rows.js";
import { readWorkbook, type Sheet, type Workbook } from "./workbook.js";
import { ZipArchive } from "./zip-archive.js";

/** Maximum number of empty cells in a sheet: this many, plus this many per filled cell. */
const EMPTY_CELLS = 1 << 24;
const EMPTY_PER_FILLED = 40;

/** A sheet as CSV text, and notes about it. */
export interface SheetInput {
  readonly input: Input;
  readonly notices: readonly TableNotice[];
}

/**
 * Opens a sheet of a workbook as CSV text, so that one reader finds the header, titles, totals and kinds of all tables.
 * Row n of the sheet is line n of the text, unless a cell above contains several lines. Strings are quoted, numbers are
 * not. The sheet is parsed each time the text is read; only the compressed workbook and its strings are in memory.
 */
export async function openSheet(input: Input, options: ReadOptions): Promise<SheetInput> {
  const data = joinBytes(await collectBlocks(input.open()));
  const workbook = await readWorkbook(input.name, new ZipArchive(input.name, data));
  const { sheet, shape } = await chooseSheet(workbook, options);
  const open = () => csvBlocks(workbook, sheet, shape, options);
  return {
    input: { ...input, size: undefined, plainFile: undefined, hasNumberCells: true, open },
    notices: [...sheetNotices(workbook, sheet, options), ...contentNotices(shape)],
  };
}

/** The part of a sheet that contains cells. */
interface SheetShape extends SheetFacts {
  readonly firstColumn: number;
  readonly lastColumn: number;
  readonly rows: number;
  readonly filled: number;
  /** Number of rows with at least two cells. */
  readonly wideRows: number;
}

async function chooseSheet(
  workbook: Workbook,
  { sheet: wanted }: ReadOptions,
): Promise<{ sheet: Sheet; shape: SheetShape }> {
  const { sheets, name } = workbook;
  if (wanted !== undefined) {
    const sheet = namedSheet(workbook, wanted);
    const shape = await measureSheet(workbook, sheet);
    if (shape.filled === 0) throw noTable(workbook, `The sheet "${sheet.name}" of ${name} is empty.`);
    return { sheet, shape };
  }
  for (const sheet of [...sheets.filter((s) => !s.isHidden), ...sheets.filter((s) => s.isHidden)]) {
    const shape = await measureSheet(workbook, sheet);
    if (shape.wideRows >= 2) return { sheet, shape };
  }
  throw noTable(workbook, `${name} has no sheet with a table.`);
}

function namedSheet({ sheets, name }: Workbook, wanted: string): Sheet {
  const sheet =
    sheets.find((other) => other.name === wanted) ??
    sheets.find((other) => other.name.toLowerCase() === wanted.toLowerCase()) ??
    (/^\d+$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined);
  if (sheet) return sheet;
  throw new VouchError("option/invalid", `${name} has no sheet "${wanted}".`, {
    hint: `Its sheets are ${sheetNames(sheets)}.`,
  });
}

function noTable({ sheets }: Workbook, message: string): VouchError {
  return new VouchError("data/empty", message, {
    hint:
      sheets.length > 1
        ? `Its sheets are ${sheetNames(sheets)}; choose one with --sheet.`
        : "A table has a row of names and at least one row of values.",
  });
}

function sheetNames(sheets: readonly Sheet[]): string {
  return shortList(sheets.map(({ name }) => `"${name}"`));
}

/** Finds the rows and columns of a sheet that contain cells. */
async function measureSheet(workbook: Workbook, sheet: Sheet): Promise<SheetShape> {
  const shape = { firstColumn: Number.POSITIVE_INFINITY, lastColumn: -1, rows: 0, filled: 0, wideRows: 0 };
  const reading = sheetRows(workbook, sheet);
  let next = await reading.next();
  for (; !next.done; next = await reading.next()) {
    for (const { cells } of next.value) {
      const columns = Object.keys(cells);
      shape.rows++;
      shape.filled += columns.length;
      if (columns.length > 1) shape.wideRows++;
      shape.firstColumn = Math.min(shape.firstColumn, Number(columns[0]));
      shape.lastColumn = Math.max(shape.lastColumn, cells.length - 1);
    }
  }
  const area = shape.rows * (shape.lastColumn - shape.firstColumn + 1);
  if (area > EMPTY_CELLS + EMPTY_PER_FILLED * shape.filled) {
    throw new VouchError(
      "data/too-large",
      `${workbook.name}: nearly all cells of sheet "${sheet.name}" are empty.`,
      {
        hint: "Delete the cells that are far from the table, or save the table as CSV.",
      },
    );
  }
  return { ...shape, ...{ merges: next.value.merges, unsolved: next.value.unsolved } };
}

/** Writes the rows of a sheet as CSV, without columns around the table. Rows that the user skips become blank lines. */
async function* csvBlocks(
  workbook: Workbook,
  sheet: Sheet,
  { firstColumn, lastColumn, merges }: SheetShape,
  options: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const skipped = linesToSkip(options) ?? 0;
  const merged = new MergedCells(merges);
  let line = 0;
  for await (const rows of sheetRows(workbook, sheet)) {
    if (options.signal?.aborted) throw interrupted();
    let text = "";
    for (const row of rows) {
      const { number, cells } = merged.fill(row);
      text += "\n".repeat(number - 1 - line);
      line = number;
      for (let j = firstColumn; j <= lastColumn && number > skipped; j++) {
        text += `${j > firstColumn ? "," : ""}${writtenCell(cells[j])}`;
      }
      text += "\n";
    }
    yield encoder.encode(text);
  }
}

function writtenCell(cell: SheetCell | undefined): string {
  if (cell === undefined) return "";
  return typeof cell === "number" ? String(cell) : quotedCell(cell);
}

/** Repeats the value of a merged cell in each of its rows. */
class MergedCells {
  /** Merges by first row. */
  readonly #merges: readonly SheetFacts["merges"][number][];
  #next = 0;
  #open: { column: number; to: number; value: SheetCell | undefined }[] = [];

  constructor(merges: SheetFacts["merges"]) {
    this.#merges = merges.toSorted((a, b) => a.from - b.from);
  }

  fill(row: SheetRow): SheetRow {
    this.#open = this.#open.filter(({ to }) => to >= row.number);
    const cells = [...row.cells];
    for (const { column, value } of this.#open) if (value !== undefined) cells[column] ??= value;
    while (this.#next < this.#merges.length && this.#merges[this.#next].from <= row.number) {
      const { column, from, to } = this.#merges[this.#next++];
      if (from === row.number && to > from) this.#open.push({ column, to, value: row.cells[column] });
    }
    return { number: row.number, cells };
  }
}

function sheetNotices(
  { name, sheets }: Workbook,
  sheet: Sheet,
  { sheet: wanted }: ReadOptions,
): TableNotice[] {
  if (wanted !== undefined || sheets.length === 1) return [];
  const others = sheetNames(sheets.filter((other) => other !== sheet));
  return [
    { message: `${name}: read sheet "${sheet.name}", not ${others}. Choose another sheet with --sheet.` },
  ];
}

function contentNotices({ merges, unsolved }: SheetShape): TableNotice[] {
  const notices: TableNotice[] = [];
  if (merges.length > 0) {
    notices.push({ message: "The sheet has merged cells: each row of a merged cell gets its value." });
  }
  if (unsolved > 0) {
    const count = unsolved === 1 ? "1 formula has" : `${unsolved.toLocaleString("en")} formulas have`;
    notices.push({
      message: `${count} no result in the file, and ${unsolved === 1 ? "is a missing value" : "are missing values"}. Open and save the workbook in a spreadsheet program.`,
      isDoubtful: true,
    });
  }
  return notices;
}
