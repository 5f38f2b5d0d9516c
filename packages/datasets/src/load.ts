import type { Table } from "@vouch/core/internal/table/table";
import { type ReadOptions, readTable } from "@vouch/formats";
import type { DatasetEntry } from "./entry.js";
import { locateDataset } from "./locate.js";

/** A data set in memory. */
export interface LoadedDataset {
  readonly entry: DatasetEntry;
  /** Training rows; all rows if there is no official split, or the rows of the named part. */
  readonly train: Table;
  /** Test rows of an official split. */
  readonly test?: Table;
}

/** Reads a data set of the catalogue: `NAME`, or one part of it, `NAME.train` or `NAME.test`. */
export async function loadDataset(
  name: string,
  options: Pick<ReadOptions, "signal" | "onProgress"> = {},
): Promise<LoadedDataset> {
  const { entry, files } = await locateDataset(name);
  const read = (path: string, name: string) => readTable(path, { ...options, name, target: entry.target });
  if ("all" in files) return { entry, train: await read(files.all, name) };
  return {
    entry,
    train: await read(files.train, `${name}.train`),
    test: await read(files.test, `${name}.test`),
  };
}
