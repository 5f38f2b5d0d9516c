import { VouchError } from "vouch/predict";
import { numberOf, shown } from "./cell.js";

/** Where a cell stands: `row` counts data rows from 1, `line` is the line of the file where there are lines. */
export interface CellPlace {
  readonly file: string;
  readonly row: number;
  readonly line?: number;
  readonly column: string;
}

/** "data.csv, row 3 (line 4), column "age"". */
export function placeText({ file, row, line, column }: CellPlace): string {
  return `${file}, row ${row}${line === undefined ? "" : ` (line ${line})`}, column "${column}"`;
}

/** The error of text in a numeric column. */
function notANumber(place: CellPlace, text: string): VouchError {
  return new VouchError("data/not-a-number", `${placeText(place)}: ${shown(text)} is not a number.`, {
    hint: `If the column holds categories, read it with --categorical ${place.column}; if not, correct the cell.`,
  });
}

/** The error of an infinite number, or of one that is too large for a double. */
export function notFinite(place: CellPlace, text: string): VouchError {
  return new VouchError("data/not-finite", `${placeText(place)}: ${shown(text)} is not a finite number.`, {
    hint: "Leave the cell empty if the value is not known.",
  });
}

/** The finite number that a cell spells; an error that names the cell if it spells none. */
export function finiteNumber(place: CellPlace, text: string, reading = numberOf): number {
  const value = reading(text);
  if (value === undefined) throw notANumber(place, text);
  if (!Number.isFinite(value)) throw notFinite(place, text);
  return value;
}
