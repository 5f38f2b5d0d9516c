import * as z from "zod";
import { readParts, writeParts } from "../runtime/codec/parts.js";
import { nonNegativeInteger } from "../runtime/codec/schema-numbers.js";
import { corrupt, type State } from "../runtime/codec/state.js";
import { float64, int32 } from "../runtime/codec/tensor-parts.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { sharedBytes } from "../runtime/parallel/shared-array.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { CategoricalColumn, NumericColumn } from "../table/column.js";
import { conform, conformPart } from "../table/conform.js";
import { type LevelCounts, OTHER_LEVELS, UNKNOWN_LEVEL } from "../table/levels.js";
import {
  categoricalNames,
  type PlainColumnSchema,
  type PlainSchema,
  plainSchemaShape,
} from "../table/schema.js";
import type { MatchCollector } from "../table/schema-match.js";
import type { Table } from "../table/table.js";
import { type Target, targetOnly } from "../table/target.js";
import { type CheckedRange, notFinite } from "../table/value-blocks.js";
import { type NumbersToBin, writeBinsOf } from "./bin-search.js";
import { BinnedColumns, type BinnedFeature, checkMaxBins, MISSING_BIN } from "./binned-columns.js";
import { binLimit } from "./bins.js";
import { type ColumnCuts, cutPointsOf } from "./cut-points.js";
import { DroppedColumns, fitCountedLevels, fitLevels } from "./dropped-columns.js";
import { type BinnedEncoding, type Encoder, encodeWithNotices, type OnNotice } from "./encoder.js";
import type { BinnedSteps } from "./encoding-steps.js";
import type { LearnedEncoding } from "./learned-encoding.js";

const parts = {
  kind: z.literal("binned"),
  maxBins: binLimit,
  schema: plainSchemaShape,
  /** Indices of columns with a bin for all rare categories. */
  grouped: z.array(nonNegativeInteger).readonly(),
  notices: z.array(z.string()).readonly(),
  cutCounts: int32(["columns"], { min: 0 }),
  /** The cuts of all columns, one after the other. */
  cuts: float64(["cuts"]),
};

/** Facts of a raw column, from which its bins follow: cuts of numbers, or counts of categories. */
export type CountedColumn = { readonly name: string } & (ColumnCuts | { readonly counts: LevelCounts });

/** How one raw column is binned. */
interface FittedBins {
  readonly column: PlainColumnSchema;
  readonly feature: BinnedFeature;
}

/**
 * Encodes raw columns as one byte per cell, for trees.
 *
 * - Numbers fall into at most `maxBins` bins with about equally many training rows each (see `cutPoints`).
 * - Categories have one bin each. If there are more than `maxBins`, all but the `maxBins` − 1 most frequent ones share the bin
 *   `(other)`, and so do unseen categories. Otherwise an unseen category gets the bin of missing cells.
 * - Missing cells have bin 255 in every column.
 * - Constant columns (unless `constants` is "keep"), and columns with a different category in every row, are left out with a
 *   notice.
 */
export class BinnedEncoder implements Encoder<BinnedColumns> {
  readonly encoding: BinnedEncoding;
  readonly schema: PlainSchema;
  readonly featureNames: readonly string[];
  /** Each column has one feature. */
  readonly featureColumns: readonly number[];
  readonly learned: LearnedEncoding;
  readonly notices: readonly string[];
  readonly #features: readonly BinnedFeature[];

  constructor(
    encoding: BinnedEncoding,
    target: Target,
    bins: readonly FittedBins[],
    notices: readonly string[],
  ) {
    this.encoding = encoding;
    this.schema = { columns: bins.map(({ column }) => column), ...targetOnly(target) };
    this.learned = { categories: categoricalNames(this.schema), filled: [], words: [], dates: [] };
    this.notices = notices;
    this.#features = bins.map(({ feature }) => feature);
    this.featureNames = this.#features.map(({ name }) => name);
    this.featureColumns = bins.map((_, j) => j);
  }

