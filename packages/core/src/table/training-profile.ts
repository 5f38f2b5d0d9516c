import { readParts, writeParts } from "../runtime/codec/parts.js";
import { MOST_COUNTED, nonNegativeInteger, positiveInteger } from "../runtime/codec/schema-numbers.js";
import { corrupt, type State } from "../runtime/codec/state.js";
import { float64, int32 } from "../runtime/codec/tensor-parts.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import type { Column } from "./column.js";
import {
  boundsOf,
  type ColumnProfile,
  type LevelProfile,
  levelCount,
  type NumberProfile,
  profilesOf,
} from "./column-profile.js";
import { conform } from "./conform.js";
import { LAST_TIME } from "./date-form.js";
import { MISSING_LEVEL } from "./levels.js";
import type { ColumnSchema, Schema } from "./schema.js";
import type { Table } from "./table.js";
import { forEachBlock } from "./value-blocks.js";

/**
 * Maximum number of cut points per column, and of all columns together unless each has the minimum: 1 MB of a model
 * file.
 */
const MAX_CUTS = 33;
const MAX_ALL_CUTS = 66_000;
const MIN_CUTS = 2;

const count = { min: 0, max: MOST_COUNTED };

const parts = {
  rows: positiveInteger,
  empty: nonNegativeInteger,
  missing: int32(["columns"], count),
  /** Cut points of the numeric columns; if a column has fewer, its last one is repeated. */
  cuts: float64(["numbers", "cuts"]),
  /** Numbers of cells below, at and between the cut points. */
  cells: int32(["numbers", ({ cuts = 0 }) => 2 * cuts + 1], count),
  /** Numbers of cells of each level and of all other levels, one categorical column after the other. */
  levels: int32(["levels"], count),
};

/**
 * Summary of the training rows in a model file. For each column of the schema, it contains the share of missing cells,
 * the range and quantiles of numbers, times or lengths of strings, or the shares of categories. `ShiftDetector`
 * compares new rows with it.
 */
export class TrainingProfile {
  /** Number of training rows. */
  readonly rows: number;
  /** Number of training rows without any present cell. */
  readonly empty: number;
  /** One for each column of the schema. */
  readonly columns: readonly ColumnProfile[];

  private constructor(rows: number, empty: number, columns: readonly ColumnProfile[]) {
    this.rows = rows;
    this.empty = empty;
    this.columns = columns;
  }

  /** Summarises the training rows, on threads if there are many; undefined without rows. */
  static *of(training: Table, schema: Schema): Pausable<TrainingProfile | undefined> {
    const { rows } = training;
    if (rows === 0 || rows > MOST_COUNTED) return undefined;
    const mostCuts = Math.floor(MAX_ALL_CUTS / schema.columns.length);
    const cuts = Math.max(MIN_CUTS, Math.min(MAX_CUTS, mostCuts));
    const { columns } = conform(training, schema);
    const profiles = yield* profilesOf(columns, schema.columns, cuts);
    const gaps = profiles.every(({ missing }) => missing > 0);
    return new TrainingProfile(rows, gaps ? emptyRows(columns, rows).length : 0, profiles);
  }

  toState(): State {
    const numbers = this.columns.filter((column) => column.kind === "numbers");
    const width = numbers.reduce((most, { cuts }) => Math.max(most, cuts.length), 0);
    const cuts = new Float64Array(numbers.length * width);
    const cells = new Int32Array(numbers.length * (2 * width + 1));
    numbers.forEach((column, k) => {
      const last = column.cuts.at(-1) ?? 0;
      cuts.fill(last, k * width, (k + 1) * width);
      cuts.set(column.cuts, k * width);
      cells.set(Array.from(column.counts), k * (2 * width + 1));
    });
    const levels = this.columns.flatMap((column) =>
      column.kind === "levels" ? Array.from(column.counts) : [],
    );
    const values = {
      rows: this.rows,
      empty: this.empty,
      missing: Int32Array.from(this.columns, ({ missing }) => missing),
      cuts,
      cells,
      levels: Int32Array.from(levels),
    };
    return writeParts(parts, values, { numbers: numbers.length, cuts: width });
  }

