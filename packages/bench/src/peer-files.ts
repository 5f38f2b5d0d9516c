import { mkdir, writeFile } from "node:fs/promises";
import type { Matrix } from "vouch/learning";
import { columnsOf, type ForestWork, type Parts } from "./forest-work.js";

/** What a peer is told of its rows: the folder where they are, and how many columns they have. */
export type PeerRows = readonly [folder: string, columns: string];

/**
 * Writes all parts into a new folder, in single precision: `PART.features` row after row, `PART.columns` column after
 * column, and class indices as `PART.labels`.
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
