import type { Encoder } from "../encode/encoder.js";
import type { Model } from "../learners/model.js";
import { Random } from "../runtime/maths/random.js";
import { checkpoint, completeRun, type Run } from "../runtime/parallel/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import {
  type CategoricalColumn,
  type Column,
  cellText,
  denseValues,
  type NumericColumn,
  numberAt,
} from "../table/column.js";
import { conform } from "../table/conform.js";
import type { ColumnSchema } from "../table/schema.js";
import { Table } from "../table/table.js";

/** Maximum number of points of a curve. */
const MAX_POINTS = 20;

/** Maximum number of rows that are predicted at each point. */
const MAX_ROWS = 500;

/** The scores if all rows had the same cell in a column. */
export interface EffectPoint {
  /** The number, or the text of the category. */
  readonly value: number | string;
  /** Mean score of each class over the rows. */
  readonly scores: readonly number[];
  /**
   * Standard error of each score, over the rows, of the distance from the mean over the points: 0 if the column changes
   * the score of all rows alike.
   */
  readonly se: readonly number[];
}

/** How the scores of a model depend on one column. */
export interface PartialEffect {
  readonly column: string;
  readonly kind: Column["kind"];
  /** Numbers in ascending order, or categories, most frequent first. */
  readonly points: readonly EffectPoint[];
}

/** Options of `partialEffects`. */
export interface EffectOptions {
  /** Columns; by default all that the model uses. */
  readonly columns?: readonly string[];
  /** Seed of the subsample of rows; by default the run's. */
  readonly seed?: number;
}

/**
 * Computes partial-effect curves (partial dependence, Friedman 2001, section 8.2): the mean score of each class over
 * the rows if all had the same cell in one column. A curve has up to 20 points: quantiles of numbers or dates, or the
 * most frequent categories. At most 500 rows, drawn at random, are used. Missing cells are not a point of a curve.
 *
 * Other columns keep their cells, so rows may be unrealistic if columns depend on each other.
 */
export async function partialEffects(
  model: Pick<Model, "scores" | "classes">,
  encoder: Encoder,
  table: Table,
  { columns = plottableColumns(encoder), seed }: EffectOptions = {},
  partialRun?: Partial<Run>,
): Promise<PartialEffect[]> {
  const run = completeRun(partialRun);
  if (table.rows === 0) throw new VouchError("data/no-rows", "There are no rows to compute effects on.");
  const used = encoder.schema.columns.map(({ name }) => name);
  const unknown = columns.find((name) => !used.includes(name));
  if (unknown !== undefined) {
    throw new VouchError("option/invalid", `The model does not use a column "${unknown}".`);
  }
  const own = new Table(
    table.name,
    table.rows,
    used.map((name) => table.column(name)),
  );
  const rows = own.select(drawnRows(table.rows, seed ?? run.seed));
  const effects: PartialEffect[] = [];
  for (const [c, name] of columns.entries()) {
    const column = rows.column(name);
    const cells = readCells(column, encoder.schema.columns[used.indexOf(name)], rows);
    const few = new Table("cells", rows.rows, [column]).select(cells);
    const scores: Float64Array[] = [];
    for (const p of cells.keys()) {
      run.progress({ stage: "effects", done: c + p / cells.length, total: columns.length });
      await checkpoint(run);
      const changed = rows.withColumn(few.select(new Int32Array(rows.rows).fill(p)).columns[0]);
      scores.push(Float64Array.from(model.scores(encoder.encode(changed)).values));
    }
    effects.push({
      column: name,
      kind: column.kind,
      points: pointsOf(column, cells, scores, model.classes.length),
    });
  }
  run.progress({ stage: "effects", done: columns.length, total: columns.length });
  return effects;
}

/** Lists the columns whose cells are ordered or repeat: all except free text. */
function plottableColumns({ schema }: Encoder): string[] {
  return schema.columns.filter(({ kind }) => kind !== "text").map(({ name }) => name);
}

/** Finds rows whose cells are points of the curve; dates have quantiles, too. */
function readCells(column: Column, expected: ColumnSchema, rows: Table): number[] {
  if (column.kind === "numeric") return quantileCells(column);
  if (expected.kind !== "date") return frequentCells(column);
  const [times] = conform(rows, { columns: [expected], target: "", classes: [] }).columns;
  return times.kind === "numeric" ? quantileCells(times) : [];
}

function drawnRows(rows: number, seed: number): Int32Array {
  const all = Int32Array.from({ length: rows }, (_, i) => i);
  return rows <= MAX_ROWS ? all : new Random(seed).shuffle(all).slice(0, MAX_ROWS).sort();
}

/**
 * Finds rows whose cells span the column: all distinct numbers if there are at most 20, otherwise quantiles of the
 * cells, 0, 1/19, … 1. If some quantiles are equal, quantiles of the distinct numbers are added, which cover the tail
 * of a column that is mostly 0.
 */
function quantileCells(column: NumericColumn): number[] {
  const values = denseValues(column.values);
  const present = Int32Array.from(values.keys()).filter((i) => !Number.isNaN(values[i]));
  const sorted = present.sort((a, b) => values[a] - values[b]);
  const distinct = sorted.filter((row, k) => k === 0 || values[row] !== values[sorted[k - 1]]);
  if (distinct.length <= MAX_POINTS) return [...distinct];
  const ascending = (rows: number[]) => {
    rows.sort((a, b) => values[a] - values[b]);
    return rows.filter((row, q) => q === 0 || values[row] !== values[rows[q - 1]]);
  };
  const quantiles = ascending(evenly(sorted, MAX_POINTS));
  return ascending([...quantiles, ...evenly(distinct, MAX_POINTS - quantiles.length)]);
}

/** Takes evenly spaced elements, from the first to the last. */
function evenly(list: Int32Array, count: number): number[] {
  const step = (list.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, q) => list[Math.round(q * step)]);
}

/** Finds one row of each of the most frequent categories. */
function frequentCells({ codes, levels }: CategoricalColumn): number[] {
  const counts = new Int32Array(levels.length);
  const firstRow = new Int32Array(levels.length).fill(-1);
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] < 0) continue;
    if (counts[codes[i]]++ === 0) firstRow[codes[i]] = i;
  }
  return Array.from(counts.keys())
    .filter((code) => counts[code] > 0)
    .sort((a, b) => counts[b] - counts[a])
    .slice(0, MAX_POINTS)
    .map((code) => firstRow[code]);
}

/** Averages the scores of the rows at each point; `scores` contains all rows and classes, point by point. */
function pointsOf(
  column: Column,
  cells: readonly number[],
  scores: readonly Float64Array[],
  classes: number,
): EffectPoint[] {
  const size = scores[0]?.length ?? 0;
  const rows = size / classes;
  const centres = new Float64Array(size);
  for (const own of scores) for (let k = 0; k < size; k++) centres[k] += own[k] / scores.length;
  return scores.map((own, p) => {
    const means = new Array<number>(classes).fill(0);
    const distances = new Array<number>(classes).fill(0);
    const squares = new Array<number>(classes).fill(0);
    for (let k = 0; k < size; k++) {
      means[k % classes] += own[k] / rows;
      distances[k % classes] += (own[k] - centres[k]) / rows;
    }
    for (let k = 0; k < size; k++)
      squares[k % classes] += (own[k] - centres[k] - distances[k % classes]) ** 2;
    const cell = cells[p];
    return {
      value: column.kind === "numeric" ? numberAt(column.values, cell) : cellText(column, cell),
      scores: means,
      se: squares.map((sum) => (rows < 2 ? 0 : Math.sqrt(sum / (rows - 1) / rows))),
    };
  });
}
