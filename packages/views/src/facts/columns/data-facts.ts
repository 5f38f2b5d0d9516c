import type { Table } from "@vouch/core/internal/table/table";
import type { Training } from "@vouch/core/internal/train/training";
import { type ColumnFacts, columnFacts } from "./column-facts.js";

export interface ClassCount {
  readonly name: string;
  readonly count: number;
}

/** The rows that a model was trained on. */
export interface DataFacts {
  readonly rows: number;
  /** Number of encoded features, as the learner sees them. */
  readonly features: number;
  readonly classes: readonly ClassCount[];
  /** Number of raw columns of each kind: `numeric`, `categorical`, … */
  readonly columns: Readonly<Record<string, number>>;
  readonly missingCells: number;
  /** Number of rows that were read, and facts about each column. */
  readonly table?: { readonly rows: number; readonly columns: readonly ColumnFacts[] };
}

/** Summarises the training rows; the table contains all rows that were read. */
export function dataFacts({ classifier, samples }: Training, table: Table): DataFacts {
  const { target, classes } = classifier.encoder.schema;
  const counts = new Array<number>(classes.length).fill(0);
  for (const label of samples.training.labels) counts[label]++;
  const { split } = classifier.card;
  const features = table.columns.filter(
    ({ name }) => name !== target && name !== split?.group && name !== split?.time,
  );
  const columns = features.map(columnFacts);
  const kinds: Record<string, number> = {};
  for (const { kind } of columns) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return {
    rows: samples.training.rows,
    features: classifier.encoder.featureNames.length,
    classes: classes.map((name, k) => ({ name, count: counts[k] })),
    columns: kinds,
    missingCells: columns.reduce((sum, { missing }) => sum + missing, 0),
    table: { rows: table.rows, columns },
  };
}
