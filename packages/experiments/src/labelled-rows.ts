import { loadDataset } from "@vouch/datasets";
import { type Column, type Labelled, type LabelledRows, labelled, Table } from "vouch";
import type { Target } from "vouch/learning";

/** Labelled rows to train on; `target` and `classes` say what the labels mean. */
export type TrainingRows = Omit<Labelled, "notices">;

/** Labelled rows as plain objects, which can be sent to a thread. */
export interface PlainRows extends Target {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly labels: Int32Array;
}

/** What an experiment takes of a data set. */
export interface RowsWanted {
  /** Leave out rows with a missing value. */
  readonly complete?: boolean;
  /** Only so many rows, the first ones. */
  readonly most?: number;
}

/** The rows of a data set, of its training part where it has two. */
export async function plainRows(
  name: string,
  { complete = false, most = Infinity }: RowsWanted = {},
  signal?: AbortSignal,
): Promise<PlainRows> {
  const { train, entry } = await loadDataset(name, signal ? { signal } : {});
  const all = labelled(train, entry.target);
  const wanted = Int32Array.from(all.labels.keys())
    .filter((row) => !complete || !all.features.columns.some((column) => isMissing(column, row)))
    .filter((_, i) => i < most);
  const { features, labels, target, classes } = selectRows(all, wanted);
  return { name, columns: features.columns, labels, target, classes };
}

/** The rows that were sent, as a table again. */
export function receivedRows({ name, columns, labels, target, classes }: PlainRows): TrainingRows {
  return { features: new Table(name, labels.length, columns), labels, target, classes };
}

/** The given rows of labelled data, in the given order. */
export function selectRows<Rows extends Pick<LabelledRows, "features" | "labels">>(
  from: Rows,
  rows: Int32Array,
): Rows {
  return { ...from, features: from.features.select(rows), labels: rows.map((row) => from.labels[row]) };
}

/** How many rows are predicted wrong. */
export function countErrors(predictions: Int32Array, labels: Int32Array): number {
  return predictions.reduce((wrong, prediction, i) => wrong + (prediction === labels[i] ? 0 : 1), 0);
}

function isMissing(column: Column, row: number): boolean {
  return column.kind === "numeric" ? Number.isNaN(column.values[row]) : column.codes[row] < 0;
}
