import * as z from "zod";
import { proportion } from "../runtime/codec/schema-numbers.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Column } from "../table/column.js";
import { cellSearch, profiledNumbers } from "../table/column-profile.js";
import { conform } from "../table/conform.js";
import type { CutSearch } from "../table/cut-search.js";
import { MISSING_LEVEL } from "../table/levels.js";
import type { ColumnSchema, Schema } from "../table/schema.js";
import type { Table } from "../table/table.js";
import type { TrainingProfile } from "../table/training-profile.js";
import { forEachBlock } from "../table/value-blocks.js";
import { weightBetween } from "../theory/held-out/start-weights.js";
import { testWindow, totalOf, type WindowTest } from "./window-test.js";

/**
 * Numbers of rows in the windows. Each is a multiple of the previous one. Gross changes show in the first window,
 * changes of a tenth of the rows in the last.
 */
const WINDOWS = [64, 512, 4096] as const;
/** Scale of the weights of successive windows. */
const WINDOWS_BEFORE = 16;
/** Code of a missing cell in a column. */
const MISSING_CELL = -1;

const countSchema = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const stateSchema = z.strictObject({
  rows: countSchema,
  columns: z.array(
    z.strictObject({
      name: z.string(),
      windows: z
        .array(
          z.strictObject({
            missing: countSchema,
            counts: z.array(countSchema),
            last: z.strictObject({ distance: proportion, p: proportion, relevant: z.boolean() }).optional(),
          }),
        )
        .length(WINDOWS.length),
    }),
  ),
});

/** The state of a `DriftMonitor`, as plain JSON. */
export type DriftState = z.infer<typeof stateSchema>;

/** How a column of recent rows differs from the training rows. */
export interface ColumnDrift {
  readonly name: string;
  /** Distance of the distributions, in [0, 1]: see `DriftMonitor`; 0 before the first full window. */
  readonly drift: number;
  /**
   * p-value of the same window, adjusted for all columns and all windows of all time; 1 before the first full window.
   */
  readonly p: number;
  /** Whether p is at most the false alarm rate, and the difference is large enough to matter. */
  readonly drifted: boolean;
}

/** The cells of a column in the current window of one size, and the result of the last full one. */
interface Window {
  missing: number;
  readonly counts: Float64Array;
  last: WindowTest | undefined;
}

interface MonitoredColumn {
  readonly schema: ColumnSchema;
  readonly search: CutSearch | undefined;
  readonly windows: readonly Window[];
}

/**
 * Watches whether new rows drift away from the training rows, column by column, by the summary of the training rows in
 * a model file. Rows are compared in windows of 64, 512 and 4096 rows. Each full window is tested once (see
 * `testWindow`), so that a late change shows as clearly as an early one. A report is about the last full window of each
 * size, and shows the one with the smallest p-value. A column that returns to normal is reported as normal once new
 * windows are full.
 *
 * The i-th window of each size has a share v(i)/3 of the false alarms, with Σ v(i) = 1 over all i, and each column the
 * same part of it. So if all rows come independently from the distribution of the training rows, the probability that
 * any column is ever reported is at most `falseAlarm`.
 *
 * The drift of numbers, times and lengths of strings is the largest distance of the distribution functions; for
 * categories it is the total variation distance. A difference between the shares of missing cells counts if it is
 * larger. Drifts of less than 0.1 are not reported, unless more than 1% of the cells are of a kind that no training row
 * has.
 */
export class DriftMonitor {
  readonly #profile: TrainingProfile;
  readonly #schema: Schema;
  readonly #falseAlarm: number;
  readonly #columns: readonly MonitoredColumn[];
  #rows = 0;

