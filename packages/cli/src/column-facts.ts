import type { ColumnFacts } from "@vouch/report";
import { type Column, formatCount, formatNumber } from "vouch";
import { missingCells } from "./data-lines.js";

type NumericColumn = Extract<Column, { kind: "numeric" }>;
type CategoricalColumn = Extract<Column, { kind: "categorical" }>;

/** Of the little picture of a column: steps in which numbers are counted, and categories. */
const MOST_STEPS = 24;
const MOST_LEVELS = 16;

/** What a report says of a column. */
export function columnFacts(column: Column): ColumnFacts {
  const { name, kind } = column;
  const spread = column.kind === "numeric" ? spreadOfNumbers(column) : spreadOfLevels(column);
  return { name, kind, missing: missingCells(column), ...spread };
}

/** What the cells of a column are, in words and in numbers to draw; a dash where all are missing. */
type Spread = Pick<ColumnFacts, "values" | "counts">;

/** "1 to 10, mean 4.4" */
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
  return {
    values: `${formatNumber(smallest)} to ${formatNumber(largest)}, mean ${formatNumber(sum / count)}`,
    counts: stepCounts(values, smallest, largest, whole),
  };
}

/** How many numbers fall into each of equal steps from the smallest to the largest; of few whole numbers, how many are each. */
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

/** "3 values, most often red (12)" */
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
