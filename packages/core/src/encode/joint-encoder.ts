import * as z from "zod";
import { checked, json, list, readParts, writeParts } from "../runtime/codec/parts.js";
import { corrupt, jsonText, type State } from "../runtime/codec/state.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { unusedColumns } from "../table/conform.js";
import type { ColumnSchema, Schema } from "../table/schema.js";
import {
  type KindCheck,
  type LostCells,
  type MatchCollector,
  type MatchFacts,
  SchemaMatch,
} from "../table/schema-match.js";
import type { Table } from "../table/table.js";
import { type Target, targetOnly } from "../table/target.js";
import { type Encoder, encodeWithNotices, type JointEncoding, type OnNotice } from "./encoder.js";
import type { JointSteps } from "./encoding-steps.js";
import { JointFeatures, type SingleFeatures } from "./joint-features.js";
import type { LearnedEncoding } from "./learned-encoding.js";
import { fitSingleEncoder, nestedSingleEncoder, type SingleEncoder } from "./single-encoder.js";

/** Far more than the learners of the library have encodings. */
const MOST_PARTS = 64;

const parts = {
  kind: z.literal("joint"),
  /** Names of the columns that any part uses, in the order of the training data. */
  order: checked(json(z.array(z.string()).min(1).readonly()), (names) =>
    new Set(names).size === names.length ? undefined : "columns repeat",
  ),
  encoders: list(nestedSingleEncoder, { min: 1, max: MOST_PARTS }),
};

/**
 * Encodes raw columns in several ways at once: one encoder per part, all fitted to the same training rows. It needs every
 * column that any part uses, and says once what several parts would say.
 */
export class JointEncoder implements Encoder<JointFeatures> {
  readonly encoding: JointEncoding;
  readonly schema: Schema;
  /** The names of one part after the other; parts with the same columns have the same names. */
  readonly featureNames: readonly string[];
  readonly featureColumns: readonly number[];
  readonly learned: LearnedEncoding;
  readonly notices: readonly string[];
  readonly encoders: readonly SingleEncoder[];

  private constructor(encoders: readonly SingleEncoder[], schema: Schema) {
    this.encoders = encoders;
    this.schema = schema;
    this.encoding = { kind: "joint", parts: encoders.map(({ encoding }) => encoding) };
    const placeOf = new Map(schema.columns.map(({ name }, place) => [name, place]));
    this.featureNames = encoders.flatMap(({ featureNames }) => featureNames);
    this.featureColumns = encoders.flatMap(({ featureColumns, schema: own }) =>
      featureColumns.map((column) => placeOf.get(own.columns[column].name) ?? -1),
    );
    const all = (list: keyof LearnedEncoding) => distinct(encoders.flatMap(({ learned }) => learned[list]));
    this.learned = {
      categories: all("categories"),
      filled: all("filled"),
      words: all("words"),
      dates: all("dates"),
    };
    this.notices = distinct(encoders.flatMap(({ notices }) => notices));
  }

  /** Fits the encoders to the same training rows. */
  static *fit(features: Table, target: Target, encoding: JointEncoding): Pausable<JointEncoder> {
    const encoders: SingleEncoder[] = [];
    for (const part of encoding.parts) encoders.push(yield* fitSingleEncoder(features, target, part));
    const used = columnsByName(encoders);
    const order = features.columns.map(({ name }) => name).filter((name) => used.has(name));
    return new JointEncoder(encoders, unionSchema(encoders, order));
  }

  encode(table: Table, onNotice?: OnNotice): JointFeatures {
    return runNow(encodeWithNotices(this, table, onNotice));
  }

  *encodeInSteps(table: Table, match?: MatchCollector): Pausable<JointFeatures> {
    const extra = unusedColumns(table, this.schema);
    const features: SingleFeatures[] = [];
    const facts: MatchFacts[] = [];
    for (const encoder of this.encoders) {
      const found = new PartFacts();
      features.push(yield* encoder.encodeInSteps(table, found));
      facts.push(found);
    }
    const joined = { ...joinedFacts(facts), extra };
    if (match) match.add(joined);
    else {
      const own = new SchemaMatch(this.schema);
      own.add(joined);
      own.check();
    }
    return new JointFeatures(features);
  }

