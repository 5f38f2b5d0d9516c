import type { Predictions } from "@vouch/core/internal/metrics/evaluation";
import { type Column, numberAt } from "@vouch/core/internal/table/column";
import type { Training } from "@vouch/core/internal/train/training";
import type { TypedRow } from "./row-form.js";

/** A misclassified row. */
export interface WrongRow {
  /** Row number among the measured rows, from 1. */
  readonly row: number;
  readonly actual: string;
  readonly predicted: string;
  /** Probability of the predicted class, or its score; absent without scores. */
  readonly score?: number;
  readonly cells: TypedRow;
}

/** The misclassified rows, most confident errors first. */
export interface WrongRows {
  /** Number of all misclassified rows. */
  readonly total: number;
  readonly scoring: "probability" | "decision";
  /** The most confident errors. */
  readonly rows: readonly WrongRow[];
}

/** Maximum number of rows to keep. */
const MOST_ROWS = 200;
const MOST_CELLS = 20_000;

/** Maximum length of a text cell. */
const MOST_LETTERS = 1000;

/** Finds the most confident misclassifications. */
export function wrongRows({ tables }: Training, predicted: Predictions): WrongRows {
  const { labels, predictions, classes, scores, scoring = "decision" } = predicted;
  const table = tables.heldOut ?? tables.training;
  const wrong = Array.from(labels.keys()).filter((i) => labels[i] !== predictions[i]);
  const leads = new Map(
    wrong.map((i) => {
      const own = scores?.row(i);
      return [i, own ? own[predictions[i]] - (own[labels[i]] ?? 0) : 0];
    }),
  );
  wrong.sort((a, b) => (leads.get(b) ?? 0) - (leads.get(a) ?? 0));
  const most = Math.min(MOST_ROWS, Math.floor(MOST_CELLS / Math.max(1, table.columns.length)));
  const worst = worstOfEach(wrong, (i) => `${labels[i]} ${predictions[i]}`, most);
  return {
    total: wrong.length,
    scoring,
    rows: worst.map((i) => ({
      row: i + 1,
      actual: classes[labels[i]] ?? "a class that the model does not know",
      predicted: classes[predictions[i]],
      ...(scores && { score: scores.row(i)[predictions[i]] }),
      cells: Object.fromEntries(table.columns.map((column) => [column.name, typedCell(column, i)])),
    })),
  };
}

/**
 * Keeps the first rows. Half of the list is balanced over the kinds of confusion, so that one frequent confusion cannot
 * crowd out the rest.
 */
function worstOfEach(rows: readonly number[], kindOf: (row: number) => string, most: number): number[] {
  if (rows.length <= most) return [...rows];
  const each = Math.max(1, Math.floor(most / 2 / new Set(rows.map(kindOf)).size));
  const counts = new Map<string, number>();
  const firstOfKinds = rows.filter((row) => {
    const count = (counts.get(kindOf(row)) ?? 0) + 1;
    counts.set(kindOf(row), count);
    return count <= each;
  });
  const kept = new Set(firstOfKinds.slice(0, Math.floor(most / 2)));
  for (const row of rows) {
    if (kept.size >= most) break;
    kept.add(row);
  }
  return rows.filter((row) => kept.has(row));
}

/** Formats a cell as a person would type it; "" if it is missing. */
function typedCell(column: Column, row: number): string {
  if (column.kind === "categorical") return (column.levels[column.codes[row]] ?? "").slice(0, MOST_LETTERS);
  const value = numberAt(column.values, row);
  return Number.isNaN(value) ? "" : String(value);
}
