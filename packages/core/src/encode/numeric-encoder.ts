import * as z from "zod";
import { readParts, writeParts } from "../runtime/codec/parts.js";
import { corrupt, type State } from "../runtime/codec/state.js";
import { records } from "../runtime/codec/tensor-parts.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import type { SparseRows } from "../runtime/maths/sparse-rows.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { VouchError } from "../runtime/vouch-error.js";
import { conform, conformPart } from "../table/conform.js";
import { MISSING_LEVEL, UNKNOWN_LEVEL } from "../table/levels.js";
import {
  categoricalNames,
  type PlainColumnSchema,
  type PlainSchema,
  plainSchemaShape,
} from "../table/schema.js";
import type { MatchCollector } from "../table/schema-match.js";
import type { Table } from "../table/table.js";
import { type Target, targetOnly } from "../table/target.js";
import {
  type Encoder,
  encodeWithNotices,
  type NumericEncoding,
  type OnNotice,
  type SparseEncoding,
} from "./encoder.js";
import type { NumericSteps } from "./encoding-steps.js";
import type { LearnedEncoding } from "./learned-encoding.js";
import { cellsOf, featureCells } from "./numeric-cells.js";
import {
  featureName,
  filledColumns,
  fitNumericFeatures,
  NUMBER,
  type NumericFeature,
} from "./numeric-features.js";
import { writeMatrix } from "./write-matrix.js";
import { isLargeSparseTable, isMostlyZero, writeSparseRows } from "./write-sparse-rows.js";

/** Scales are powers of two, or deviations of numbers near 1; the inverse of a smaller number is infinite. */
const MIN_SCALE = 2 ** -1022;

const parts = {
  kind: z.literal("numeric"),
  standardise: z.union([z.boolean(), z.enum(["keep-zeros", "common"])]),
  precision: z.enum(["f32", "f64"]),
  schema: plainSchemaShape,
  notices: z.array(z.string()).readonly(),
  features: records("features", {
    column: { type: "int32", min: 0 },
    code: { type: "int32" },
    scale: { type: "float64", min: MIN_SCALE },
    mean: { type: "float64" },
    deviation: { type: "float64", min: MIN_SCALE },
  }),
};

/**
 * Encodes raw columns as numbers in rows.
 *
 * - A number stays a number; a missing cell becomes the training mean. If the training rows have missing cells, a feature
 *   `NAME is missing` flags them; otherwise missing cells are not flagged.
 * - A column of categories becomes one 0/1 feature `NAME=LEVEL` for each of the 255 most frequent levels, and `NAME=(other)`
 *   for the rest, unseen levels included. Without a rest, all features of an unseen level or a missing cell are 0.
 * - Two levels without missing cells become one feature, for the second level; an unseen level or a missing cell gets the
 *   training mean.
 * - With `standardise`, every feature is then shifted and scaled to mean 0 and deviation 1, and clipped at ±10¹⁵. With
 *   "keep-zeros", a numeric column of which more than half of the cells are 0 is only scaled, and its missing cells become 0;
 *   flags are only scaled, too. With "common", every feature is shifted, and all are divided by the same number.
 * - Constant columns, and columns with a different category in every row, are left out with a notice.
 *
 * The rows of a table with sparse columns are sparse if most of their features are zero, and all learners may get them:
 * `featuresFor` makes a matrix for those that need one. The numbers are the same either way.
 */
export class NumericEncoder implements Encoder<Matrix | SparseRows> {
  readonly encoding: NumericEncoding;
  readonly schema: PlainSchema;
  readonly featureNames: readonly string[];
  readonly featureColumns: readonly number[];
  readonly learned: LearnedEncoding;
  readonly notices: readonly string[];
  readonly #features: readonly NumericFeature[];
  /** Names of columns with a feature for all levels apart from those of the schema. */
  readonly #grouped: ReadonlySet<string>;
  readonly #mayBeSparse: boolean;

