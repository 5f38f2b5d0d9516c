import { memoryLimit, VouchError } from "vouch/errors";
import { type Column, Table } from "vouch/predict";
import { excerpt, finiteNumber } from "./cell.js";
import { CategoricalBuilder, floatColumns } from "./column-builder.js";
import { ColumnMemory } from "./column-memory.js";
import { withColumnRoles } from "./column-roles.js";
import type { Input } from "./input.js";
import type { ReadOptions } from "./read-options.js";
import { readLines } from "./text-window.js";

/** Limit on the number of columns: a few digits in a file could name billions. */
const MAX_COLUMNS = 2_000_000;
const RECORD_HINT = "Write label index:value ….";

/**
 * Reads `label index:value …` lines (LIBSVM, SVMlight) into dense columns f1, f2, … and a categorical column
 * `label`. Indices count from 1 and ascend; `#` starts a comment; `qid:` is refused, since ranking is another task.
 */
export async function readLibsvm(input: Input, options: ReadOptions): Promise<Table> {
  const entries = new SparseEntries();
  const labels = new CategoricalBuilder("label", new ColumnMemory(input.name));
  for await (const { first, lines } of readLines(input)) {
    lines.forEach((line, index) => {
      const text = line.replace(/#.*/s, "").trim();
      if (text !== "") readRecord(text, first + index, input.name, labels, entries);
    });
  }
  if (entries.rows === 0) throw new VouchError("data/no-rows", `${input.name} has no rows.`);
  const width = Math.max(entries.columns, options.features ?? 0);
  checkSize(input, entries.rows, width);
  const columns = [...entries.dense(width), labels.finish(entries.rows)];
  return withColumnRoles(new Table(input.name, entries.rows, columns), options);
}

/** Non-zero entries of a matrix, row by row, in growing arrays. */
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
    const values = floatColumns(width, this.rows);
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
  const malformed = (problem: string, hint: string) =>
    new VouchError("data/malformed", `${file}, row ${row} (line ${line}): ${problem}.`, { hint });
  if (label.includes(":")) throw malformed(`there is no label before ${excerpt(label)}`, RECORD_HINT);
  labels.set(entries.rows, label);
  let last = 0;
  for (const pair of pairs) {
    const colon = pair.indexOf(":");
    if (pair.startsWith("qid:")) {
      throw malformed(`${excerpt(pair)} marks ranking data`, "Remove the qid: entries.");
    }
    const index = /^\d+$/.test(pair.slice(0, Math.max(0, colon))) ? Number(pair.slice(0, colon)) : Number.NaN;
    if (Number.isNaN(index)) throw malformed(`${excerpt(pair)} is not index:value`, RECORD_HINT);
    if (index < 1 || index > 2 ** 31 - 1) {
      throw malformed(`index ${index} is out of range`, "Indices start at 1.");
    }
    if (index <= last) {
      throw malformed(
        `index ${index} comes after ${last}`,
        "Sort the indices of each row in ascending order.",
      );
    }
    last = index;
    entries.add(index - 1, finiteValue(pair.slice(colon + 1), file, row, line, index));
  }
  entries.rows++;
}

function finiteValue(text: string, file: string, row: number, line: number, index: number): number {
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  return finiteNumber({ file, row, line, column: `f${index}` }, text);
}

function checkSize({ name }: Input, rows: number, width: number): void {
  const bytes = rows * width * 8;
  if (bytes <= memoryLimit() && width <= MAX_COLUMNS) return;
  throw new VouchError(
    "data/too-large",
    `${name}: ${rows} rows of ${width} columns would take ${Math.ceil(bytes / 2 ** 20)} MB as a dense table.`,
    { hint: "Select the features that matter, or hash them into fewer columns, before loading." },
  );
}
