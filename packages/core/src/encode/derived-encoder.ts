import * as z from "zod";
import { list, optional, readParts, writeParts } from "../runtime/codec/parts.js";
import { nonNegativeInteger } from "../runtime/codec/schema-numbers.js";
import { corrupt, jsonText, type State } from "../runtime/codec/state.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import type { Column } from "../table/column.js";
import { conform, conformPart, unusedColumns } from "../table/conform.js";
import { type ColumnSchema, type Schema, schemaShape } from "../table/schema.js";
import type { MatchCollector, MatchFacts } from "../table/schema-match.js";
import { checkTable, Table } from "../table/table.js";
import type { Target } from "../table/target.js";
import { BinnedEncoder } from "./binned-encoder.js";
import { binLimit } from "./bins.js";
import { deriveColumns, type Origin, originShape } from "./derived-columns.js";
import {
  type BinnedEncoding,
  type Encoder,
  encodeWithNotices,
  type NumericEncoding,
  type OnNotice,
  type SingleEncoding,
  type SparseEncoding,
} from "./encoder.js";
import type { DerivedSteps } from "./encoding-steps.js";
import { type FittedColumns, fitDerivedColumns } from "./fit-derived-columns.js";
import type { SingleFeatures } from "./joint-features.js";
import type { LearnedEncoding } from "./learned-encoding.js";
import { nestedPlainEncoder, type PlainEncoder } from "./plain-encoder.js";
import { joinBlocks, textBlockPart } from "./text-block.js";

const parts = {
  kind: z.literal("derived"),
  encoding: z.discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("numeric"),
      standardise: z.union([z.boolean(), z.enum(["keep-zeros", "common"])]),
      precision: z.enum(["f32", "f64"]).exactOptional(),
      sparse: z.boolean().exactOptional(),
    }),
    z.strictObject({
      kind: z.literal("binned"),
      maxBins: binLimit,
      constants: z.literal("keep").exactOptional(),
    }),
  ]),
  schema: schemaShape,
  notices: z.array(z.string()).readonly(),
  /** Columns of dates without some part. */
  partial: z.array(nonNegativeInteger).readonly(),
  /** The origin of each column of `plain`. */
  origins: z.array(originShape).readonly(),
  /** Absent if sparse rows have n-grams only. */
  plain: optional(nestedPlainEncoder),
  texts: list(textBlockPart),
};

/**
 * Encodes tables with dates and text. Both become columns of numbers, which an encoder of numbers and categories takes:
 *
 * - A date becomes the days since the first day of the training rows, and its year, month, weekday and hour in UTC, as far as
 *   they vary in the training rows. A cell that is not a date is missing.
 * - A text becomes the logarithm of its number of words, and the number of times that it has each of the 256 words and pairs of
 *   words that contrast the training rows most (see `fitVocabulary`).
 * - With `sparse`, a text becomes tf-idf of up to 16,384 words and pairs of words instead, after the other features in sparse
 *   rows.
 */
export class DerivedEncoder implements Encoder<SingleFeatures> {
  readonly encoding: SettledEncoding;
  readonly schema: Schema;
  readonly featureNames: readonly string[];
  readonly featureColumns: readonly number[];
  readonly learned: LearnedEncoding;
  readonly notices: readonly string[];
  readonly #fitted: FittedColumns;

  private constructor(encoding: SettledEncoding, fitted: FittedColumns) {
    this.encoding = encoding;
    this.#fitted = fitted;
    const { schema, plain, origins, texts, notices, partial } = fitted;
    this.schema = schema;
    this.notices = notices;
    const nameOf = (column: number) => schema.columns[column].name;
    this.featureNames = [
      ...(plain?.featureNames ?? []),
      ...texts.flatMap(({ column, ngrams }) => ngrams.map((ngram) => `${nameOf(column)} "${ngram}"`)),
    ];
    this.featureColumns = [
      ...(plain?.featureColumns.map((derived) => origins[derived].column) ?? []),
      ...texts.flatMap(({ column, ngrams }) => ngrams.map(() => column)),
    ];
    const rawOf = new Map(plain?.schema.columns.map(({ name }, k) => [name, nameOf(origins[k].column)]));
    this.learned = {
      categories: plain?.learned.categories ?? [],
      filled: [...new Set(plain?.learned.filled.map((name) => rawOf.get(name) ?? name))],
      words: schema.columns.filter(({ kind }) => kind === "text").map(({ name }) => name),
      dates: partial.map(nameOf),
    };
  }

  /** Fits the encoder to training rows. */
  static *fit(features: Table, target: Target, encoding: SingleEncoding): Pausable<DerivedEncoder> {
    return new DerivedEncoder(settled(encoding), yield* fitDerivedColumns(features, target, encoding));
  }

  encode(table: Table, onNotice?: OnNotice): SingleFeatures {
    return runNow(encodeWithNotices(this, table, onNotice));
  }

