import { type RowReasons, reasonsFor } from "@vouch/core/internal/explain/reasons";
import type { Predictions } from "@vouch/core/internal/metrics/evaluation";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import type { Training } from "@vouch/core/internal/train/training";

/** A row and the reasons for its prediction. */
export interface RowExample {
  readonly chosenAs: "confident and right" | "confident and wrong" | "uncertain";
  /** Row number among the measured rows, from 1. */
  readonly row: number;
  readonly actual: string;
  /** Reasons for the predicted class, from all columns. */
  readonly reasons: RowReasons;
}

/** Finds the rows with the largest and the smallest lead of the best score over the second. */
export function exampleRows({
  labels,
  predictions,
  scores,
}: Predictions): { readonly row: number; readonly chosenAs: RowExample["chosenAs"] }[] {
  if (!scores || scores.columns < 2) return [];
  const leads = Array.from(labels, (_, i) => {
    const [first, second] = Array.from(scores.row(i)).sort((a, b) => b - a);
    return first - second;
  });
  const byLead = Array.from(labels.keys()).sort((a, b) => leads[b] - leads[a]);
  const right = byLead.find((i) => labels[i] === predictions[i]);
  const wrong = byLead.find((i) => labels[i] !== predictions[i]);
  const unsure = byLead.findLast((i) => i !== right && i !== wrong);
  const chosen = [
    { row: right, chosenAs: "confident and right" as const },
    { row: wrong, chosenAs: "confident and wrong" as const },
    { row: unsure, chosenAs: "uncertain" as const },
  ];
  return chosen.flatMap(({ row, chosenAs }) => (row === undefined ? [] : [{ row, chosenAs }]));
}

/** Computes reasons for the predictions of a few rows; none if the model has too many columns for a background. */
export async function rowExamples(
  { classifier, tables }: Training,
  predicted: Predictions,
  run: Partial<Omit<Run, "seed">>,
): Promise<RowExample[]> {
  const { model, encoder, card, background } = classifier;
  const chosen = exampleRows(predicted);
  if (!background || chosen.length === 0) return [];
  const rows = (tables.heldOut ?? tables.training).select(chosen.map(({ row }) => row));
  const options = { class: chosen.map(({ row }) => predicted.classes[predicted.predictions[row]]) };
  const own = { ...run, seed: card.seed };
  const reasons = await reasonsFor(model, encoder, background.table, rows, options, own);
  return chosen.map(({ row, chosenAs }, i) => ({
    chosenAs,
    row: row + 1,
    actual: predicted.classes[predicted.labels[row]] ?? "a class that the model does not know",
    reasons: reasons[i],
  }));
}
