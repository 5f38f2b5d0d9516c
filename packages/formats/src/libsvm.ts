import { totalmem } from "node:os";
import { type Column, Table, VouchError } from "vouch/predict";
import { shown } from "./cell.js";
import { finiteNumber } from "./cell-fault.js";
import { CategoricalBuilder } from "./column-builder.js";
import type { Input } from "./input/input.js";
import { readLines } from "./input/lines.js";
import type { ReadOptions } from "./read-options.js";
import { sharedFloats } from "./shared-array.js";
import { withWishes } from "./with-wishes.js";

/** A file may ask for billions of columns with a few digits. */
const MOST_COLUMNS = 2_000_000;

/**
 * Reads `label index:value …` lines (LIBSVM, SVMlight) into dense columns f1, f2, … and a column `label` of
 * text. Indices count from 1 and ascend; `#` starts a comment; `qid:` is refused, ranking is another task.
 */
export async function readLibsvm(input: Input, options: ReadOptions): Promise<Table> {
  const entries = new SparseEntries();
  const labels = new CategoricalBuilder("label");
  for await (const { first, lines } of readLines(input)) {
    lines.forEach((line, index) => {
      const text = line.replace(/#.*/, "").trim();
      if (text !== "") readRecord(text, first + index, input.name, labels, entries);
    });
  }
  if (entries.rows === 0) throw new VouchError("data/no-rows", `${input.name} has no rows.`);
  const width = Math.max(entries.columns, options.features ?? 0);
  checkSize(input.name, entries.rows, width);
  const columns = [...entries.dense(width), labels.finish(entries.rows)];
  return withWishes(new Table(input.name, entries.rows, columns), options);
}

/** The non-zero entries of a matrix, row by row, in growing arrays. */
class SparseEntries {
  rows = 0;
  columns = 0;
  #count = 0;
  #row = new Int32Array(1024);
  #column = new Int32Array(1024);
  #value = new Float64Array(1024);

  add(column: number, value: number): void {
    if (this.#count === this.#row.length) this.#grow();
    this.#row[this.#count] = this.rows;
    this.#column[this.#count] = column;
    this.#value[this.#count++] = value;
    if (column >= this.columns) this.columns = column + 1;
  }

  dense(width: number): Column[] {
    const values = sharedFloats(width, this.rows);
    for (let at = 0; at < this.#count; at++) values[this.#column[at]][this.#row[at]] = this.#value[at];
    return values.map((column, index) => ({ kind: "numeric", name: `f${index + 1}`, values: column }));
  }

  #grow(): void {
    const [row, column, value] = [this.#row, this.#column, this.#value];
    this.#row = new Int32Array(2 * this.#count);
    this.#column = new Int32Array(2 * this.#count);
    this.#value = new Float64Array(2 * this.#count);
    this.#row.set(row);
    this.#column.set(column);
    this.#value.set(value);
  }
}

function readRecord(
  text: string,
  line: number,
  file: string,
  labels: CategoricalBuilder,
  entries: SparseEntries,
): void {
  const [label, ...pairs] = text.split(/[ \t]+/);
  const row = entries.rows + 1;
  const fault = (what: string, hint: string) =>
    new VouchError("data/malformed", `${file}, row ${row} (line ${line}): ${what}.`, { hint });
  if (label.includes(":"))
    throw fault(`there is no label before ${shown(label)}`, "Write label index:value ….");
  labels.set(entries.rows, label);
  let last = 0;
  for (const pair of pairs) {
    const colon = pair.indexOf(":");
    if (pair.startsWith("qid:")) throw fault(`${shown(pair)} marks ranking data`, "Remove the qid: entries.");
    const index = /^\d+$/.test(pair.slice(0, Math.max(0, colon))) ? Number(pair.slice(0, colon)) : Number.NaN;
    if (Number.isNaN(index)) throw fault(`${shown(pair)} is not index:value`, "Write label index:value ….");
    if (index < 1 || index > 2 ** 31 - 1) {
      throw fault(`index ${index} is out of range`, "Indices count from 1.");
    }
    if (index <= last) throw fault(`index ${index} comes after ${last}`, "Indices ascend within a row.");
    last = index;
    entries.add(index - 1, finiteValue(pair.slice(colon + 1), file, row, line, index));
  }
  entries.rows++;
}

function finiteValue(text: string, file: string, row: number, line: number, index: number): number {
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  return finiteNumber({ file, row, line, column: `f${index}` }, text);
}

function checkSize(file: string, rows: number, width: number): void {
  const bytes = rows * width * 8;
  if (bytes <= totalmem() / 2 && width <= MOST_COLUMNS) return;
  throw new VouchError(
    "data/too-large",
    `${file}: ${rows} rows of ${width} columns would take ${Math.ceil(bytes / 2 ** 20)} MB as a dense table.`,
    { hint: "Keep the features that matter, or hash them into fewer columns, before loading." },
  );
}
