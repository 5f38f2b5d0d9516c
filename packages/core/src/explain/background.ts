import * as z from "zod";
import { readParts, writeParts } from "../runtime/codec/parts.js";
import { corrupt, type State } from "../runtime/codec/state.js";
import { float64, int32, uint8 } from "../runtime/codec/tensor-parts.js";
import { Random } from "../runtime/maths/random.js";
import type { Column } from "../table/column.js";
import { conform } from "../table/conform.js";
import { dateText, LAST_TIME } from "../table/date-form.js";
import { MISSING_LEVEL, OTHER_LEVELS } from "../table/levels.js";
import type { ColumnSchema, Schema } from "../table/schema.js";
import { Table } from "../table/table.js";

/** Maximum number of background rows. */
const MAX_ROWS = 64;

/** Tables with more cells are too large for a model file. */
const MAX_CELLS = 64_000;

const parts = {
  rows: z.int().min(1).max(MAX_ROWS),
  kinds: z.array(z.enum(["numeric", "categorical"])).readonly(),
  /** Cells of numeric columns, and times of dates; 0 if missing. */
  numbers: float64(["numbers", "rows"]),
  missing: uint8(["numbers", "rows"], { max: 1 }),
  /** Other columns, as codes of the schema's levels; the code after the last stands for any other category. */
  codes: int32(["categories", "rows"], { min: MISSING_LEVEL }),
};

/**
 * Rows to compare a row with when its reasons are computed. The cells of each column are drawn from the training rows
 * independently of the other columns, so that each column keeps its distribution, but no row is a training row. Free
 * text is not kept and is missing in all rows.
 */
export class Background {
  /** The columns of the schema, in order. */
  readonly table: Table;

  /** The same, with dates as times. */
  readonly #stored: Table;

  private constructor(stored: Table, schema: Schema) {
    this.#stored = stored;
    this.table = new Table(
      stored.name,
      stored.rows,
      stored.columns.map((column, j) => asWritten(column, schema.columns[j])),
    );
  }

  /**
   * Draws up to 64 cells of each column of the training rows; undefined without rows or with more than 1000 columns.
   */
  static of(training: Table, schema: Schema, seed: number): Background | undefined {
    const { rows } = training;
    const size = Math.min(rows, MAX_ROWS);
    if (size === 0 || schema.columns.length * MAX_ROWS > MAX_CELLS) return undefined;
    const random = new Random(seed);
    const cells = schema.columns.map(({ name }, j) => {
      const own = new Table(training.name, rows, [training.column(name)]);
      return own.select(drawn(rows, size, random.fork(j))).columns[0];
    });
    const { columns } = conform(new Table("background", size, cells), schema);
    const known = columns.map((column, j) => asStored(column, schema.columns[j]));
    return new Background(new Table("background", size, known), schema);
  }

  toState(): State {
    const { rows, columns } = this.#stored;
    const numbers: number[] = [];
    const missing: number[] = [];
    const codes: number[] = [];
    for (const column of columns) {
      if (column.kind === "categorical") codes.push(...column.codes);
      else {
        numbers.push(...Array.from(column.values, (value) => (Number.isNaN(value) ? 0 : value)));
        missing.push(...Array.from(column.values, (value) => Number(Number.isNaN(value))));
      }
    }
    const values = {
      rows,
      kinds: columns.map(({ kind }) => kind),
      numbers: Float64Array.from(numbers),
      missing: Uint8Array.from(missing),
      codes: Int32Array.from(codes),
    };
    return writeParts(parts, values, { rows });
  }

  /**
   * Restores the background of a model with this schema from the result of `toState`; otherwise throws `model/corrupt`.
   */
  static restore(state: State, schema: Schema): Background {
    const { rows, kinds, numbers, missing, codes } = readParts("background", parts, state, {});
    const numeric = kinds.filter((kind) => kind === "numeric").length;
    if (
      kinds.length !== schema.columns.length ||
      kinds.some((kind, j) => !mayBe(schema.columns[j], kind)) ||
      numbers.length !== numeric * rows ||
      codes.length !== (kinds.length - numeric) * rows
    ) {
      throw corrupt("The background is damaged: its columns do not match the model.");
    }
    let number = 0;
    let code = 0;
    const columns = kinds.map((kind, j): Column => {
      const { name } = schema.columns[j];
      if (kind === "numeric") {
        const from = rows * number++;
        if (numbers.subarray(from, from + rows).some((value, i) => missing[from + i] && !Object.is(value, 0)))
          throw corrupt(`The background is damaged: a missing cell of column "${name}" has a number.`);
        const values = numbers
          .slice(from, from + rows)
          .map((value, i) => (missing[from + i] ? Number.NaN : value));
        if (schema.columns[j].kind === "date" && values.some((time) => Math.abs(time) > LAST_TIME)) {
          throw corrupt(`The background is damaged: column "${name}" has an impossible time.`);
        }
        return { kind, name, values };
      }
      const levels = storedLevels(schema.columns[j]);
      const own = codes.slice(rows * code, rows * ++code);
      if (own.some((each) => each >= levels.length)) {
        throw corrupt(`The background is damaged: column "${name}" has an unknown category.`);
      }
      return { kind, name, codes: own, levels };
    });
    return new Background(new Table("background", rows, columns), schema);
  }
}

/** Draws distinct rows in random order. */
function drawn(rows: number, count: number, random: Random): number[] {
  const chosen = new Set<number>();
  if (count === rows) return [...random.shuffle(Array.from({ length: rows }, (_, i) => i))];
  while (chosen.size < count) chosen.add(random.integer(rows));
  return [...chosen];
}

/** Returns whether a column of the schema may be stored as this kind. */
function mayBe({ kind }: ColumnSchema, stored: Column["kind"]): boolean {
  return stored === (kind === "numeric" || kind === "date" ? "numeric" : "categorical");
}

/** Lists the possible categories: the schema's, and one for all others. */
function storedLevels(column: ColumnSchema): readonly string[] {
  return column.kind === "categorical" ? [...column.levels, OTHER_LEVELS] : [OTHER_LEVELS];
}

/** Formats times as dates in the form that the schema expects. */
function asWritten(column: Column, expected: ColumnSchema): Column {
  if (expected.kind !== "date" || column.kind !== "numeric") return column;
  const levels = Array.from(column.values, (time) => dateText(expected.form, Number.isNaN(time) ? 0 : time));
  const codes = Int32Array.from(column.values, (time, row) => (Number.isNaN(time) ? MISSING_LEVEL : row));
  return { kind: "categorical", name: column.name, codes, levels };
}

/** Copies a conformed column: numbers in double precision, unknown categories as one, and no free text. */
function asStored(column: Column, expected: ColumnSchema): Column {
  if (column.kind === "numeric") return { ...column, values: Float64Array.from(column.values) };
  const levels = storedLevels(expected);
  const { kind, name } = column;
  if (expected.kind === "text") return { kind, name, codes: column.codes.map(() => MISSING_LEVEL), levels };
  const other = levels.length - 1;
  const codes = column.codes.map((code) =>
    code === MISSING_LEVEL || (code >= 0 && code < other) ? code : other,
  );
  return { kind, name, codes, levels };
}
