import { type RowReasons, reasonsFor } from "@vouch/core/internal/explain/reasons";
import type { Column } from "@vouch/core/internal/table/column";
import type { ColumnSchema } from "@vouch/core/internal/table/schema";
import { Table } from "@vouch/core/internal/table/table";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import type { TypedRow } from "./row-form.js";

/** A model's answer for one row. */
export interface RowAnswer {
  /** The predicted class; "" if the model abstains. */
  readonly class: string;
  /** Probability of each class, largest first; empty if the model has no probabilities. */
  readonly probabilities: readonly { readonly class: string; readonly probability: number }[];
  /** Classes in the prediction set; absent for a model without sets. */
  readonly set?: readonly string[];
  /** Reasons for the predicted class; absent if the model has no background rows. */
  readonly reasons?: RowReasons;
}

/** Number of column orders for sampled reasons: enough for the first digits while someone types. */
const PERMUTATIONS = 32;

/** Classifies a typed row and explains the answer. */
export async function answerRow(classifier: Classifier, row: TypedRow): Promise<RowAnswer> {
  const { model, encoder, background, card, classes } = classifier;
  const table = new Table(
    "row",
    1,
    encoder.schema.columns.map((column) => cellColumn(column, row)),
  );
  const { predictions, probabilities, sets } = classifier.classify(table);
  const reasons =
    background &&
    (await reasonsFor(
      model,
      encoder,
      background.table,
      table,
      { class: predictions, permutations: PERMUTATIONS },
      { seed: card.seed },
    ));
  return {
    class: predictions[0],
    probabilities: classes
      .flatMap((name, k) => (probabilities ? [{ class: name, probability: probabilities.row(0)[k] }] : []))
      .sort((a, b) => b.probability - a.probability),
    ...(sets && { set: sets[0] }),
    ...(reasons && { reasons: reasons[0] }),
  };
}

/** Makes a column of one cell. */
function cellColumn({ name, kind }: ColumnSchema, row: TypedRow): Column {
  const text = row[name] ?? "";
  if (kind === "numeric") {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    return { kind, name, values: Float64Array.of(value) };
  }
  return { kind: "categorical", name, codes: Int32Array.of(text === "" ? -1 : 0), levels: [text] };
}
