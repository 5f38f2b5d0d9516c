import type { Encoder, OnNotice } from "../encode/encoder.js";
import type { Features } from "../encode/sample.js";
import { RowCheck } from "../evaluate/row-check.js";
import { conformNotices, unusedColumns } from "../table/conform.js";
import type { Table } from "../table/table.js";
import type { TrainingProfile } from "../table/training-profile.js";

/** The parts of a classifier that know the training columns. */
interface KnownColumns {
  readonly encoder: Encoder;
  readonly profile?: TrainingProfile | undefined;
}

/** Starts a comparison with the training rows; undefined if nothing is known about them. */
export function rowCheckOf({ encoder, profile }: KnownColumns): RowCheck | undefined {
  return profile && new RowCheck(profile, encoder.schema);
}

/**
 * Encodes rows that took no part in the training. Notices name unused columns and say how the rows are unlike the training rows; a
 * `check` collects the latter instead.
 */
export function encodeNewRows(
  classifier: KnownColumns,
  table: Table,
  { onNotice, check }: { readonly onNotice?: OnNotice | undefined; readonly check?: RowCheck | undefined },
): Features {
  const { encoder, profile } = classifier;
  if (!profile) return encoder.encode(table, onNotice);
  const features = encoder.encode(table);
  check?.add(table);
  if (!onNotice) return features;
  conformNotices({ extra: unusedColumns(table, encoder.schema), unknown: [], unread: [] }).forEach(onNotice);
  if (check) return features;
  const own = rowCheckOf(classifier);
  own?.add(table);
  own?.notices().forEach(onNotice);
  return features;
}
