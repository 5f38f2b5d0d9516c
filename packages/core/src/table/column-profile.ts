import { inParallel, type Pausable } from "../runtime/parallel/pausable.js";
import { definePureTask } from "../runtime/parallel/task.js";
import { type Column, keptCells, type NumericColumn } from "./column.js";
import { type CellSource, cellsFrom, numberSource, sharedSource, sourceLength } from "./column-cells.js";
import { CutSearch } from "./cut-search.js";
import { MISSING_LEVEL } from "./levels.js";
import type { ColumnSchema } from "./schema.js";
import { cellAt, type ReadableCells } from "./selected-values.js";
import { forEachBlock } from "./value-blocks.js";

/** Number of rows from which cut points are taken. All rows are counted between them. */
const SAMPLED_ROWS = 2048;

/** Relative distance at which numbers equal a cut point: 0.1 in single precision is 0.1 in double precision. */
const SINGLE_PRECISION = 2 ** -23;

/** The distribution of a column of numbers, of times, or of the lengths of strings. */
export interface NumberProfile {
  readonly kind: "numbers";
  readonly missing: number;
  /** Ascending, from the minimum to the maximum; empty if all cells are missing. */
  readonly cuts: Float64Array;
  /** Number of cells below the first cut, equal to it, between it and the second, equal to the second, and so on. */
  readonly counts: ArrayLike<number>;
  /** Bounds between these groups of cells; the number of bounds below a value is the index of its group. */
  readonly bounds: Float64Array;
}

/** The distribution of a column of categories. */
export interface LevelProfile {
  readonly kind: "levels";
  readonly missing: number;
  /** Number of cells of each level of the schema, and of all others. */
  readonly counts: ArrayLike<number>;
}

/** The distribution of one column of the training rows. */
export type ColumnProfile = NumberProfile | LevelProfile;

/**
 * Finds the bounds of the cells that equal each cut point. Times and lengths are integers; other numbers are rounded.
 */
export function boundsOf(cuts: Float64Array, kind: ColumnSchema["kind"]): Float64Array {
  const bounds = new Float64Array(2 * cuts.length);
  cuts.forEach((cut, k) => {
    const slack = kind === "numeric" ? Math.max(Math.abs(cut) * SINGLE_PRECISION, Number.MIN_VALUE) : 0.5;
    bounds[2 * k] = Math.max(cut - slack, k === 0 ? Number.NEGATIVE_INFINITY : bounds[2 * k - 1]);
    bounds[2 * k + 1] = cut + slack;
  });
  return bounds;
}

/** Returns the numbers of a conformed column: its values, or the lengths of its strings; undefined for categories. */
export function profiledNumbers(column: Column, expected: ColumnSchema): NumericColumn | undefined {
  if (column.kind === "numeric") return column;
  if (expected.kind !== "text") return undefined;
  const lengths = Float64Array.from(column.levels, (text) => text.length);
  const values = Float64Array.from(column.codes, (code) => (code < 0 ? Number.NaN : lengths[code]));
  return { kind: "numeric", name: column.name, values };
}

/** Summarises a conformed column by at most `mostCuts` cut points, or by its levels. */
export function profileOf(column: Column, expected: ColumnSchema, mostCuts: number): ColumnProfile {
  const numbers = profiledNumbers(column, expected);
  if (numbers) return numberProfile(numbers.values, expected.kind, mostCuts);
  const counts = new Float64Array(levelCount(expected) + 1);
  return {
    kind: "levels",
    missing: column.kind === "numeric" ? 0 : countLevelCodes(column.codes, counts),
    counts,
  };
}

/** Returns the number of levels that a column distinguishes. */
export function levelCount(expected: ColumnSchema): number {
  return expected.kind === "categorical" ? expected.levels.length : 0;
}

/**
 * Adds the cells of each level to `counts`, whose last element is for all other levels; returns the number of missing
 * cells.
 */
export function countLevelCodes(codes: Int32Array, counts: Float64Array): number {
  const others = counts.length - 1;
  let missing = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    if (code >= 0) counts[Math.min(code, others)]++;
    else if (code === MISSING_LEVEL) missing++;
    else counts[others]++;
  }
  return missing;
}

