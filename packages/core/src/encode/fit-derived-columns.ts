import type { Pausable } from "../runtime/parallel/pausable.js";
import { formatNumber } from "../runtime/text/number-format.js";
import { listNames } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Column } from "../table/column.js";
import { type ContentColumn, holdsProseOrDates } from "../table/column-content.js";
import { conform } from "../table/conform.js";
import type { ColumnSchema, Schema } from "../table/schema.js";
import { lostCellNotices } from "../table/schema-match.js";
import { Table } from "../table/table.js";
import { type Target, targetOnly } from "../table/target.js";
import { CALENDAR_PARTS, fitDates } from "./date-parts.js";
import { deriveColumns, derivedName, type NamedOrigin, type Origin } from "./derived-columns.js";
import type { SingleEncoding } from "./encoder.js";
import { fitPlainEncoder, type PlainEncoder } from "./plain-encoder.js";
import type { TextBlock } from "./text-block.js";
import { fitVocabulary } from "./vocabulary.js";

/** Maximum number of n-grams of a column of text that are columns of numbers, and of those that are features of sparse rows. */
export const DENSE_NGRAMS = 256;
const SPARSE_NGRAMS = 16_384;

/** How raw columns become features. */
export interface FittedColumns {
  /** The raw columns that have features. */
  readonly schema: Schema;
  /** Encodes the derived columns; absent if sparse rows have n-grams only. */
  readonly plain?: PlainEncoder;
  /** The origin of each column of `plain`. */
  readonly origins: readonly Origin[];
  /** N-grams that are features of sparse rows, after those of `plain`. */
  readonly texts: readonly TextBlock[];
  /** Columns of dates without some part, by index in the schema. */
  readonly partial: readonly number[];
  readonly notices: readonly string[];
}

/** A raw column, as times if it holds dates, and its derived columns. */
interface FittedColumn {
  readonly schema: Extract<ColumnSchema, { kind: "date" | "text" }> | undefined;
  readonly raw: Column;
  /** Their column is the index in the table. */
  readonly origins: readonly Origin[];
  readonly text?: TextBlock;
  readonly isPartial?: boolean;
  readonly notices: readonly string[];
}

/** Fits all columns of training rows: derives columns from dates and text, and fits an encoder to them and the others. */
export function* fitDerivedColumns(
  features: Table,
  target: Target,
  encoding: SingleEncoding,
): Pausable<FittedColumns> {
  if (features.rows === 0) throw new VouchError("data/no-rows", `${features.name} has no rows.`);
  const columns: FittedColumn[] = [];
  for (const [j, column] of features.columns.entries()) {
    columns.push(yield* fitColumn(features, column, j, encoding));
  }
  const named = uniqueNames(columns);
  const raw = columns.map((column) => column.raw);
  const derived = new Table(features.name, features.rows, yield* deriveColumns(raw, named));
  const texts = columns.flatMap(({ text }) => text ?? []);
  const plain = yield* fitUnlessEmpty(derived, target, encoding, texts.length > 0);
  return assemble(columns, named, plain, texts, target);
}

/** Drops the columns that the encoder of derived columns left out. */
function assemble(
  columns: readonly FittedColumn[],
  named: readonly NamedOrigin[],
  plain: PlainEncoder | undefined,
  texts: readonly TextBlock[],
  target: Target,
): FittedColumns {
  const originOf = new Map(named.map(({ name, origin }) => [name, origin]));
  const used = plain?.schema.columns.flatMap(({ name }) => originOf.get(name) ?? []) ?? [];
  const plainOf = new Map(
    plain?.schema.columns.map((column, k) => [used[k].column, column] satisfies [number, ColumnSchema]),
  );
  const featured = new Set([...used, ...texts].map(({ column }) => column));
  const kept = Array.from(columns.keys()).filter((j) => featured.has(j));
  const placeOf = new Map(kept.map((j, place) => [j, place]));
  const moved = <O extends { readonly column: number }>(one: O): O => ({
    ...one,
    column: placeOf.get(one.column) ?? 0,
  });
  return {
    schema: {
      columns: kept.flatMap((j) => columns[j].schema ?? plainOf.get(j) ?? []),
      ...targetOnly(target),
    },
    ...(plain && { plain }),
    origins: used.map(moved),
    texts: texts.map(moved),
    partial: kept.flatMap((j, place) => (columns[j].isPartial ? [place] : [])),
    notices: [...kept.flatMap((j) => columns[j].notices), ...(plain?.notices ?? [])],
  };
}