  steps(): JointSteps {
    return { kind: "joint", parts: this.encoders.map((encoder) => encoder.steps()) };
  }

  toState(): State {
    const order = this.schema.columns.map(({ name }) => name);
    return writeParts(parts, { kind: "joint", order, encoders: this.encoders }, {});
  }

  /** Restores an encoder from the result of `toState`; throws `model/corrupt` for anything else. */
  static restore(state: State): JointEncoder {
    const { order, encoders } = readParts("encoder", parts, state, {});
    const fault = faultOf(encoders, order);
    if (fault !== undefined) throw corrupt(`The encoder is damaged: ${fault}.`);
    return new JointEncoder(encoders, unionSchema(encoders, order));
  }
}

/** Collects the facts that one part finds about rows. */
class PartFacts implements MatchFacts, MatchCollector {
  readonly extra: string[] = [];
  readonly unknown: LostCells[] = [];
  readonly unread: LostCells[] = [];
  readonly checks: KindCheck[] = [];

  add({ extra, unknown, unread, checks }: MatchFacts): void {
    this.extra.push(...extra);
    this.unknown.push(...unknown);
    this.unread.push(...unread);
    this.checks.push(...checks);
  }
}

/** Joins the facts that the parts found about the same rows: a cell counts once, and a column fits if it fits a part. */
function joinedFacts(facts: readonly MatchFacts[]): Omit<MatchFacts, "extra"> {
  const checks = new Map<string, KindCheck>();
  for (const check of facts.flatMap((own) => own.checks)) {
    if (!checks.has(check.column) || check.fault === undefined) checks.set(check.column, check);
  }
  return {
    unknown: mostCells(facts.flatMap(({ unknown }) => unknown)),
    unread: mostCells(facts.flatMap(({ unread }) => unread)),
    checks: [...checks.values()],
  };
}

/** Keeps the largest count of each column. */
function mostCells(found: readonly LostCells[]): LostCells[] {
  const most = new Map<string, LostCells>();
  for (const cells of found) {
    if (cells.rows > (most.get(cells.column)?.rows ?? 0)) most.set(cells.column, cells);
  }
  return [...most.values()];
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Finds every column that a part uses; of categories, the longest list of levels, which has those of all parts. */
function columnsByName(encoders: readonly SingleEncoder[]): Map<string, ColumnSchema> {
  const columns = new Map<string, ColumnSchema>();
  for (const column of encoders.flatMap(({ schema }) => schema.columns)) {
    const known = columns.get(column.name);
    const isLonger =
      known?.kind === "categorical" &&
      column.kind === "categorical" &&
      column.levels.length > known.levels.length;
    if (!known || isLonger) columns.set(column.name, column);
  }
  return columns;
}

/** Makes the schema of all columns that a part uses, in the given order. */
function unionSchema(encoders: readonly SingleEncoder[], order: readonly string[]): Schema {
  const columns = columnsByName(encoders);
  return { columns: order.flatMap((name) => columns.get(name) ?? []), ...targetOnly(encoders[0].schema) };
}

/** Says what is wrong with restored parts: they must be about the same target, and the same columns in the same order. */
function faultOf(encoders: readonly SingleEncoder[], order: readonly string[]): string | undefined {
  const [{ schema: first }] = encoders;
  const columns = columnsByName(encoders);
  if (order.length !== columns.size || order.some((name) => !columns.has(name)))
    return "its columns are not those of its parts";
  const placeOf = new Map(order.map((name, place) => [name, place]));
  for (const { schema } of encoders) {
    if (schema.target !== first.target || jsonText(schema.classes) !== jsonText(first.classes))
      return "its parts have different classes";
    let last = -1;
    for (const column of schema.columns) {
      const place = placeOf.get(column.name) ?? -1;
      if (place <= last) return "columns of a part are out of order";
      last = place;
      const shared = columns.get(column.name);
      if (!shared || !isSameColumn(column, shared)) return `its parts disagree about column "${column.name}"`;
    }
  }
  return undefined;
}

function isSameColumn(column: ColumnSchema, longest: ColumnSchema): boolean {
  if (column.kind !== "categorical" || longest.kind !== "categorical") {
    return jsonText(column) === jsonText(longest);
  }
  const levels = new Set(longest.levels);
  return column.levels.every((level) => levels.has(level));
}
