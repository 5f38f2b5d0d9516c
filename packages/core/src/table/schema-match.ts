import { formatCount, shortList } from "../runtime/text/number-format.js";
import { listNames } from "../runtime/text/suggestions.js";
import type { VouchError } from "../runtime/vouch-error.js";
import { shortText } from "./column-content.js";
import type { Schema } from "./schema.js";

/** Cells of one column that the model cannot use. */
export interface LostCells {
  readonly column: string;
  readonly rows: number;
  /** One of these cells. */
  readonly example: string;
}

/** Whether the present cells of a column are of the expected kind; not all rows can tell. */
export interface KindCheck {
  readonly column: string;
  /** The error if these are all rows; undefined if at least one cell is of the right kind. */
  readonly fault: VouchError | undefined;
}

/** How the rows of one table match a schema. */
export interface MatchFacts {
  /** Names of columns that the schema does not have; they are ignored. */
  readonly extra: readonly string[];
  /** Cells whose category was not seen in training. */
  readonly unknown: readonly LostCells[];
  /** Cells of columns of dates that are not dates. */
  readonly unread: readonly LostCells[];
  readonly checks: readonly KindCheck[];
}

/** Receives how rows match a schema. */
export interface MatchCollector {
  /** Adds the facts of further rows. */
  add(facts: MatchFacts): void;
}

/**
 * Collects how rows match the schema of a model. A long table can be matched in parts: each fact counts over all parts
 * and is reported once, and a column is of the wrong kind only if it is in all parts.
 */
export class SchemaMatch implements MatchCollector {
  readonly #schema: Schema;
  readonly #extra = new Set<string>();
  readonly #unknown = new Map<string, LostCells>();
  readonly #unread = new Map<string, LostCells>();
  readonly #faults = new Map<string, VouchError | undefined>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Adds the facts of further rows. */
  add({ extra, unknown, unread, checks }: MatchFacts): void {
    for (const name of extra) this.#extra.add(name);
    addLostCells(this.#unknown, unknown);
    addLostCells(this.#unread, unread);
    for (const { column, fault } of checks) {
      const known = this.#faults.has(column);
      if (fault === undefined) this.#faults.set(column, undefined);
      else if (!known) this.#faults.set(column, fault);
    }
  }

  /** Throws if all present cells of a column are of the wrong kind; call it after the last rows. */
  check(): void {
    for (const fault of this.#inOrder(this.#faults)) throw fault;
  }

  /** Lists warnings about all rows. */
  notices(): string[] {
    const cells = lostCellNotices(this.#inOrder(this.#unread), this.#inOrder(this.#unknown));
    return [...cells, ...this.columnNotices()];
  }

  /** Lists warnings about columns rather than cells; a `ShiftDetector` has its own about cells. */
  columnNotices(): string[] {
    const extra = [...this.#extra];
    if (extra.length === 0) return [];
    return [`${formatCount(extra.length, "column")} not used by the model: ${listNames(extra)}.`];
  }

  /** Lists facts about columns in the order of the schema, regardless of how the rows were divided. */
  #inOrder<T>(byColumn: ReadonlyMap<string, T | undefined>): T[] {
    return this.#schema.columns.flatMap(({ name }) => byColumn.get(name) ?? []);
  }
}

/** Adds the lost cells of further rows to each column. */
export function addLostCells(all: Map<string, LostCells>, found: readonly LostCells[]): void {
  for (const cells of found) {
    const before = all.get(cells.column);
    all.set(cells.column, before ? { ...before, rows: before.rows + cells.rows } : cells);
  }
}

/** Lists warnings about cells that are not dates, and about categories not seen in training. */
export function lostCellNotices(unread: readonly LostCells[], unknown: readonly LostCells[]): string[] {
  return [
    ...unread.map(
      ({ column, rows, example }) =>
        `Column "${column}": ${formatCount(rows, "cell is", "cells are")} not a date and counted as missing, such as "${shortText(example)}".`,
    ),
    ...unknownNotice(unknown),
  ];
}

/** Names the columns with unknown categories in one line. */
function unknownNotice(unknown: readonly LostCells[]): string[] {
  if (unknown.length === 0) return [];
  const [{ column, example }] = unknown;
  const cells = unknown.reduce((sum, { rows }) => sum + rows, 0);
  const such = `${formatCount(cells, "cell")} with a category not seen in training, such as "${shortText(example)}"`;
  if (unknown.length === 1) return [`Column "${column}": ${such}.`];
  const names = shortList(
    unknown.map((one) => `"${one.column}"`),
    MOST_NAMED,
  );
  return [`Columns ${names}: ${such} in "${column}".`];
}

/** Maximum number of columns to name. */
const MOST_NAMED = 5;
