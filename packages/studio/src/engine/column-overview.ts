import {
  type CategoricalColumn,
  type Column,
  columnKind,
  denseValues,
  formatCount,
  formatNumber,
  missingCells,
  type NumericColumn,
} from "vouch/train";
import type { ColumnOverview } from "./protocol.js";

/** Bins of a histogram, and categories that are counted. */
const MOST_BINS = 24;
const MOST_LEVELS = 12;

/** Summarises a column: its kind, missing cells, values in words and a small distribution. */
export function columnOverview(column: Column): Pick<ColumnOverview, "name" | "kind" | "missing" | "values" | "counts"> {
  const kind = columnKind(column);
  const spread = column.kind === "numeric" ? spreadOfNumbers(column) : spreadOfLevels(column, kind);
  return { name: column.name, kind, missing: missingCells(column), ...spread };
}

type Spread = Pick<ColumnOverview, "values" | "counts">;

function spreadOfNumbers({ values }: NumericColumn): Spread {
  const cells = denseValues(values);
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let count = 0;
  for (let i = 0; i < cells.length; i++) {
    const value = cells[i];
    if (Number.isNaN(value)) continue;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
    sum += value;
    count++;
  }
  if (count === 0) return { values: "–", counts: [] };
  if (least === greatest) return { values: `always ${formatNumber(least)}`, counts: [] };
  const counts = new Array<number>(MOST_BINS).fill(0);
  const scale = MOST_BINS / (greatest - least);
  for (let i = 0; i < cells.length; i++) {
    const bin = Math.floor((cells[i] - least) * scale);
    if (bin >= 0) counts[Math.min(bin, MOST_BINS - 1)]++;
  }
  return {
    values: `${formatNumber(least)} to ${formatNumber(greatest)}, mean ${formatNumber(sum / count)}`,
    counts,
  };
}

function spreadOfLevels({ codes, levels }: CategoricalColumn, kind: ColumnOverview["kind"]): Spread {
  const counted = new Float64Array(levels.length);
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) counted[codes[i]]++;
  const used = Array.from(levels.keys()).filter((code) => counted[code] > 0);
  if (used.length === 0) return { values: "–", counts: [] };
  if (kind === "date") return { values: formatCount(used.length, "different date"), counts: [] };
  if (kind === "text") return { values: formatCount(used.length, "different text"), counts: [] };
  used.sort((a, b) => counted[b] - counted[a]);
  const named = used.slice(0, 3).map((code) => levels[code]);
  const more = used.length - named.length;
  return {
    values: named.join(", ") + (more > 0 ? ` and ${formatNumber(more)} more` : ""),
    counts: used.slice(0, MOST_LEVELS).map((code) => counted[code]),
  };
}
