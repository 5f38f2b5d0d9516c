import { formatCount, formatNumber, shortList } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { type Column, columnKind, missingCells } from "@vouch/core/internal/table/column";
import type { TargetGuess } from "@vouch/core/internal/table/guess-target";
import type { TrainingData } from "@vouch/core/internal/train/training-data";
import { printable, wrap } from "../process/terminal.js";

/** Maximum number of classes to list. */
const MOST_CLASSES = 6;

/** Summarises the table: rows, columns by kind, identifiers, missing cells, classes. */
export function dataLines(
  {
    whole,
    table,
    target,
    splitBy: { group, time },
    identifiers,
    guess,
  }: Pick<TrainingData, "whole" | "table" | "target" | "splitBy" | "identifiers" | "guess">,
  columns: number,
): string {
  const features = table.columns.filter(({ name }) => ![target, group, time].includes(name));
  const kinds = (["numeric", "categorical", "date", "text"] as const).flatMap((kind) => {
    const count = features.filter((column) => columnKind(column) === kind).length;
    return count > 0 ? [formatCount(count, `${kind} column`)] : [];
  });
  const missing = features.reduce((sum, column) => sum + missingCells(column), 0);
  const facts = [
    formatCount(whole.rows, "row"),
    ...kinds,
    ...(identifiers.length > 0 ? [formatCount(identifiers.length, "identifier column")] : []),
    ...(missing > 0 ? [formatCount(missing, "missing cell")] : []),
    ...(group === undefined ? [] : [`group column "${group}"`]),
    ...(time === undefined ? [] : [`time column "${time}"`]),
    `target "${target}"${guess ? howGuessed(guess) : ""} with ${classesIn(whole.column(target))}`,
  ];
  return wrap(printable(`${whole.name}: ${facts.join(", ")}`), columns);
}

/** Says that the target was guessed and how to choose another; a column named `label` is the target by convention. */
function howGuessed({ target, by, candidates }: TargetGuess): string {
  if (target === "label") return "";
  const others =
    candidates.length > 0
      ? `, such as ${shortList(candidates, candidates.length, (name) => `"${name}"`)}`
      : "";
  const why = by === "name" ? "guessed by its name" : "guessed: it is the last column";
  return ` (${why}; choose another with --target${others})`;
}

function classesIn(column: Column): string {
  const counts = new Map<string | number, number>();
  const count = (value: string | number) => counts.set(value, (counts.get(value) ?? 0) + 1);
  if (column.kind === "categorical") {
    for (const code of column.codes) if (code >= 0) count(column.levels[code]);
  } else {
    for (const value of column.values) if (!Number.isNaN(value)) count(value);
  }
  const number = formatCount(counts.size, "class", "classes");
  if (counts.size > MOST_CLASSES) return number;
  return `${number} (${[...counts].map(([name, rows]) => `${visibleSpaces(String(name))} ${formatNumber(rows)}`).join(", ")})`;
}
