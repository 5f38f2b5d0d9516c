import { z } from "zod";
import { type State, StateReader } from "../runtime/state.js";
import { MISSING_LEVEL, UNKNOWN_LEVEL } from "../table/levels.js";
import { type ColumnSchema, schemaShape } from "../table/schema.js";
import { BinnedEncoder, categoricalBins, type FittedBins, numericBins } from "./binned-encoder.js";
import { NumericEncoder } from "./numeric-encoder.js";
import { NUMBER, type NumericFeature } from "./numeric-features.js";

const notices = z.array(z.string());

const numericState = z.strictObject({
  kind: z.literal("numeric"),
  standardise: z.union([z.boolean(), z.literal("keep-zeros")]),
  precision: z.enum(["f32", "f64"]),
  schema: schemaShape,
  notices,
});

const binnedState = z.strictObject({
  kind: z.literal("binned"),
  maxBins: z.int().min(2).max(255),
  schema: schemaShape,
  grouped: z.array(z.int().nonnegative()),
  notices,
});

const encoderState = z.discriminatedUnion("kind", [numericState, binnedState]);

/** Scales are powers of two or deviations of numbers near 1; the inverse of a smaller number is infinite. */
const SMALLEST_SCALE = 2 ** -1022;

/** The encoder behind a state that `toState` gave; throws `model/corrupt` for anything else. */
export function restoreEncoder(state: State): NumericEncoder | BinnedEncoder {
  const reader = new StateReader("encoder", state);
  const json = reader.json(encoderState);
  return json.kind === "numeric" ? restoreNumeric(json, reader) : restoreBinned(json, reader);
}

function restoreNumeric(json: z.infer<typeof numericState>, reader: StateReader): NumericEncoder {
  const { standardise, precision, schema } = json;
  const shape = [reader.length("column")];
  const column = reader.integers("column", shape, 0, schema.columns.length - 1);
  const code = reader.integers("code", shape);
  const scale = reader.numbers("scale", shape, SMALLEST_SCALE);
  const mean = reader.numbers("mean", shape);
  const deviation = reader.numbers("deviation", shape, SMALLEST_SCALE);
  reader.only("column", "code", "scale", "mean", "deviation");
  const features = Array.from(column, (own, j): NumericFeature => {
    const feature = { column: own, code: code[j], scale: scale[j], mean: mean[j], deviation: deviation[j] };
    checkFeature(feature, schema.columns[own], reader);
    return feature;
  });
  checkOrder(features, schema.columns, reader);
  return new NumericEncoder({ kind: "numeric", standardise, precision }, schema, features, json.notices);
}

function checkFeature(
  { code, scale, mean }: NumericFeature,
  column: ColumnSchema,
  reader: StateReader,
): void {
  if (!hasCode(column, code)) throw reader.corrupt(`column "${column.name}" has no code ${code}`);
  if (code !== NUMBER && !(scale === 1 && mean > 0 && mean < 1)) {
    throw reader.corrupt(`a flag of column "${column.name}" is not set in some rows only`);
  }
}

function hasCode(column: ColumnSchema, code: number): boolean {
  if (code === MISSING_LEVEL) return true;
  if (column.kind === "numeric") return code === NUMBER;
  return code === UNKNOWN_LEVEL || (code >= 0 && code < column.levels.length);
}

/** Every column has features, they come in the order of the columns, and no feature comes twice. */
function checkOrder(
  features: readonly NumericFeature[],
  columns: readonly ColumnSchema[],
  reader: StateReader,
): void {
  let current = -1;
  const codes = new Set<number>();
  for (const { column, code } of features) {
    if (column === current + 1) codes.clear();
    else if (column !== current) throw reader.corrupt("features are out of order");
    if (codes.has(code)) throw reader.corrupt(`column "${columns[column].name}" has a feature twice`);
    codes.add(code);
    current = column;
  }
  if (current !== columns.length - 1) throw reader.corrupt("a column has no feature");
}

function restoreBinned(json: z.infer<typeof binnedState>, reader: StateReader): BinnedEncoder {
  const { maxBins, schema } = json;
  const counts = reader.integers("cutCounts", [schema.columns.length], 0, maxBins - 1);
  const cuts = reader.numbers("cuts", [counts.reduce((sum, count) => sum + count, 0)]);
  reader.only("cuts", "cutCounts");
  const grouped = new Set(json.grouped);
  if (grouped.size !== json.grouped.length) throw reader.corrupt("a column is grouped twice");
  let used = 0;
  const bins = schema.columns.map((column, j) => {
    const own = cuts.slice(used, used + counts[j]);
    used += own.length;
    if (column.kind === "numeric") return restoreNumbers(column.name, own, reader);
    if (own.length > 0) throw reader.corrupt(`column "${column.name}" has cut points, but holds categories`);
    const isGrouped = grouped.delete(j);
    if (column.levels.length + Number(isGrouped) > maxBins) {
      throw reader.corrupt(`column "${column.name}" has more than ${maxBins} bins`);
    }
    return categoricalBins(column.name, column.levels, isGrouped);
  });
  if (grouped.size > 0) throw reader.corrupt("a column is grouped that holds no categories");
  return new BinnedEncoder({ kind: "binned", maxBins }, schema, bins, json.notices);
}

function restoreNumbers(name: string, cuts: Float64Array, reader: StateReader): FittedBins {
  for (let i = 1; i < cuts.length; i++) {
    if (cuts[i] <= cuts[i - 1]) throw reader.corrupt(`the cut points of column "${name}" do not ascend`);
  }
  return numericBins(name, cuts);
}
