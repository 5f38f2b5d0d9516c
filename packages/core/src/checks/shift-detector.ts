import { Random } from "../runtime/maths/random.js";
import { formatCount } from "../runtime/text/number-format.js";
import { listNames } from "../runtime/text/suggestions.js";
import { profiledNumbers } from "../table/column-profile.js";
import { conformPart } from "../table/conform.js";
import type { ColumnSchema, Schema } from "../table/schema.js";
import { addLostCells, type LostCells, lostCellNotices } from "../table/schema-match.js";
import type { Table } from "../table/table.js";
import { emptyRows, type TrainingProfile } from "../table/training-profile.js";
import { LevelTally, NumberTally, type SampledRows } from "./column-tally.js";
import { byGravity, type DataShift, shiftLines } from "./data-shift.js";
import {
  emptyShift,
  levelShift,
  locationShift,
  missingShift,
  rangeShift,
  scaleShift,
  swappedShift,
} from "./describe-shift.js";
import { exchangedColumns, type ShiftedColumn, scaleFactor } from "./exchanged-columns.js";
import { compareShares } from "./share-test.js";

/**
 * Probability that one of the three families of tests finds anything if the rows come from the training distribution.
 */
const FALSE_ALARM = 0.001;
/**
 * Smaller distances, and smaller differences between shares of missing cells, are not reported, even if significant.
 */
const NEGLIGIBLE = 0.1;
/** Smaller shares of rows outside the training range are reported only if they are far outside. */
const FEW_OUTSIDE = 0.01;
/** Minimum number of rows that show a distribution. */
const TOO_FEW = 20;

/** Number of sampled cells per column, and of all columns together unless each has the minimum. */
const MAX_SAMPLE = 512;
const MIN_SAMPLE = 64;
const MAX_SAMPLED_CELLS = 2 ** 20;

/** A column of the schema with the cells of the new rows. */
interface CheckedColumn {
  readonly schema: ColumnSchema;
  readonly tally: NumberTally | LevelTally;
}

/**
 * Compares new rows with the summary of the training rows in a model file. Takes them in parts; its memory does not
 * depend on their number.
 *
 * - `range`: numbers farther outside the training range than ten times its width, or more with many columns or heavy
 *   tails (see `farLimits`); or more numbers outside it than chance explains, and more than 1%.
 * - `missing`: missing cells where the training rows have none, if chance does not explain them; or a share that is
 *   larger by 0.1.
 * - `empty`: rows without any value, if there are none among the training rows.
 * - `shift` and `levels`: a distance of the distributions above 0.1, with more than 20 rows: the Kolmogorov–Smirnov
 *   test of numbers, times and lengths of strings, Fisher's exact test of categories.
 * - `swapped` and `scale`: the same, if the cells resemble another column, or their own after a division.
 *
 * Chance explains what has a p-value above 0.001 divided by the number of tested columns. So rows that were drawn like
 * the training rows are reported in at most 0.3% of all files, apart from `empty` rows and numbers far outside the
 * range.
 */
export class ShiftDetector {
  readonly #profile: TrainingProfile;
  readonly #schema: Schema;
  readonly #columns: readonly CheckedColumn[];
  readonly #sampleSize: number;
  readonly #random = new Random(1);
  /** Cells that are not dates, by column. */
  readonly #unread = new Map<string, LostCells>();
  #rows = 0;
  #empty = 0;
  #firstEmpty = 0;