/** Approximate milliseconds per cell. */
const MILLISECONDS_PER_CELL = 1.5e-5;

/** Summarises conformed columns of a schema, on threads if there are many cells. */
export function* profilesOf(
  columns: readonly Column[],
  schema: readonly ColumnSchema[],
  mostCuts: number,
): Pausable<ColumnProfile[]> {
  const inputs = columns.map((column, j): ProfileInput | undefined => {
    const source = column.kind === "numeric" ? numberSource(column) : undefined;
    const { kind } = schema[j];
    return source && (kind === "numeric" || kind === "date") ? { source, kind, mostCuts } : undefined;
  });
  const dense = inputs.flatMap((input) => input ?? []);
  const cells = dense.reduce((sum, { source }) => sum + sourceLength(source), 0);
  const found = yield* inParallel(profileTask, dense, {
    milliseconds: cells * MILLISECONDS_PER_CELL,
    share: (input) => ({ ...input, source: sharedSource(input.source) }),
  });
  const profiles: ColumnProfile[] = [];
  let next = 0;
  for (const [j, input] of inputs.entries()) {
    profiles.push(input ? found[next++] : profileOf(columns[j], schema[j], mostCuts));
    if (!input) yield;
  }
  return profiles;
}

interface ProfileInput {
  readonly kind: "numeric" | "date";
  readonly source: CellSource;
  readonly mostCuts: number;
}

const profileTask = definePureTask("table/column-profile", ({ source, kind, mostCuts }: ProfileInput) =>
  numberProfile(cellsFrom(source), kind, mostCuts),
);

function numberProfile(values: ReadableCells, kind: ColumnSchema["kind"], mostCuts: number): NumberProfile {
  const kept = keptCells(values);
  const zeros = values.length - kept.length;
  let min = zeros > 0 ? 0 : Number.POSITIVE_INFINITY;
  let max = zeros > 0 ? 0 : Number.NEGATIVE_INFINITY;
  forEachBlock(kept, (block) => {
    for (let i = 0; i < block.length; i++) {
      if (block[i] < min) min = block[i];
      if (block[i] > max) max = block[i];
    }
  });
  const step = Math.max(1, Math.ceil(values.length / SAMPLED_ROWS));
  const sample: number[] = [];
  for (let row = 0; row < values.length; row += step) {
    const value = cellAt(values, row);
    if (!Number.isNaN(value)) sample.push(value);
  }
  // −0 is 0.
  const cuts =
    min > max ? new Float64Array(0) : cutsOf(Float64Array.from(sample).sort(), min + 0, max + 0, mostCuts);
  const bounds = boundsOf(cuts, kind);
  const search = cellSearch(bounds);
  const counts = new Float64Array(2 * cuts.length + 1);
  let missing = 0;
  forEachBlock(kept, (block) => {
    missing += countCells(block, search, counts);
  });
  if (zeros > 0) counts[search.cutsBelow(0)] += zeros;
  return { kind: "numbers", missing, cuts, counts, bounds };
}

/** Takes the minimum, the maximum, and between them all values that occur or, if there are too many, quantiles. */
function cutsOf(ascending: Float64Array, min: number, max: number, most: number): Float64Array {
  const inside = ascending.filter((value, i) => value > min && value < max && value !== ascending[i - 1]);
  const ends = min === max ? [min] : [min, max];
  if (inside.length + ends.length <= most) return Float64Array.from([...ends, ...inside]).sort();
  const quantiles = Array.from({ length: most - 2 }, (_, i) => {
    return ascending[Math.round(((i + 1) / (most - 1)) * (ascending.length - 1))];
  });
  return Float64Array.from(new Set([min, ...quantiles, max])).sort();
}

/** Prepares the search among the bounds of a profile. */
export function cellSearch(bounds: Float64Array): CutSearch {
  return new CutSearch(bounds, 8 * bounds.length + 1);
}

/** Counts values by the bounds of a profile, as in `NumberProfile.counts`; returns the number of missing ones. */
export function countCells(values: Float64Array, search: CutSearch, counts: Float64Array): number {
  let missing = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value)) missing++;
    else counts[search.cutsBelow(value)]++;
  }
  return missing;
}