  /** Fits the encoder to training rows. */
  static *fit(features: Table, target: Target, encoding: BinnedEncoding): Pausable<BinnedEncoder> {
    if (features.rows === 0) throw new VouchError("data/no-rows", `${features.name} has no rows.`);
    checkMaxBins(encoding.maxBins);
    const dropped = new DroppedColumns();
    const bins: FittedBins[] = [];
    const numeric = features.columns.filter((column) => column.kind === "numeric");
    const cuts = yield* cutPointsOf(numeric, encoding.maxBins);
    let next = 0;
    for (const column of features.columns) {
      const fitted =
        column.kind === "numeric"
          ? fitNumbers(features, column, cuts[next++], encoding, dropped)
          : fitCategories(column, encoding.maxBins, dropped);
      if (fitted) bins.push(fitted);
      if (column.kind === "categorical") yield;
    }
    if (bins.length === 0) throw dropped.nothingLeft(features);
    return new BinnedEncoder(encoding, target, bins, dropped.notices());
  }

  /** Makes the encoder that `fit` would find from facts of its columns, which may come from several tables. */
  static of(
    table: Pick<Table, "name" | "rows">,
    columns: readonly CountedColumn[],
    target: Target,
    encoding: BinnedEncoding,
  ): BinnedEncoder {
    if (table.rows === 0) throw new VouchError("data/no-rows", `${table.name} has no rows.`);
    checkMaxBins(encoding.maxBins);
    const dropped = new DroppedColumns();
    const limits = { max: encoding.maxBins, kept: encoding.maxBins - 1 };
    const bins = columns.flatMap((facts) => {
      const { name } = facts;
      if ("cuts" in facts) {
        if (varies(facts.range, table.rows) || encoding.constants === "keep")
          return [numericBins(name, facts.cuts)];
        dropped.constant.push(name);
        return [];
      }
      const fitted = fitCountedLevels(name, facts.counts, limits, dropped);
      return fitted ? [categoricalBins(name, fitted.levels, fitted.others > 0)] : [];
    });
    if (bins.length === 0) throw dropped.nothingLeft(table);
    return new BinnedEncoder(encoding, target, bins, dropped.notices());
  }

  encode(table: Table, onNotice?: OnNotice): BinnedColumns {
    return runNow(encodeWithNotices(this, table, onNotice));
  }

