import * as z from "zod";
import { nonNegativeInteger } from "../runtime/codec/schema-numbers.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import type { CategoricalColumn, Column, NumericColumn } from "../table/column.js";
import { LAST_TIME } from "../table/date-form.js";
import { CALENDAR_PARTS, daysColumn, partColumn } from "./date-parts.js";
import { countNgrams } from "./vocabulary.js";

/** Codec of an origin. */
export const originShape = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("itself"), column: nonNegativeInteger }),
  z.strictObject({
    kind: z.literal("days"),
    column: nonNegativeInteger,
    since: z.int().min(-LAST_TIME).max(LAST_TIME),
  }),
  z.strictObject({ kind: z.literal("part"), column: nonNegativeInteger, part: z.enum(CALENDAR_PARTS) }),
  z.strictObject({ kind: z.literal("length"), column: nonNegativeInteger }),
  z.strictObject({ kind: z.literal("ngram"), column: nonNegativeInteger, ngram: z.string() }),
]);

/**
 * Where a derived column comes from: a raw column itself, by its index in the schema, the days of a date since a time, a part of
 * a date, the logarithm of the number of words of a text, or the number of times that it has an n-gram.
 */
export type Origin = z.output<typeof originShape>;

/** Returns the name of a derived column. */
export function derivedName(raw: string, origin: Origin): string {
  switch (origin.kind) {
    case "itself":
      return raw;
    case "days":
      return `${raw} (days since ${new Date(origin.since).toISOString().slice(0, 10)})`;
    case "part":
      return `${raw} (${origin.part})`;
    case "length":
      return `${raw} (log of words)`;
    case "ngram":
      return `${raw} "${origin.ngram}"`;
  }
}

/** A column to derive, by the name that it gets. */
export interface NamedOrigin {
  readonly name: string;
  readonly origin: Origin;
}

/** Derives columns from raw ones: dates as times, texts as they are, and anything else unchanged. */
export function* deriveColumns(raw: readonly Column[], derived: readonly NamedOrigin[]): Pausable<Column[]> {
  const ofText = yield* levelFeatures(raw, derived);
  const columns: Column[] = [];
  for (const { name, origin } of derived) {
    const source = raw[origin.column];
    if (origin.kind === "itself") columns.push({ ...source, name });
    else if (source.kind === "numeric") columns.push(datePart(name, origin, source));
    else columns.push(textFeature(name, origin, source, ofText.get(origin.column)));
    yield;
  }
  return columns;
}

function datePart(name: string, origin: Origin, times: NumericColumn): NumericColumn {
  if (origin.kind === "days") return daysColumn(name, origin.since, times);
  if (origin.kind === "part") return partColumn(name, origin.part, times);
  throw new TypeError(`"${name}" is not a part of a date.`);
}

/** The features of the texts of a raw column, for each of its levels. */
interface LevelFeatures {
  readonly lengths: Float64Array;
  /** Occurrences of each n-gram. */
  readonly occurrences: ReadonlyMap<string, Uint8Array>;
}

/** More occurrences of an n-gram in a text than this are not told apart: a byte holds them. */
const MOST_OCCURRENCES = 255;

/** Counts the n-grams of every raw column of text that has derived columns. */
function* levelFeatures(
  raw: readonly Column[],
  derived: readonly NamedOrigin[],
): Pausable<Map<number, LevelFeatures>> {
  const ngramsOf = new Map<number, string[]>();
  for (const { origin } of derived) {
    if (origin.kind !== "ngram" && origin.kind !== "length") continue;
    const ngrams = ngramsOf.get(origin.column) ?? [];
    if (origin.kind === "ngram") ngrams.push(origin.ngram);
    ngramsOf.set(origin.column, ngrams);
  }
  const found = new Map<number, LevelFeatures>();
  for (const [column, ngrams] of ngramsOf) {
    const source = raw[column];
    if (source.kind !== "categorical") continue;
    const { starts, indices, counts, lengths } = yield* countNgrams(source, ngrams);
    const occurrences = ngrams.map(() => new Uint8Array(lengths.length));
    for (let level = 0; level < lengths.length; level++) {
      for (let e = starts[level]; e < starts[level + 1]; e++) {
        occurrences[indices[e]][level] = Math.min(MOST_OCCURRENCES, counts[e]);
      }
    }
    found.set(column, { lengths, occurrences: new Map(ngrams.map((ngram, g) => [ngram, occurrences[g]])) });
  }
  return found;
}

function textFeature(
  name: string,
  origin: Origin,
  { codes }: CategoricalColumn,
  features: LevelFeatures | undefined,
): NumericColumn {
  if (origin.kind === "length" && features) {
    const { lengths } = features;
    const values = Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : lengths[code]));
    return { kind: "numeric", name, values };
  }
  const occurrences = origin.kind === "ngram" ? features?.occurrences.get(origin.ngram) : undefined;
  if (!occurrences) throw new TypeError(`"${name}" is not a feature of a text.`);
  return {
    kind: "numeric",
    name,
    values: Uint8Array.from(codes, (code) => (code < 0 ? 0 : occurrences[code])),
  };
}