  constructor(
    { sparse, ...encoding }: NumericEncoding | SparseEncoding,
    schema: PlainSchema,
    features: readonly NumericFeature[],
    notices: readonly string[],
  ) {
    this.encoding = encoding;
    this.#mayBeSparse = sparse === true;
    this.schema = schema;
    this.learned = {
      categories: categoricalNames(schema),
      filled: filledColumns(features, encoding).map((column) => schema.columns[column].name),
      words: [],
      dates: [],
    };
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
    target: Target,
    encoding: NumericEncoding | SparseEncoding,
  ): Pausable<NumericEncoder> {
    if (features.rows === 0) throw new VouchError("data/no-rows", `${features.name} has no rows.`);
    const own = encodingFor(features, encoding);
    const { columns, features: made, dropped } = yield* fitNumericFeatures(features, own);
    if (columns.length === 0) throw dropped.nothingLeft(features);
    return new NumericEncoder(own, { columns, ...targetOnly(target) }, made, dropped.notices());
  }

  encode(table: Table, onNotice?: OnNotice): Matrix | SparseRows {
    return runNow(encodeWithNotices(this, table, onNotice));
  }

  *encodeInSteps(table: Table, match?: MatchCollector): Pausable<Matrix | SparseRows> {
    const conformed = match ? conformPart(table, this.schema) : conform(table, this.schema);
    const { columns, unknown } = conformed;
    match?.add({ ...conformed, unknown: unknown.filter(({ column }) => !this.#grouped.has(column)) });
    const { precision = "f64" } = this.encoding;
    const cells = cellsOf(columns, this.#features, this.encoding);
    const encoded = { name: table.name, rows: table.rows, cells, width: this.#features.length };
    const sparse = this.#mayBeSparse && isMostlyZero(encoded);
    return sparse ? yield* writeSparseRows(encoded, precision) : yield* writeMatrix(encoded, precision);
  }

  steps(): NumericSteps {
    const { columns } = this.schema;
    const cells = featureCells(columns.length, this.#features, this.encoding);
    const { precision = "f64" } = this.encoding;
    return { kind: "numeric", columns, cells, width: this.#features.length, precision };
  }

  toState(): State {
    const { encoding, schema, notices } = this;
    const { standardise, precision = "f64" } = encoding;
    const values = {
      kind: "numeric" as const,
      standardise,
      precision,
      schema,
      notices,
      features: this.#features,
    };
    return writeParts(parts, values, {});
  }

  /** Restores an encoder from the result of `toState`; throws `model/corrupt` for anything else. */
  static restore(state: State): NumericEncoder {
    const { standardise, precision, schema, notices, features } = readParts("encoder", parts, state, {});
    const fault = faultOf(features, schema.columns);
    if (fault !== undefined) throw corrupt(`The encoder is damaged: ${fault}.`);
    // A restored encoder does not know its learner.
    const encoding = { kind: "numeric", standardise, precision, sparse: true } as const;
    return new NumericEncoder(encoding, schema, features, notices);
  }
}

/** Decides whether the rows of a table are sparse if only large ones are to be. */
function encodingFor(
  table: Table,
  encoding: NumericEncoding | SparseEncoding,
): NumericEncoding | SparseEncoding {
  if (encoding.sparse !== "large") return encoding;
  const { sparse: _, ...dense } = encoding;
  // With a common deviation, every feature is shifted.
  if (encoding.standardise === "common" || !isLargeSparseTable(table)) return dense;
  return { ...dense, standardise: encoding.standardise ? "keep-zeros" : false, sparse: true };
}

/** Says what is wrong with restored features: all columns must have features, in order, and no feature twice. */
function faultOf(
  features: readonly NumericFeature[],
  columns: readonly PlainColumnSchema[],
): string | undefined {
  let current = -1;
  const codes = new Set<number>();
  for (const { column, code, scale, mean } of features) {
    if (column === current + 1 && column < columns.length) codes.clear();
    else if (column !== current) return "features are out of order";
    const { name } = columns[column];
    if (!hasCode(columns[column], code)) return `column "${name}" has no code ${code}`;
    if (code !== NUMBER && !(scale === 1 && mean > 0 && mean < 1)) {
      return `a flag of column "${name}" is not set in some rows only`;
    }
    if (codes.has(code)) return `column "${name}" has a feature twice`;
    codes.add(code);
    current = column;
  }
  return current === columns.length - 1 ? undefined : "a column has no feature";
}

function hasCode(column: PlainColumnSchema, code: number): boolean {
  if (code === MISSING_LEVEL) return true;
  if (column.kind === "numeric") return code === NUMBER;
  return code === UNKNOWN_LEVEL || (code >= 0 && code < column.levels.length);
}
