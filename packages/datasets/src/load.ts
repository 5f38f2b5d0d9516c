import { type ReadOptions, readTable } from "@vouch/formats";
import type { Table } from "vouch";
import type { DatasetEntry } from "./entry.js";
import { locateDataset } from "./locate.js";

/** A data set in memory. */
export interface LoadedDataset {
  readonly entry: DatasetEntry;
  /** The training rows; all rows of a set without official split, or those of the part that was asked for. */
  readonly train: Table;
  /** The test rows of an official split. */
  readonly test?: Table;
}

/** Reads a data set of the catalogue: `NAME`, or one part of it as `NAME.train` or `NAME.test`. */
export async function loadDataset(
  name: string,
  options: Pick<ReadOptions, "signal" | "onProgress"> = {},
): Promise<LoadedDataset> {
  const { entry, files } = await locateDataset(name);
  const read = (path: string, called: string) =>
    readTable(path, { ...options, name: called, target: entry.target });
  if ("all" in files) return { entry, train: await read(files.all, name) };
  return {
    entry,
    train: await read(files.train, `${name}.train`),
    test: await read(files.test, `${name}.test`),
  };
}
