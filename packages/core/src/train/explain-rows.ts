import type { Encoder } from "../encode/encoder.js";
import type { Background } from "../explain/background.js";
import { type RowReasons, reasonsFor } from "../explain/reasons.js";
import type { Model } from "../learners/model.js";
import type { Run } from "../runtime/parallel/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import { SchemaMatch } from "../table/schema-match.js";
import type { Table } from "../table/table.js";
import type { Card } from "./card.js";

/** The parts of a classifier that reasons depend on. */
export interface Explainable {
  readonly model: Model;
  readonly encoder: Encoder;
  readonly background: Background | undefined;
  readonly card: Pick<Card, "seed">;
}

/**
 * Explains the predictions of rows by up to `most` columns each, largest contribution first. Does not repeat notes
 * about the schema. Throws for a model without background rows.
 */
export async function explainRows(
  { model, encoder, background, card }: Explainable,
  table: Table,
  predictions: readonly string[],
  most: number,
  run: Partial<Run> = {},
): Promise<RowReasons[]> {
  if (!background) {
    throw new VouchError("learner/unsupported", "The model has no background rows to explain rows with.", {
      hint: "Models of another program, and of very many columns, have none. Leave out reasons.",
    });
  }
  const { schema } = encoder;
  const options = {
    class: predictions,
    most: Math.min(most, schema.columns.length),
    seed: card.seed,
    match: new SchemaMatch(schema),
  };
  return reasonsFor(model, encoder, background.table, table, options, run);
}
