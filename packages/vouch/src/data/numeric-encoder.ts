import { VouchError } from "../error.js";
import type { Matrix } from "../numeric/matrix.js";
import { inOneGo, type Steps } from "../parallel/steps.js";
import type { State, Tensor } from "../state/state.js";
import { conform, conformNotices } from "./conform.js";
import type { Encoder, NumericEncoding, OnNotice } from "./encoder.js";
import { UNKNOWN_LEVEL } from "./levels.js";
import { featureName, fitNumericFeatures, type NumericFeature } from "./numeric-features.js";
import { type Schema, schemaToJson } from "./schema.js";
import type { Table } from "./table.js";
import type { Target } from "./target.js";
import { writeMatrix } from "./write-matrix.js";

/**
 * Raw columns as numbers in rows.
 *
 * - A number stays a number; a missing cell becomes the training mean. Where training had missing cells, a
 *   feature `NAME is missing` flags them; missing cells where training had none are not flagged.
 * - A column of categories becomes one 0/1 feature `NAME=LEVEL` per level: the 255 most frequent ones, and
 *   `NAME=(other)` for the rest, which levels that training did not see then belong to. Otherwise an unseen
 *   level, like a missing cell, has all of them 0.
 * - Two levels without missing cells are one feature, for the second level; there an unseen level or a
 *   missing cell gets the training mean.
 * - If asked for, every feature is then shifted and scaled to mean 0 and deviation 1, and cut at ±10¹⁵. If zeros are to be
 *   kept, a column of numbers of which more than half are 0 is only scaled, and a missing cell of it becomes 0; flags are
 *   only scaled, too.
 * - Constant columns, and columns with another category in every row, are left out with a notice.
 */
export class NumericEncoder implements Encoder<Matrix> {
  readonly encoding: NumericEncoding;
  readonly schema: Schema;
  readonly featureNames: readonly string[];
  readonly featureColumns: readonly number[];
  readonly notices: readonly string[];
  readonly #features: readonly NumericFeature[];
  /** Names of the columns that have a feature for all levels besides those of the schema. */
  readonly #grouped: ReadonlySet<string>;

  constructor(
    encoding: NumericEncoding,
    schema: Schema,
    features: readonly NumericFeature[],
    notices: readonly string[],
  ) {
    this.encoding = encoding;
    this.schema = schema;
    this.notices = notices;
    this.#features = features;
    const grouped = features.filter(({ code }) => code === UNKNOWN_LEVEL);
    this.#grouped = new Set(grouped.map(({ column }) => schema.columns[column].name));
    this.featureColumns = features.map(({ column }) => column);
    this.featureNames = features.map(({ column, code }) => featureName(schema.columns[column], code));
  }

  /** Fits the encoder to training rows. */
  static *fit(
    features: Table,
    { target, classes }: Target,
    encoding: NumericEncoding,
  ): Steps<NumericEncoder> {
    if (features.rows === 0) throw new VouchError("data/no-rows", `${features.name} has no rows.`);
    const { columns, features: made, leftOut } = yield* fitNumericFeatures(features, encoding);
    if (columns.length === 0) throw leftOut.nothingLeft(features);
    return new NumericEncoder(encoding, { columns, target, classes }, made, leftOut.notices());
  }

  encode(table: Table, onNotice?: OnNotice): Matrix {
    return inOneGo(this.encodeInSteps(table, onNotice));
  }

  *encodeInSteps(table: Table, onNotice?: OnNotice): Steps<Matrix> {
    const { columns, extra, unknown } = conform(table, this.schema);
    if (onNotice) {
      const lost = unknown.filter(({ column }) => !this.#grouped.has(column));
      conformNotices({ extra, unknown: lost }).forEach(onNotice);
    }
    return yield* writeMatrix(table, columns, this.#features, this.encoding);
  }

  toState(): State {
    const { encoding, schema, notices } = this;
    const features = this.#features;
    const tensor = (data: Tensor["data"]): Tensor => ({ shape: [features.length], data });
    return {
      json: {
        kind: "numeric",
        standardise: encoding.standardise,
        precision: encoding.precision ?? "f64",
        schema: schemaToJson(schema),
        notices,
      },
      tensors: {
        column: tensor(Int32Array.from(features, (feature) => feature.column)),
        code: tensor(Int32Array.from(features, (feature) => feature.code)),
        scale: tensor(Float64Array.from(features, (feature) => feature.scale)),
        mean: tensor(Float64Array.from(features, (feature) => feature.mean)),
        deviation: tensor(Float64Array.from(features, (feature) => feature.deviation)),
      },
    };
  }
}