  /**
   * Restores the profile of a model with this schema from the result of `toState`; otherwise throws `model/corrupt`.
   */
  static restore(state: State, schema: Schema): TrainingProfile {
    const stored = readParts("profile", parts, state, { columns: schema.columns.length });
    const { rows, empty, missing } = stored;
    const areLevels = schema.columns.map(({ kind }) => kind === "categorical");
    const numbers = areLevels.filter((levels) => !levels).length;
    const width = numbers === 0 ? 0 : stored.cuts.length / numbers;
    const levelTotal = schema.columns.reduce(
      (sum, column, j) => sum + (areLevels[j] ? levelCount(column) + 1 : 0),
      0,
    );
    if (
      width > MAX_CUTS ||
      stored.cells.length !== numbers * (2 * width + 1) ||
      stored.levels.length !== levelTotal
    ) {
      throw corrupt("The profile is damaged: its columns do not match the model.");
    }
    let number = 0;
    let level = 0;
    const columns = schema.columns.map((column, j): ColumnProfile => {
      const present = rows - missing[j];
      if (areLevels[j]) {
        const counts = stored.levels.subarray(level, level + levelCount(column) + 1);
        level += counts.length;
        return checkedProfile({ kind: "levels", missing: missing[j], counts }, present, column);
      }
      const cuts = stored.cuts.subarray(number * width, (number + 1) * width);
      const cells = stored.cells.subarray(number * (2 * width + 1), (number + 1) * (2 * width + 1));
      number++;
      return checkedProfile(unpadded(cuts, cells, missing[j], present, column), present, column);
    });
    if (
      width > columns.reduce((most, one) => Math.max(most, one.kind === "numbers" ? one.cuts.length : 0), 0)
    ) {
      throw corrupt("The profile is damaged: no column has as many cut points as it has places for.");
    }
    if (missing.some((cells) => cells < empty)) {
      throw corrupt("The profile is damaged: it has more empty rows than missing cells.");
    }
    return new TrainingProfile(rows, empty, columns);
  }
}

/** Drops the repeats of the last cut point; only repeats may follow it, and only zeros if there are none. */
function unpadded(
  cuts: Float64Array,
  cells: Int32Array,
  missing: number,
  present: number,
  column: ColumnSchema,
): NumberProfile {
  const last = cuts.indexOf(cuts[cuts.length - 1]);
  const kept = present === 0 ? 0 : last + 1;
  const padding = kept === 0 ? 0 : cuts[kept - 1];
  if (cuts.subarray(kept).some((cut) => !Object.is(cut, padding))) throw damaged(column);
  if (cells.subarray(2 * kept + 1).some((cell) => cell > 0)) throw damaged(column);
  const own = cuts.subarray(0, kept);
  const counts = cells.subarray(0, 2 * kept + 1);
  return { kind: "numbers", missing, cuts: own, counts, bounds: boundsOf(own, column.kind) };
}

/** Checks that counts match the number of cells, and that cut points ascend from the minimum to the maximum. */
function checkedProfile<Profile extends NumberProfile | LevelProfile>(
  profile: Profile,
  present: number,
  column: ColumnSchema,
): Profile {
  const { kind, counts } = profile;
  let sum = 0;
  for (let k = 0; k < counts.length; k++) sum += counts[k];
  if (sum !== present) throw damaged(column);
  if (kind === "levels") return profile;
  const { cuts } = profile;
  const [least, most] = RANGES[column.kind];
  const outOfOrder = cuts.some((cut, k) => cut < least || cut > most || (k > 0 && !(cut > cuts[k - 1])));
  if (outOfOrder || counts[0] > 0 || counts[counts.length - 1] > 0) throw damaged(column);
  return profile;
}

/** Valid range of cut points for each kind of column. */
const RANGES: Readonly<Record<ColumnSchema["kind"], readonly [number, number]>> = {
  numeric: [-Number.MAX_VALUE, Number.MAX_VALUE],
  categorical: [0, 0],
  date: [-LAST_TIME, LAST_TIME],
  text: [0, MOST_COUNTED],
};

function damaged({ name }: ColumnSchema): Error {
  return corrupt(`The profile is damaged: the distribution of column "${name}" is impossible.`);
}

/** Lists the rows whose cells are missing in all columns. */
export function emptyRows(columns: readonly Column[], rows: number): number[] {
  const present = new Uint8Array(rows);
  for (const column of columns) {
    if (column.kind === "categorical") {
      for (let i = 0; i < rows; i++) if (column.codes[i] !== MISSING_LEVEL) present[i] = 1;
    } else {
      forEachBlock(column.values, (block, start) => {
        for (let i = 0; i < block.length; i++) if (!Number.isNaN(block[i])) present[start + i] = 1;
      });
    }
  }
  const empty: number[] = [];
  for (let i = 0; i < rows; i++) if (present[i] === 0) empty.push(i);
  return empty;
}
