import type { Predictions } from "@vouch/core/internal/metrics/evaluation";
import { type Column, numberAt } from "@vouch/core/internal/table/column";
import type { Training } from "@vouch/core/internal/train/training";
import type { TypedRow } from "./row-form.js";

/** A row that the model misclassifies. */
export interface WrongRow {
  /** Number of the row among those that were measured, from 1. */
  readonly row: number;
  readonly actual: string;
  readonly predicted: string;
  /** Probability of the predicted class, or its score; absent without scores. */
  readonly score?: number;
  readonly cells: TypedRow;
}

/** The rows that a model misclassifies, the most confident errors first. */
export interface WrongRows {
  /** Number of all misclassified rows. */
  readonly total: number;
  readonly scoring: "probability" | "decision";
  /** The worst of them. */
  readonly rows: readonly WrongRow[];
}

/** Limits on the rows that are kept. */
const MOST_ROWS = 200;
const MOST_CELLS = 20_000;

/** Letters of a cell of text that are kept. */
const MOST_LETTERS = 1000;

/** Finds the misclassified rows that the model was most sure of. */
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
 * Keeps the first rows, and up to half of them such that each confusion of classes has the same number if it has as many: otherwise the
 * rows of one confusion might leave no room for the others.
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

/** Writes a cell as a person would type it; "" if it is missing. */
function typedCell(column: Column, row: number): string {
  if (column.kind === "categorical") return (column.levels[column.codes[row]] ?? "").slice(0, MOST_LETTERS);
  const value = numberAt(column.values, row);
  return Number.isNaN(value) ? "" : String(value);
}
