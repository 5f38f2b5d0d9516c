import { type Column, denseValues, numberAt } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";
import type { Target } from "@vouch/core/internal/table/target";
import { type Labelled, labelled, selectRows } from "@vouch/core/internal/table/target";
import { listDatasets, loadDataset } from "@vouch/datasets";
import type { Scale } from "./experiment.js";

/** Data sets that an experiment can use, and missing ones. */
interface AvailableSets {
  readonly present: readonly string[];
  /** Wanted at this scale, but not available locally. */
  readonly absent: string[];
}

/** Finds the data sets that are available locally. Scale quick wants only shipped ones, so that it runs anywhere. */
export async function availableSets(names: readonly string[], scale: Scale): Promise<AvailableSets> {
  const wanted = (await listDatasets()).filter(
    ({ entry }) => names.includes(entry.name) && (scale === "paper" || entry.shipped),
  );
  const inOrder = (isPresent: boolean) =>
    names.filter((name) =>
      wanted.some(({ entry, place }) => entry.name === name && (place !== undefined) === isPresent),
    );
  return { present: inOrder(true), absent: inOrder(false) };
}

/** Lists the data sets with two classes, in the order of the catalogue. */
export async function binarySets(): Promise<string[]> {
  return (await listDatasets()).filter(({ entry }) => entry.classes === 2).map(({ entry }) => entry.name);
}

/** Returns a remark on absent data sets, if there are any. */
export function absenceNote(absent: readonly string[]): string[] {
  return absent.length > 0 ? [`Not measured: ${absent.join(", ")}.`] : [];
}

/** Labelled rows as plain objects, which can be sent to a thread. */
export interface PlainRows extends Target {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly labels: Int32Array;
}

/** The rows of a data set that an experiment uses. */
export interface RowsWanted {
  /** Leave out rows with a missing value. */
  readonly complete?: boolean;
  /** Maximum number of rows, from the first one on. */
  readonly most?: number;
}

/** Loads the rows of a data set, or of its training part. */
export async function loadRows(
  name: string,
  { complete = false, most = Infinity }: RowsWanted = {},
  signal?: AbortSignal,
): Promise<PlainRows> {
  const { train, entry } = await loadDataset(name, signal ? { signal } : {});
  const all = labelled(train, entry.target);
  const wanted = Int32Array.from(all.labels.keys())
    .filter((row) => !complete || !all.features.columns.some((column) => isMissing(column, row)))
    .filter((_, i) => i < most);
  return plainRows(selectRows(all, wanted), name);
}

/** Makes plain objects of labelled rows. */
export function plainRows({ features, labels, target, classes }: Labelled, name: string): PlainRows {
  // Sparse values are not a plain object.
  const columns = features.columns.map((column) =>
    column.kind === "numeric" ? { ...column, values: denseValues(column.values) } : column,
  );
  return { name, columns, labels, target, classes };
}

/** Makes labelled rows of plain objects. */
export function labelledRows({ name, columns, labels, target, classes }: PlainRows): Labelled {
  return { features: new Table(name, labels.length, columns), labels, target, classes, notices: [] };
}

function isMissing(column: Column, row: number): boolean {
  return column.kind === "numeric" ? Number.isNaN(numberAt(column.values, row)) : column.codes[row] < 0;
}
