import type { Pausable } from "../runtime/parallel/pausable.js";
import { type ComparedRows, repeatsButOne } from "./all-but-one.js";
import { closeRows } from "./close-rows.js";
import type { RepeatedRows } from "./repeated-rows.js";
import type { Schema } from "./schema.js";

/** Rows that were copied with small changes, including rows that equal others. */
export interface NearCopies {
  /** Held-out rows that are near copies of training rows or of other rows, treated as equal. */
  readonly rows: RepeatedRows;
  /** The column in which copies differ; absent if they are close in all numeric columns. */
  readonly column?: string;
}

/**
 * Finds out whether rows of one randomly split table are copies of each other with small changes: equal in all columns
 * but one, or close in all numeric columns although independent rows would not be. Undefined if they are not.
 */
export function* nearCopies(
  training: ComparedRows,
  heldOut: ComparedRows,
  schema: Schema,
): Pausable<NearCopies | undefined> {
  const found = yield* repeatsButOne(training, heldOut, schema);
  if (found) return found;
  const rows = yield* closeRows(training, heldOut, schema);
  return rows && { rows };
}