  *encodeInSteps(table: Table, match?: MatchCollector): Pausable<BinnedColumns> {
    const conformed = match ? conformPart(table, this.schema) : conform(table, this.schema);
    const { columns, unknown } = conformed;
    if (match) {
      const grouped = new Set(this.#features.filter((_, j) => this.#isGrouped(j)).map(({ name }) => name));
      match.add({ ...conformed, unknown: unknown.filter(({ column }) => !grouped.has(column)) });
    }
    const bins = sharedBytes(table.rows * columns.length);
    const numbers: NumbersToBin[] = [];
    for (const [j, column] of columns.entries()) {
      const feature = this.#features[j];
      const cells = bins.subarray(j * table.rows, (j + 1) * table.rows);
      if (column.kind === "numeric" && feature.kind === "numeric") {
        numbers.push({ column, cuts: feature.cuts, bins: cells });
      } else if (column.kind === "categorical" && feature.kind === "categorical") {
        writeLevelBins(column, this.#isGrouped(j) ? feature.levels.length - 1 : MISSING_BIN, cells);
        yield;
      }
    }
    yield* writeBinsOf(table.name, numbers);
    return new BinnedColumns(table.rows, this.#features, bins);
  }

  steps(): BinnedSteps {
    return { kind: "binned", columns: this.schema.columns, features: this.#features };
  }

  toState(): State {
    const cuts = this.#features.map((feature) => (feature.kind === "numeric" ? feature.cuts : NO_CUTS));
    const total = cuts.reduce((sum, own) => sum + own.length, 0);
    const joined = new Float64Array(total);
    cuts.reduce((at, own) => {
      joined.set(own, at);
      return at + own.length;
    }, 0);
    const values = {
      kind: "binned" as const,
      maxBins: this.encoding.maxBins,
      schema: this.schema,
      grouped: Array.from(this.#features.keys()).filter((j) => this.#isGrouped(j)),
      notices: this.notices,
      cutCounts: Int32Array.from(cuts, (own) => own.length),
      cuts: joined,
    };
    return writeParts(parts, values, {});
  }

  /** Restores an encoder from the result of `toState`; throws `model/corrupt` for anything else. */
  static restore(state: State): BinnedEncoder {
    const { maxBins, schema, grouped, notices, cutCounts, cuts } = readParts("encoder", parts, state, {});
    const { columns } = schema;
    if (cutCounts.length !== columns.length) throw damaged("it has cut points for other columns");
    if (cutCounts.reduce((sum, count) => sum + count, 0) !== cuts.length) {
      throw damaged("its cut points do not add up");
    }
    const groupedColumns = new Set(grouped);
    if (groupedColumns.size !== grouped.length) throw damaged("a column is grouped twice");
    if (grouped.some((j) => columns[j]?.kind !== "categorical")) {
      throw damaged("a column without categories is grouped");
    }
    let used = 0;
    const bins = columns.map((column, j) => {
      const own = cuts.slice(used, used + cutCounts[j]);
      used += own.length;
      const restored =
        column.kind === "numeric"
          ? numericBins(column.name, own)
          : categoricalBins(column.name, column.levels, groupedColumns.has(j));
      checkBins(restored.feature, own, maxBins);
      return restored;
    });
    return new BinnedEncoder({ kind: "binned", maxBins }, schema, bins, notices);
  }

  /** Tells whether column j has a bin for all levels apart from those of the schema. */
  #isGrouped(j: number): boolean {
    const column = this.schema.columns[j];
    const feature = this.#features[j];
    return (
      column.kind === "categorical" &&
      feature.kind === "categorical" &&
      feature.levels.length > column.levels.length
    );
  }
}

/** Writes the code of every cell as its bin; unknown levels get `unknownBin`. */
function writeLevelBins({ codes }: CategoricalColumn, unknownBin: number, bins: Uint8Array): void {
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    bins[i] = code >= 0 ? code : code === UNKNOWN_LEVEL ? unknownBin : MISSING_BIN;
  }
}

const NO_CUTS = new Float64Array(0);

/** Makes the feature of a column of categories; if rare levels are grouped, they share the last bin. */
function categoricalBins(name: string, levels: readonly string[], grouped: boolean): FittedBins {
  return {
    column: { kind: "categorical", name, levels },
    feature: { kind: "categorical", name, levels: grouped ? [...levels, OTHER_LEVELS] : levels },
  };
}

function numericBins(name: string, cuts: Float64Array): FittedBins {
  return { column: { kind: "numeric", name }, feature: { kind: "numeric", name, cuts } };
}

function fitNumbers(
  { name: table, rows }: Table,
  column: NumericColumn,
  { range, cuts }: ColumnCuts,
  { constants }: BinnedEncoding,
  dropped: DroppedColumns,
): FittedBins | undefined {
  const { name } = column;
  if (range.infinite !== undefined) throw notFinite(table, column, range.infinite);
  if (varies(range, rows) || constants === "keep") return numericBins(name, cuts);
  dropped.constant.push(name);
  return undefined;
}

function varies({ min, max, missing }: CheckedRange, rows: number): boolean {
  return min < max || (missing > 0 && missing < rows);
}

function fitCategories(
  column: CategoricalColumn,
  maxBins: number,
  dropped: DroppedColumns,
): FittedBins | undefined {
  const fitted = fitLevels(column, { max: maxBins, kept: maxBins - 1 }, dropped);
  return fitted && categoricalBins(column.name, fitted.levels, fitted.others > 0);
}

/** Checks a restored feature. */
function checkBins(feature: BinnedFeature, cuts: Float64Array, maxBins: number): void {
  const { kind, name } = feature;
  if (kind === "categorical" && cuts.length > 0) {
    throw damaged(`column "${name}" has cut points, but holds categories`);
  }
  const bins = kind === "categorical" ? feature.levels.length : cuts.length + 1;
  if (bins > maxBins) throw damaged(`column "${name}" has more than ${maxBins} bins`);
  for (let i = 1; i < cuts.length; i++) {
    if (cuts[i] <= cuts[i - 1]) throw damaged(`the cut points of column "${name}" do not ascend`);
  }
}

function damaged(fault: string): VouchError {
  return corrupt(`The encoder is damaged: ${fault}.`);
}
