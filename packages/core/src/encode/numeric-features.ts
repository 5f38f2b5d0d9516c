import type { Pausable } from "../runtime/parallel/pausable.js";
import type { CategoricalColumn, NumericColumn } from "../table/column.js";
import { MISSING_LEVEL, OTHER_LEVELS, UNKNOWN_LEVEL } from "../table/levels.js";
import type { PlainColumnSchema } from "../table/schema.js";
import type { Table } from "../table/table.js";
import { notFinite } from "../table/value-blocks.js";
import { DroppedColumns, fitLevels } from "./dropped-columns.js";
import type { NumericEncoding } from "./encoder.js";
import { type ColumnMoments, momentsOfColumns } from "./moments.js";

/** Maximum number of one-hot features of a column, apart from the one of all rare categories. */
const MAX_LEVELS = 255;

/** Code of a feature that is the number itself, not a flag. */
export const NUMBER = -3;

/** One column of an encoded matrix. */
export interface NumericFeature {
  /** Index of its raw column in the schema. */
  readonly column: number;
  /**
   * `NUMBER`, or the flagged level: a level of the column, `MISSING_LEVEL`, or `UNKNOWN_LEVEL` for the group of rare levels.
   */
  readonly code: number;
  /** See `Moments`; 1 for a flag. */
  readonly scale: number;
  /**
   * Mean and standard deviation on the training rows, of the scaled numbers or of the 0/1 flag; the mean is 0 for numbers whose
   * zeros are kept, and the deviation the common one if there is one.
   */
  readonly mean: number;
  readonly deviation: number;
}

/** The features of all columns of the training rows. */
interface FittedFeatures {
  /** The columns that have features. */
  readonly columns: readonly PlainColumnSchema[];
  /** At least one per column, in the order of the columns. */
  readonly features: readonly NumericFeature[];
  readonly dropped: DroppedColumns;
}

/** Fits the features of every column of the training rows. */
export function* fitNumericFeatures(
  table: Table,
  { standardise }: Pick<NumericEncoding, "standardise">,
): Pausable<FittedFeatures> {
  const keepZeros = standardise === "keep-zeros";
  const columns: PlainColumnSchema[] = [];
  const features: NumericFeature[] = [];
  const dropped = new DroppedColumns();
  const moments = yield* momentsOfColumns(table.columns.filter((column) => column.kind === "numeric"));
  let next = 0;
  for (const column of table.columns) {
    const fitted =
      column.kind === "numeric"
        ? fitNumbers(table, column, moments[next++], columns.length, dropped, keepZeros)
        : fitCategories(column, columns.length, dropped);
    if (column.kind === "categorical") yield;
    if (!fitted) continue;
    columns.push(fitted.schema);
    for (const feature of fitted.features) features.push(feature);
  }
  return { columns, features: standardise === "common" ? withCommonDeviation(features) : features, dropped };
}

/** Gives all features the root mean square of their deviations. */
function withCommonDeviation(features: readonly NumericFeature[]): NumericFeature[] {
  const finite = (value: number) => Math.min(Number.MAX_VALUE, value);
  const deviations = features.map(({ deviation, scale }) => finite(deviation / scale));
  const largest = deviations.reduce((most, deviation) => Math.max(most, deviation), 0);
  // Relative to the largest one, no square overflows.
  const squares = deviations.reduce((sum, deviation) => sum + (deviation / largest) ** 2, 0);
  const common = largest * Math.sqrt(squares / features.length);
  return features.map((feature) => ({ ...feature, deviation: finite(common * feature.scale) }));
}

interface FittedColumn {
  readonly schema: PlainColumnSchema;
  readonly features: readonly NumericFeature[];
}

function fitNumbers(
  { name: table, rows }: Table,
  column: NumericColumn,
  { range, varying }: ColumnMoments,
  index: number,
  dropped: DroppedColumns,
  keepZeros: boolean,
): FittedColumn | undefined {
  const { name } = column;
  if (range.infinite !== undefined) throw notFinite(table, column, range.infinite);
  const features: NumericFeature[] = [];
  if (varying) {
    const unshifted = keepZeros && 2 * varying.zeros > rows - range.missing;
    features.push({ column: index, code: NUMBER, ...varying.moments, ...(unshifted && { mean: 0 }) });
  }
  if (range.missing > 0 && range.missing < rows) {
    features.push(flag(index, MISSING_LEVEL, range.missing / rows));
  }
  if (features.length > 0) return { schema: { kind: "numeric", name }, features };
  dropped.constant.push(name);
  return undefined;
}

function fitCategories(
  column: CategoricalColumn,
  index: number,
  dropped: DroppedColumns,
): FittedColumn | undefined {
  const fitted = fitLevels(column, { max: MAX_LEVELS, kept: MAX_LEVELS }, dropped);
  if (!fitted) return undefined;
  const { levels, counts, missing, others } = fitted;
  const rows = column.codes.length;
  let flags = counts.map((count, code) => flag(index, code, count / rows));
  if (others > 0) flags.push(flag(index, UNKNOWN_LEVEL, others / rows));
  // One of two flags that complement each other is enough.
  if (missing > 0) flags.push(flag(index, MISSING_LEVEL, missing / rows));
  if (flags.length === 2) flags = flags.slice(1);
  return { schema: { kind: "categorical", name: column.name, levels }, features: flags };
}

function flag(column: number, code: number, share: number): NumericFeature {
  return { column, code, scale: 1, mean: share, deviation: Math.sqrt(share * (1 - share)) };
}

/** Returns the name of a feature. */
export function featureName(column: PlainColumnSchema, code: number): string {
  if (code === NUMBER) return column.name;
  if (code === MISSING_LEVEL || column.kind === "numeric") return `${column.name} is missing`;
  return `${column.name}=${code === UNKNOWN_LEVEL ? OTHER_LEVELS : column.levels[code]}`;
}

/** Lists the numeric columns, by index, with missing training cells that became the mean; with zeros kept, they became 0. */
export function filledColumns(
  features: readonly NumericFeature[],
  { standardise }: NumericEncoding,
): number[] {
  const flagged = new Set(features.filter(({ code }) => code === MISSING_LEVEL).map(({ column }) => column));
  return features
    .filter(({ code, mean }) => code === NUMBER && !(standardise === "keep-zeros" && mean === 0))
    .map(({ column }) => column)
    .filter((column) => flagged.has(column));
}
