import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { columnsOf, type ForestWork, type Parts } from "./forest-work.js";

/** Arguments of a peer: the folder of its rows, and the number of columns. */
export type PeerRows = readonly [folder: string, columns: string];

/**
 * Writes all parts into a new folder, in single precision: `PART.features` by rows, `PART.columns` by columns, and
 * class indices as `PART.labels`.
 */
export async function writeRows(
  folder: string,
  features: Parts<Matrix>,
  labels: ForestWork["labels"],
): Promise<PeerRows> {
  await mkdir(folder);
  for (const part of ["train", "test", "query"] as const) {
    await writeFile(`${folder}/${part}.features`, Float32Array.from(features[part].values));
    await writeFile(`${folder}/${part}.columns`, columnsOf(features[part]));
    await writeFile(`${folder}/${part}.labels`, labels[part]);
  }
  return [folder, String(features.train.columns)];
}

/** Runs work in a temporary folder, which is removed afterwards. */
export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await temporaryFolder();
  try {
    return await work(folder);
  } finally {
    await removeFolder(folder);
  }
}

/** Does the same for work that yields several results. */
export async function* inTemporaryFolder<T>(work: (folder: string) => AsyncGenerator<T>): AsyncGenerator<T> {
  const folder = await temporaryFolder();
  try {
    yield* work(folder);
  } finally {
    await removeFolder(folder);
  }
}

function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "vouch-bench-"));
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
