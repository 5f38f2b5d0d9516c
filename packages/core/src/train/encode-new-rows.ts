import type { ShiftDetector } from "../checks/shift-detector.js";
import { type Encoder, encodeWithNotices, type OnNotice } from "../encode/encoder.js";
import type { Features } from "../encode/sample.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import { SchemaMatch } from "../table/schema-match.js";
import type { Table } from "../table/table.js";

/** Where facts about new rows go. */
interface NewRowsOptions {
  readonly onNotice?: OnNotice | undefined;
  readonly check?: ShiftDetector | undefined;
  /** Collects facts about the parts of a table, in place of notices. */
  readonly match?: SchemaMatch | undefined;
}

/**
 * Encodes rows that took no part in the training, with pauses. A `check` collects how they differ from the training
 * rows; without one, notes name unknown categories. Other notes name unused columns.
 */
export function* encodeNewRows(
  encoder: Encoder,
  table: Table,
  { onNotice, check, match }: NewRowsOptions,
): Pausable<Features> {
  if (!check && !match) return yield* encodeWithNotices(encoder, table, onNotice);
  const own = match ?? new SchemaMatch(encoder.schema);
  const features = yield* encoder.encodeInSteps(table, own);
  check?.add(table);
  if (match) return features;
  own.check();
  if (onNotice) for (const notice of own.columnNotices()) onNotice(notice);
  return features;
}