  *encodeInSteps(table: Table, match?: MatchCollector): Pausable<SingleFeatures> {
    checkTable(table);
    const { schema, plain, texts } = this.#fitted;
    const extra = unusedColumns(table, schema);
    const { raw, conformed } = rawColumns(table, schema, match !== undefined);
    match?.add({ ...conformed, extra });
    const features = plain && (yield* this.#encodePlain(plain, table, raw, match));
    if (texts.length === 0 && features) return features;
    if (features && !("values" in features)) throw new TypeError("Bins cannot be joined with texts.");
    const blocks = texts.flatMap((block) => {
      const column = raw[block.column];
      return column.kind === "categorical" ? [{ column, block }] : [];
    });
    return yield* joinBlocks(features, table.rows, blocks);
  }

  *#encodePlain(
    plain: PlainEncoder,
    table: Table,
    raw: readonly Column[],
    match: MatchCollector | undefined,
  ): Pausable<ReturnType<PlainEncoder["encode"]>> {
    const named = plain.schema.columns.map(({ name }, k) => ({ name, origin: this.#fitted.origins[k] }));
    const columns = yield* deriveColumns(raw, named);
    const derived = new Table(table.name, table.rows, columns, table.firstRow);
    return yield* plain.encodeInSteps(derived, match);
  }

  steps(): DerivedSteps {
    const { plain, origins, texts } = this.#fitted;
    const ngrams = texts.reduce((sum, block) => sum + block.ngrams.length, 0);
    return { kind: "derived", columns: this.schema.columns, plain: plain?.steps(), origins, ngrams };
  }

  toState(): State {
    return writeParts(parts, { kind: "derived", encoding: this.encoding, ...this.#fitted }, {});
  }

  /** Restores an encoder from the result of `toState`; throws `model/corrupt` for anything else. */
  static restore(state: State): DerivedEncoder {
    const { kind: _, encoding, plain, ...rest } = readParts("encoder", parts, state, {});
    const fitted = { ...rest, ...(plain && { plain }) };
    const fault = faultOf(encoding, fitted);
    if (fault !== undefined) throw corrupt(`The encoder is damaged: ${fault}.`);
    return new DerivedEncoder(encoding, fitted);
  }
}

/** Takes the columns of a schema from a table: dates as times, texts and other columns as they are. */
function rawColumns(table: Table, schema: Schema, isPart: boolean): { raw: Column[]; conformed: MatchFacts } {
  const own = schema.columns.filter(({ kind }) => kind === "date" || kind === "text");
  const conformed = (isPart ? conformPart : conform)(table, { ...schema, columns: own });
  const converted = new Map(own.map(({ name }, k) => [name, conformed.columns[k]]));
  return { raw: schema.columns.map(({ name }) => converted.get(name) ?? table.column(name)), conformed };
}

/** An encoding that does not depend on the size of the table. */
type SettledEncoding = BinnedEncoding | SparseEncoding | (NumericEncoding & { readonly sparse?: false });

/** The size of a table decides about its numbers, not about its texts: they are sparse for learners that always take sparse rows. */
function settled(encoding: SingleEncoding): SettledEncoding {
  if (encoding.kind === "binned") return encoding;
  const { sparse, ...dense } = encoding;
  return sparse ? (sparse === "large" ? dense : { ...encoding, sparse }) : dense;
}

/** Says what is wrong with restored parts: columns must exist, be of the right kind, and have features. */
function faultOf(
  encoding: SingleEncoding,
  { schema, plain, origins, texts, partial }: FittedColumns,
): string | undefined {
  if ((plain?.schema.columns.length ?? 0) !== origins.length) return "it has origins of other columns";
  if (
    plain &&
    (plain.schema.target !== schema.target || jsonText(plain.schema.classes) !== jsonText(schema.classes))
  ) {
    return "its parts have different classes";
  }
  if (plain instanceof BinnedEncoder !== (encoding.kind === "binned")) return "it is of another encoding";
  if (texts.length > 0 && !(encoding.kind === "numeric" && encoding.sparse)) return "it has sparse rows";
  const featured = new Set<number>();
  for (const [k, origin] of origins.entries()) {
    const own = plain?.schema.columns[k];
    if (!own || !hasOrigin(schema.columns[origin.column], origin, own))
      return `column ${k + 1} has a wrong origin`;
    featured.add(origin.column);
  }
  for (const { column } of texts) {
    if (schema.columns[column]?.kind !== "text") return "n-grams are of a column without text";
    featured.add(column);
  }
  if (new Set(texts.map(({ column }) => column)).size !== texts.length) return "a text is encoded twice";
  if (partial.some((column) => schema.columns[column]?.kind !== "date"))
    return "parts are of a column without dates";
  if (repeatsNgram(origins)) return "n-grams repeat";
  return featured.size === schema.columns.length ? undefined : "a column has no feature";
}

function hasOrigin(raw: ColumnSchema | undefined, origin: Origin, derived: ColumnSchema): boolean {
  if (!raw) return false;
  if (origin.kind === "itself") return raw.kind === derived.kind && jsonText(raw) === jsonText(derived);
  const kind = origin.kind === "days" || origin.kind === "part" ? "date" : "text";
  return raw.kind === kind && derived.kind === "numeric";
}

function repeatsNgram(origins: readonly Origin[]): boolean {
  const ngrams = origins.flatMap((origin) =>
    origin.kind === "ngram" ? [`${origin.column} ${origin.ngram}`] : [],
  );
  return new Set(ngrams).size !== ngrams.length;
}
