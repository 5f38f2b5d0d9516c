import type { ColumnFacts } from "@vouch/report";
import { type Column, formatCount, formatNumber } from "vouch";
import { missingCells } from "./data-lines.js";

/** What a report says of a column. */
export function columnFacts(column: Column): ColumnFacts {
  const { name, kind } = column;
  return { name, kind, missing: missingCells(column), values: valuesInWords(column) };
}

/** "1 to 10, mean 4.4", or "3 different, most often red (12)"; a dash where all cells are missing. */
function valuesInWords(column: Column): string {
  return column.kind === "numeric" ? rangeInWords(column.values) : levelsInWords(column);
}

function rangeInWords(values: Iterable<number>): string {
  let smallest = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let count = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
    sum += value;
    count++;
  }
  if (count === 0) return "–";
  return `${formatNumber(smallest)} to ${formatNumber(largest)}, mean ${formatNumber(sum / count)}`;
}

function levelsInWords({ codes, levels }: Extract<Column, { kind: "categorical" }>): string {
  const counts = new Map<number, number>();
  for (const code of codes) if (code >= 0) counts.set(code, (counts.get(code) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (!most) return "–";
  const [code, count] = most;
  return `${formatCount(counts.size, "value")}, most often ${levels[code]} (${formatNumber(count)})`;
}
