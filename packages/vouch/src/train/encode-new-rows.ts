import type { Encoder, OnNotice } from "../encode/encoder.js";
import type { Features } from "../encode/sample.js";
import type { RowCheck } from "../evaluate/row-check.js";
import { conformNotices, unusedColumns } from "../table/conform.js";
import type { Table } from "../table/table.js";

/**
 * Encodes rows that took no part in the training. A `check` collects how they are unlike the training rows; without one, notices name
 * unknown categories. Other notices name unused columns.
 */
export function encodeNewRows(
  encoder: Encoder,
  table: Table,
  { onNotice, check }: { readonly onNotice?: OnNotice | undefined; readonly check?: RowCheck | undefined },
): Features {
  if (!check) return encoder.encode(table, onNotice);
  const features = encoder.encode(table);
  check.add(table);
  if (onNotice) {
    const extra = unusedColumns(table, encoder.schema);
    conformNotices({ extra, unknown: [], unread: [] }).forEach(onNotice);
  }
  return features;
}
