import { formatCount } from "../runtime/text/number-format.js";
import { listNames } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { CategoricalColumn } from "../table/column.js";
import { countLevels, type LevelCounts, OTHER_LEVELS } from "../table/levels.js";
import type { Table } from "../table/table.js";

/** Columns that an encoder drops or simplifies, collected while it is fitted. */
export class DroppedColumns {
  /** Columns with one value. */
  readonly constant: string[] = [];
  /** Columns with a different category in every row. */
  readonly identifiers: string[] = [];
  /** Columns whose rare categories form one group; they are not dropped. */
  readonly grouped: string[] = [];

  notices(): string[] {
    const { constant, identifiers, grouped } = this;
    const notices: string[] = [];
    if (constant.length > 0) {
      notices.push(`${formatCount(constant.length, "constant column")} left out: ${listNames(constant)}.`);
    }
    if (identifiers.length > 0) {
      notices.push(
        `${formatCount(identifiers.length, "column")} left out because no two rows share a category: ` +
          `${listNames(identifiers)}.`,
      );
    }
    if (grouped.length > 0) {
      notices.push(
        `${formatCount(grouped.length, "column")} with many categories; rare ones are grouped as ` +
          `"${OTHER_LEVELS}": ${listNames(grouped)}.`,
      );
    }
    return notices;
  }

  /** Makes the error of a table without a column to learn from. */
  nothingLeft(table: Pick<Table, "name">): VouchError {
    return new VouchError(
      "data/no-features",
      `${table.name} has no column to learn from. ${this.notices().join(" ")}`.trim(),
    );
  }
}

/** The categories that an encoder distinguishes. */
interface FittedLevels extends LevelCounts {
  /** Number of rows of the rare categories, which form one group. */
  readonly others: number;
}

/**
 * Finds the categories of a column that an encoder distinguishes: all of them if there are at most `max`, otherwise the `kept`
 * most frequent ones. Returns undefined, and notes the column in `dropped`, if there is nothing to learn from it.
 */
export function fitLevels(
  column: CategoricalColumn,
  limits: LevelLimits,
  dropped: DroppedColumns,
): FittedLevels | undefined {
  return fitCountedLevels(column.name, countLevels(column), limits, dropped);
}

/** Limits on the categories that an encoder distinguishes. */
interface LevelLimits {
  readonly max: number;
  readonly kept: number;
}

/** Finds the categories that an encoder distinguishes as `fitLevels` does, from their counts. */
export function fitCountedLevels(
  name: string,
  all: LevelCounts,
  { max, kept }: LevelLimits,
  dropped: DroppedColumns,
): FittedLevels | undefined {
  if (all.levels.length + (all.missing > 0 ? 1 : 0) < 2) {
    dropped.constant.push(name);
    return undefined;
  }
  if (identifiesRows(all)) {
    dropped.identifiers.push(name);
    return undefined;
  }
  if (all.levels.length <= max) return { ...all, others: 0 };
  dropped.grouped.push(name);
  return mostFrequent(all, kept);
}

/** Keeps the most frequent levels; among equally frequent ones, the first in natural order. */
function mostFrequent({ levels, counts, missing }: LevelCounts, kept: number): FittedLevels {
  const byCount = levels.map((_, index) => index).sort((a, b) => counts[b] - counts[a] || a - b);
  const others = byCount.slice(kept).reduce((sum, index) => sum + counts[index], 0);
  const indices = byCount.slice(0, kept).sort((a, b) => a - b);
  return {
    levels: indices.map((index) => levels[index]),
    counts: indices.map((index) => counts[index]),
    missing,
    others,
  };
}

/** Tells whether the categories are names of the rows: no two rows share one. A handful of rows is too few to tell. */
function identifiesRows({ levels, counts }: LevelCounts): boolean {
  return levels.length > 10 && counts.every((count) => count === 1);
}