  constructor(profile: TrainingProfile, schema: Schema) {
    this.#profile = profile;
    this.#schema = schema;
    const size = Math.floor(MAX_SAMPLED_CELLS / schema.columns.length);
    this.#sampleSize = Math.max(MIN_SAMPLE, Math.min(MAX_SAMPLE, size));
    this.#columns = schema.columns.map((column, j) => {
      const known = profile.columns[j];
      const tally =
        known.kind === "numbers"
          ? new NumberTally(known, this.#sampleSize, schema.columns.length)
          : new LevelTally(known, column.kind === "categorical" ? column.levels : []);
      return { schema: column, tally };
    });
  }

  /** Number of rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Adds rows: a table with at least the columns of the schema. */
  add(table: Table): void {
    const { columns, unread } = conformPart(table, this.#schema);
    const sampled = this.#sampledRows(table.rows);
    let gaps = table.rows > 0;
    columns.forEach((column, j) => {
      const { tally, schema } = this.#columns[j];
      const before = tally.missing;
      if (tally instanceof LevelTally) {
        if (column.kind === "categorical") tally.add(column, table.column(column.name));
      } else {
        const numbers = profiledNumbers(column, schema);
        if (numbers) tally.add(numbers, this.#rows, sampled);
      }
      if (tally.missing === before) gaps = false;
    });
    if (gaps) this.#addEmpty(emptyRows(columns, table.rows));
    addLostCells(this.#unread, unread);
    this.#rows += table.rows;
  }

  #addEmpty(rows: readonly number[]): void {
    if (rows.length > 0 && this.#empty === 0) this.#firstEmpty = this.#rows + rows[0];
    this.#empty += rows.length;
  }

  /** Samples all rows so far at random (reservoir sampling), independently of how they are divided into parts. */
  #sampledRows(rows: number): SampledRows {
    const taken: number[] = [];
    const places: number[] = [];
    for (let i = 0; i < rows; i++) {
      const before = this.#rows + i;
      const place = before < this.#sampleSize ? before : this.#random.integer(before + 1);
      if (place >= this.#sampleSize) continue;
      taken.push(i);
      places.push(place);
    }
    return { rows: taken, places };
  }

  /** Lists how the rows so far differ from the training rows, gravest findings first. */
  findings(): DataShift[] {
    const shifted = this.#rows > TOO_FEW ? this.#shiftedColumns() : new Map<string, ShiftedColumn>();
    const findings = [...this.#emptyFindings(), ...this.#missingFindings()];
    const explained = new Set<string>();
    for (const { column, like, mutual } of exchangedColumns([...shifted.values()])) {
      if (explained.has(column)) continue;
      findings.push(swappedShift(column, like, mutual, this.#rows));
      explained.add(column);
      if (mutual) explained.add(like);
    }
    for (const { schema, tally } of this.#columns) {
      if (explained.has(schema.name)) continue;
      const finding = this.#findingOf(schema, tally, shifted.get(schema.name));
      if (finding) findings.push(finding);
    }
    return findings.sort(byGravity);
  }

  /** Formats the findings and lesser facts: unknown categories, strings that are not dates, and new missing cells. */
  notices(): string[] {
    const findings = this.findings();
    const told = new Set(findings.flatMap(({ columns }) => columns));
    const unknown = this.#columns.flatMap(({ schema: { name: column }, tally }) => {
      if (!(tally instanceof LevelTally) || !tally.complete || tally.others === 0 || told.has(column))
        return [];
      const [example] = tally.unseen.keys();
      return [{ column, rows: tally.others, example }];
    });
    const unread = this.#columns.flatMap(({ schema }) => this.#unread.get(schema.name) ?? []);
    const gaps = this.#columns.filter(({ schema, tally }) => {
      return tally.missing > 0 && tally.profile.missing === 0 && !told.has(schema.name);
    });
    const names = gaps.map(({ schema }) => schema.name);
    return [
      ...shiftLines(findings),
      ...lostCellNotices(unread, unknown),
      ...(names.length > 0 && this.#empty === 0
        ? [
            `Missing cells in ${formatCount(names.length, "column")} that had none in training: ${listNames(names)}.`,
          ]
        : []),
    ];
  }

  #emptyFindings(): DataShift[] {
    if (this.#empty === 0 || this.#profile.empty > 0) return [];
    return [emptyShift(this.#empty, this.#firstEmpty)];
  }

  #missingFindings(): DataShift[] {
    const ours = this.#profile.rows;
    // A column without missing cells in both parts cannot differ, so it does not count as a test.
    const tested = this.#columns.filter(({ tally }) => tally.missing + tally.profile.missing > 0);
    return tested.flatMap(({ schema, tally: { missing, profile } }) => {
      const share = profile.missing / ours;
      if (missing / this.#rows <= share + (share > 0 ? NEGLIGIBLE : 0)) return [];
      const test = compareShares(
        [
          [profile.missing, missing],
          [ours - profile.missing, this.#rows - missing],
        ],
        [ours, this.#rows],
      );
      if (!test || test.p >= FALSE_ALARM / tested.length) return [];
      return [missingShift(schema.name, { missing, of: this.#rows }, share)];
    });
  }

  #shiftedColumns(): Map<string, ShiftedColumn> {
    const limit = FALSE_ALARM / this.#columns.length;
    const shifted = this.#columns.flatMap(({ schema: { name }, tally }) => {
      const test = tally.shift();
      return test && test.distance > NEGLIGIBLE && test.p < limit
        ? [{ name, tally, distance: test.distance }]
        : [];
    });
    return new Map(shifted.map((column) => [column.name, column]));
  }

  #findingOf(
    schema: ColumnSchema,
    tally: NumberTally | LevelTally,
    shifted: ShiftedColumn | undefined,
  ): DataShift | undefined {
    if (tally instanceof LevelTally) return shifted && levelShift(schema.name, tally, shifted.distance);
    const factor = shifted && schema.kind === "numeric" ? scaleFactor(shifted) : undefined;
    if (factor !== undefined) return scaleShift(schema.name, factor, tally.present);
    if (schema.kind !== "text" && (tally.far > 0 || this.#manyOutside(tally))) {
      return rangeShift(schema, tally, this.#rows);
    }
    return shifted && locationShift(schema, tally);
  }

  /**
   * Returns whether more numbers are above the training maximum, or below the minimum, than chance explains. The
   * probability that the largest r of all numbers are new ones comes from Fisher's exact test of 0 and r rows.
   */
  #manyOutside(tally: NumberTally): boolean {
    const known = this.#profile.rows - tally.profile.missing;
    const { present, outside } = tally;
    const limit = FALSE_ALARM / (2 * this.#columns.length);
    return outside.some((rows) => {
      if (rows <= FEW_OUTSIDE * present) return false;
      const test = compareShares(
        [
          [0, rows],
          [known, present - rows],
        ],
        [known, present],
      );
      return test !== undefined && test.p < limit;
    });
  }
}
