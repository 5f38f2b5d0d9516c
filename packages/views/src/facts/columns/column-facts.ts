import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import {
  type CategoricalColumn,
  type Column,
  columnKind,
  missingCells,
  type NumericColumn,
} from "@vouch/core/internal/table/column";

/** A column with its kind, missing cells and values. */
export interface ColumnFacts {
  readonly name: string;
  readonly kind: string;
  readonly missing: number;
  /** Summary such as `1 to 10, mean 4.4`. */
  readonly values: string;
  /** A histogram of the numbers, or the number of cells of each category. */
  readonly counts: readonly number[];
}

/** Maximum number of histogram bins, and of categories that are counted. */
const MOST_STEPS = 24;
const MOST_LEVELS = 16;

/** Whole numbers in this range are years: 2024, not 2,024. */
const FIRST_YEAR = 1800;
const LAST_YEAR = 2199;

/** Summarises a column. */
export function columnFacts(column: Column): ColumnFacts {
  const { name } = column;
  const kind = columnKind(column);
  return { name, kind, missing: missingCells(column), ...measureSpread(column, kind) };
}

/** Summary of the values, and the counts to draw; a dash if all cells are missing. */
type Spread = Pick<ColumnFacts, "values" | "counts">;

function measureSpread(column: Column, kind: ReturnType<typeof columnKind>): Spread {
  if (column.kind === "numeric") return spreadOfNumbers(column);
  if (kind === "categorical" || kind === "numeric") return spreadOfLevels(column);
  const used = new Set(column.codes);
  used.delete(-1);
  if (used.size === 0) return { values: "–", counts: [] };
  const values = formatCount(used.size, kind === "date" ? "different date" : "different text");
  return { values, counts: [] };
}

/** Summarises numbers: "1 to 10, mean 4.4". */
function spreadOfNumbers({ values }: NumericColumn): Spread {
  let smallest = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let count = 0;
  let whole = true;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
    sum += value;
    count++;
    whole &&= Number.isInteger(value);
  }
  if (count === 0) return { values: "–", counts: [] };
  const areYears = whole && smallest >= FIRST_YEAR && largest <= LAST_YEAR;
  return {
    values: areYears
      ? `${smallest} to ${largest}`
      : `${formatNumber(smallest)} to ${formatNumber(largest)}, mean ${formatNumber(sum / count)}`,
    counts: stepCounts(values, smallest, largest, whole),
  };
}

/** Counts numbers in equal bins; a few distinct whole numbers get a bin each. */
function stepCounts(
  values: NumericColumn["values"],
  smallest: number,
  largest: number,
  whole: boolean,
): number[] {
  const span = largest - smallest;
  if (!(span > 0 && span < Number.POSITIVE_INFINITY)) return [];
  const single = whole && span < MOST_STEPS;
  const steps = single ? span + 1 : MOST_STEPS;
  const width = single ? 1 : span / MOST_STEPS;
  const counts = new Array<number>(steps).fill(0);
  for (const value of values) {
    if (!Number.isNaN(value)) counts[Math.min(steps - 1, Math.floor((value - smallest) / width))]++;
  }
  return counts;
}

/** Summarises categories: "3 values, most often red (12)". */
function spreadOfLevels({ codes, levels }: CategoricalColumn): Spread {
  const counts = new Map<number, number>();
  for (const code of codes) if (code >= 0) counts.set(code, (counts.get(code) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  if (sorted.length === 0) return { values: "–", counts: [] };
  const [code, count] = sorted[0];
  return {
    values: `${formatCount(sorted.length, "value")}, most often ${levels[code]} (${formatNumber(count)})`,
    counts: sorted.slice(0, MOST_LEVELS).map(([, own]) => own),
  };
}
