import { z } from "zod";
import type { State } from "../model/state.js";
import { BinnedEncoder, categoricalBins, numericBins } from "./binned-encoder.js";
import { corrupt, floats, integers, structure } from "./checked-state.js";
import { MISSING_LEVEL, UNKNOWN_LEVEL } from "./levels.js";
import { NumericEncoder } from "./numeric-encoder.js";
import { NUMBER, type NumericFeature } from "./numeric-features.js";
import { type ColumnSchema, schemaShape } from "./schema.js";

const notices = z.array(z.string());

const numericState = z.strictObject({
  kind: z.literal("numeric"),
  standardise: z.boolean(),
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

/** The encoder behind a state that `toState` gave; throws `model/corrupt` for anything else. */
export function restoreEncoder(state: State): NumericEncoder | BinnedEncoder {
  const json = structure(state, encoderState);
  return json.kind === "numeric" ? restoreNumeric(json, state) : restoreBinned(json, state);
}

function restoreNumeric(json: z.infer<typeof numericState>, state: State): NumericEncoder {
  const { standardise, precision, schema } = json;
  const column = integers(state, "column");
  const code = integers(state, "code", column.length);
  const scale = floats(state, "scale", column.length);
  const mean = floats(state, "mean", column.length);
  const deviation = floats(state, "deviation", column.length);
  const features = Array.from(column, (own, j): NumericFeature => {
    const feature = { column: own, code: code[j], scale: scale[j], mean: mean[j], deviation: deviation[j] };
    checkFeature(feature, schema.columns);
    return feature;
  });
  checkOrder(features, schema.columns);
  return new NumericEncoder({ kind: "numeric", standardise, precision }, schema, features, json.notices);
}

function checkFeature(feature: NumericFeature, columns: readonly ColumnSchema[]): void {
  const { code, scale, mean, deviation } = feature;
  const column = columns[feature.column];
  if (!column) throw corrupt(`there is no column ${feature.column}`);
  if (!hasCode(column, code)) throw corrupt(`column "${column.name}" has no code ${code}`);
  if (!isScale(scale) || !isScale(deviation)) throw corrupt("a scale is not a positive number");
  if (!Number.isFinite(mean)) throw corrupt("a mean is not a finite number");
  if (code !== NUMBER && !(scale === 1 && mean > 0 && mean < 1)) throw corrupt("a share is not below one");
}

function hasCode(column: ColumnSchema, code: number): boolean {
  if (code === MISSING_LEVEL) return true;
  if (column.kind === "numeric") return code === NUMBER;
  return code === UNKNOWN_LEVEL || (code >= 0 && code < column.levels.length);
}

/** Its inverse is finite as well: cells are multiplied by that. */
function isScale(value: number): boolean {
  return value > 0 && value < Number.POSITIVE_INFINITY && 1 / value < Number.POSITIVE_INFINITY;
}

/** Every column has features, they come in the order of the columns, and no feature comes twice. */
function checkOrder(features: readonly NumericFeature[], columns: readonly ColumnSchema[]): void {
  let current = -1;
  const codes = new Set<number>();
  for (const { column, code } of features) {
    if (column === current + 1) codes.clear();
    else if (column !== current) throw corrupt("features are out of order");
    if (codes.has(code)) throw corrupt(`column "${columns[column].name}" has a feature twice`);
    codes.add(code);
    current = column;
  }
  if (current !== columns.length - 1) throw corrupt("a column has no feature");
}

function restoreBinned(json: z.infer<typeof binnedState>, state: State): BinnedEncoder {
  const { maxBins, schema } = json;
  const counts = integers(state, "cutCounts", schema.columns.length);
  const cuts = floats(state, "cuts");
  const grouped = new Set(json.grouped);
  if (grouped.size !== json.grouped.length) throw corrupt("a column is grouped twice");
  let used = 0;
  const bins = schema.columns.map((column, j) => {
    const own = cuts.slice(used, used + counts[j]);
    if (own.length !== counts[j]) throw corrupt("cut points are missing");
    used += counts[j];
    const isGrouped = grouped.delete(j);
    const count = column.kind === "numeric" ? counts[j] + 1 : column.levels.length + (isGrouped ? 1 : 0);
    if (count > maxBins) throw corrupt(`column "${column.name}" has more than ${maxBins} bins`);
    if (column.kind === "categorical") {
      if (counts[j] > 0) throw corrupt(`column "${column.name}" has cut points, but holds categories`);
      return categoricalBins(column.name, column.levels, isGrouped);
    }
    if (isGrouped) throw corrupt(`column "${column.name}" is grouped, but holds numbers`);
    checkCuts(own);
    return numericBins(column.name, own);
  });
  if (grouped.size > 0 || used !== cuts.length) throw corrupt("there are bins of no column");
  return new BinnedEncoder({ kind: "binned", maxBins }, schema, bins, json.notices);
}

function checkCuts(cuts: Float64Array): void {
  for (let i = 0; i < cuts.length; i++) {
    if (!Number.isFinite(cuts[i]) || (i > 0 && cuts[i] <= cuts[i - 1])) {
      throw corrupt("cut points do not ascend");
    }
  }
}