/** Fits an encoder to derived columns; undefined if none of them varies and there are n-grams as well. */
function* fitUnlessEmpty(
  derived: Table,
  target: Target,
  encoding: SingleEncoding,
  hasTexts: boolean,
): Pausable<PlainEncoder | undefined> {
  try {
    return yield* fitPlainEncoder(derived, target, encoding);
  } catch (error) {
    if (hasTexts && error instanceof VouchError && error.code === "data/no-features") return undefined;
    throw error;
  }
}

function* fitColumn(
  table: Table,
  column: Column,
  index: number,
  encoding: SingleEncoding,
): Pausable<FittedColumn> {
  if (!holdsProseOrDates(column)) {
    return { schema: undefined, raw: column, origins: [{ kind: "itself", column: index }], notices: [] };
  }
  if (column.holds.kind === "dates") return fitDateColumn(table, column, column.holds.form, index);
  return yield* fitTextColumn(column, index, encoding);
}

function fitDateColumn(
  table: Table,
  { name }: ContentColumn,
  form: Extract<ColumnSchema, { kind: "date" }>["form"],
  index: number,
): FittedColumn {
  const schema = { kind: "date", name, form } as const;
  const { columns, unread } = conform(table, { columns: [schema], target: "", classes: [] });
  const [raw] = columns;
  if (raw.kind !== "numeric") throw new TypeError("Dates are numbers.");
  const { reference, parts } = fitDates(raw);
  const used = ["days", ...parts];
  return {
    schema,
    raw,
    origins: [
      { kind: "days", column: index, since: reference },
      ...parts.map((part) => ({ kind: "part", column: index, part }) as const),
    ],
    isPartial: parts.length < CALENDAR_PARTS.length,
    notices: [
      `Column "${name}" is a date: used as ${used.length === 1 ? "days" : `${used.slice(0, -1).join(", ")} and ${used.at(-1)}`}.`,
      ...lostCellNotices(unread, []),
    ],
  };
}

function* fitTextColumn(
  column: ContentColumn,
  index: number,
  encoding: SingleEncoding,
): Pausable<FittedColumn> {
  const sparse = encoding.kind === "numeric" && encoding.sparse === true;
  const vocabulary = yield* fitVocabulary(
    column,
    sparse ? { most: SPARSE_NGRAMS, by: "frequency" } : { most: DENSE_NGRAMS, by: "contrast" },
  );
  const { name } = column;
  const ngrams = vocabulary.map(({ text }) => text);
  const examples = listNames(ngrams.slice(0, 3));
  const used = `${formatNumber(ngrams.length)} words and pairs of words`;
  return {
    schema: { kind: "text", name },
    raw: column,
    origins: [
      { kind: "length", column: index },
      ...(sparse ? [] : ngrams.map((ngram) => ({ kind: "ngram", column: index, ngram }) as const)),
    ],
    ...(sparse &&
      ngrams.length > 0 && {
        text: { column: index, ngrams, weights: Float64Array.from(vocabulary, ({ weight }) => weight) },
      }),
    notices: [
      ngrams.length > 0
        ? `Column "${name}" is text: used as its length and ${used}, such as ${examples}.`
        : `Column "${name}" is text, but no two rows share a word: used as its length.`,
    ],
  };
}

/** Names derived columns; a name that another column has gets a number. */
function uniqueNames(columns: readonly FittedColumn[]): NamedOrigin[] {
  const taken = new Set(columns.map(({ raw }) => raw.name));
  return columns.flatMap(({ raw, origins }) =>
    origins.map((origin) => {
      if (origin.kind === "itself") return { name: raw.name, origin };
      const wanted = derivedName(raw.name, origin);
      let name = wanted;
      for (let n = 2; taken.has(name); n++) name = `${wanted} ${n}`;
      taken.add(name);
      return { name, origin };
    }),
  );
}