  constructor(profile: TrainingProfile, schema: Schema, falseAlarm: number) {
    if (!(falseAlarm > 0 && falseAlarm < 1)) {
      throw new VouchError(
        "option/invalid",
        `The false alarm rate must be between 0 and 1, not ${falseAlarm}.`,
      );
    }
    this.#profile = profile;
    this.#schema = schema;
    this.#falseAlarm = falseAlarm;
    this.#columns = schema.columns.map((column, j) => {
      const known = profile.columns[j];
      return {
        schema: column,
        search: known.kind === "numbers" ? cellSearch(known.bounds) : undefined,
        windows: WINDOWS.map(() => ({
          missing: 0,
          counts: new Float64Array(known.counts.length),
          last: undefined,
        })),
      };
    });
  }

  /** Number of rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Adds rows: a table with at least the columns of the schema. Throws like `Classifier.predict` on columns that do not
   * fit.
   */
  add(table: Table): void {
    const { columns } = conform(table, this.#schema);
    const cells = columns.map((column, j) => findCells(column, this.#columns[j]));
    for (let start = 0; start < table.rows; ) {
      const left = WINDOWS[0] - (this.#rows % WINDOWS[0]);
      const end = Math.min(table.rows, start + left);
      this.#columns.forEach(({ windows: [window] }, j) => {
        countIn(window, cells[j], start, end);
      });
      this.#rows += end - start;
      start = end;
      this.#closeWindows();
    }
  }

  /** Tests the full windows, and adds their cells to the next larger ones. */
  #closeWindows(): void {
    for (const [size, rows] of WINDOWS.entries()) {
      if (this.#rows % rows !== 0) return;
      this.#columns.forEach(({ windows }, j) => {
        const window = windows[size];
        window.last = testWindow(this.#profile.columns[j], this.#profile.rows, window);
        if (size + 1 < WINDOWS.length) addCells(windows[size + 1], window);
        window.missing = 0;
        window.counts.fill(0);
      });
    }
  }

  /** Describes the drift of each column of the schema, in order. */
  columns(): ColumnDrift[] {
    const shares = WINDOWS.map((rows) => {
      const count = Math.floor(this.#rows / rows);
      const weight = count === 0 ? 1 : weightBetween(count - 1, count, WINDOWS_BEFORE);
      return weight / (WINDOWS.length * this.#columns.length);
    });
    return this.#columns.map(({ schema: { name }, windows }) => {
      const results = windows.flatMap(({ last }, size) => {
        if (!last) return [];
        const p = Math.min(1, last.p / shares[size]);
        const drifted = last.relevant && p <= this.#falseAlarm;
        return [{ name, drift: last.distance, p, drifted }];
      });
      return results.reduce(clearer, { name, drift: 0, p: 1, drifted: false });
    });
  }

  /** Returns the state, from which `restore` continues. */
  state(): DriftState {
    return {
      rows: this.#rows,
      columns: this.#columns.map(({ schema: { name }, windows }) => ({
        name,
        windows: windows.map(({ missing, counts, last }) => ({
          missing,
          counts: Array.from(counts),
          ...(last && { last: { ...last } }),
        })),
      })),
    };
  }

  /**
   * Restores the state of a watch of the same model; throws `data/malformed` for anything else. Call it right after
   * construction.
   */
  restore(state: unknown): void {
    const parsed = stateSchema.safeParse(state);
    if (!parsed.success) throw malformed(z.prettifyError(parsed.error));
    const { rows, columns } = parsed.data;
    if (columns.length !== this.#columns.length) throw malformed("its columns do not match the model");
    columns.forEach(({ name, windows }, j) => {
      const { schema, windows: own } = this.#columns[j];
      if (name !== schema.name) throw malformed("its columns do not match the model");
      windows.forEach(({ missing, counts, last }, size) => {
        const filled = rows % WINDOWS[size];
        const expected = size === 0 ? filled : filled - (filled % WINDOWS[size - 1]);
        const fits = counts.length === own[size].counts.length && totalOf(counts) + missing === expected;
        if (!fits || (last !== undefined) !== rows >= WINDOWS[size]) {
          throw malformed(`the cells of column "${name}" do not add up`);
        }
      });
    });
    this.#rows = rows;
    columns.forEach(({ windows }, j) => {
      windows.forEach(({ missing, counts, last }, size) => {
        const own = this.#columns[j].windows[size];
        own.missing = missing;
        own.counts.set(counts);
        own.last = last;
      });
    });
  }
}

/**
 * Returns the result with the smaller p-value; without one below 1, the result of the larger window, which is more
 * precise.
 */
function clearer(a: ColumnDrift, b: ColumnDrift): ColumnDrift {
  if (a.drifted !== b.drifted) return a.drifted ? a : b;
  return b.p <= a.p ? b : a;
}

/** Finds the cell of the profile for each row of a conformed column. */
function findCells(column: Column, { schema, search }: MonitoredColumn): Int32Array {
  if (search) {
    const numbers = profiledNumbers(column, schema);
    if (numbers) return numberCells(numbers.values, search);
  }
  if (column.kind === "numeric") throw new TypeError(`Column "${schema.name}" is not of the profile's kind.`);
  const others = schema.kind === "categorical" ? schema.levels.length : 0;
  const { codes } = column;
  const cells = new Int32Array(codes.length);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    if (code >= 0) cells[i] = Math.min(code, others);
    else cells[i] = code === MISSING_LEVEL ? MISSING_CELL : others;
  }
  return cells;
}

function numberCells(values: Parameters<typeof forEachBlock>[0], search: CutSearch): Int32Array {
  const cells = new Int32Array(values.length);
  forEachBlock(values, (block, start) => {
    for (let i = 0; i < block.length; i++) {
      cells[start + i] = Number.isNaN(block[i]) ? MISSING_CELL : search.cutsBelow(block[i]);
    }
  });
  return cells;
}

function countIn(window: Window, cells: Int32Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    if (cells[i] === MISSING_CELL) window.missing++;
    else window.counts[cells[i]]++;
  }
}

function addCells(window: Window, { missing, counts }: Window): void {
  window.missing += missing;
  for (let k = 0; k < counts.length; k++) window.counts[k] += counts[k];
}

function malformed(fault: string): VouchError {
  return new VouchError("data/malformed", `This is not the saved state of a drift watch: ${fault}.`, {
    hint: "Restore the file from a copy, or remove it to start again.",
  });
}
