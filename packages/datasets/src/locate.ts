import { stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { VouchError } from "vouch/predict";
import { cacheFolder } from "./cache-folder.js";
import { catalogue } from "./catalogue.js";
import type { DatasetEntry, DatasetFile } from "./entry.js";
import { datasetNamed } from "./named.js";
import { obtainByHand } from "./obtain-by-hand.js";

/** Where a data set was found. */
export type Place = "VOUCH_DATA" | "shipped" | "cache";

/** Paths of a data set's tables: one, or the two of an official split. */
export type LocatedFiles = { readonly all: string } | { readonly train: string; readonly test: string };

/** A data set and where its files are on this machine. */
export interface Located {
  readonly entry: DatasetEntry;
  readonly place: Place;
  /** For `NAME.train` or `NAME.test`, `all` is the file of that part. */
  readonly files: LocatedFiles;
}

/** An entry of the catalogue and where it is; `place` is absent when it is not on this machine. */
export interface Listed {
  readonly entry: DatasetEntry;
  readonly place?: Place;
}

/**
 * Finds the files of `NAME`, `NAME.train` or `NAME.test`: in the folder that `VOUCH_DATA` names, then among
 * the shipped sets, then in the cache. Does not verify checksums: a file is verified when it is fetched.
 */
export async function locateDataset(name: string): Promise<Located> {
  const { entry, part } = datasetNamed(name);
  const wanted = entry.files.filter((file) => part === undefined || file.part === part);
  for (const [place, folder] of await folders()) {
    const files = await tablesIn(folder, wanted);
    if (files !== undefined) return { entry, place, files };
  }
  const canFetch = entry.files.every((file) => file.download !== undefined);
  throw new VouchError("dataset/unavailable", `The data set "${name}" is not on this machine.`, {
    hint: canFetch ? `Fetch it with: vouch datasets get ${entry.name}` : obtainByHand(entry, cacheFolder()),
  });
}

/** The catalogue, each entry with the first place that has all of its files. */
export async function listDatasets(): Promise<Listed[]> {
  const places = await folders();
  return Promise.all(
    catalogue.map(async (entry) => {
      for (const [place, folder] of places) {
        if ((await tablesIn(folder, entry.files)) !== undefined) return { entry, place };
      }
      return { entry };
    }),
  );
}

const shippedFolder = fileURLToPath(new URL("../data/", import.meta.url));

async function folders(): Promise<[Place, string][]> {
  const places: [Place, string][] = [
    ["shipped", shippedFolder],
    ["cache", cacheFolder()],
  ];
  const { VOUCH_DATA } = process.env;
  if (!VOUCH_DATA) return places;
  const found = await stat(VOUCH_DATA).catch(() => undefined);
  if (found?.isDirectory()) return [["VOUCH_DATA", VOUCH_DATA], ...places];
  const problem = found === undefined ? "which does not exist" : "which is not a folder";
  throw new VouchError("file/missing", `VOUCH_DATA names ${VOUCH_DATA}, ${problem}.`, {
    hint: "Correct VOUCH_DATA, or unset it to use the shipped and the fetched data sets.",
  });
}

/** The paths of the tables among `files`, if the folder has all of them. */
async function tablesIn(folder: string, files: readonly DatasetFile[]): Promise<LocatedFiles | undefined> {
  const paths = new Map<string, string>();
  for (const file of files) {
    const path = await existing(join(folder, file.name));
    if (path === undefined) return undefined;
    if (!file.labelsOnly) paths.set(file.part, path);
  }
  const train = paths.get("train");
  const test = paths.get("test");
  if (train !== undefined && test !== undefined) return { train, test };
  const [all] = paths.values();
  return { all };
}

/** The path itself or the same file unpacked. */
async function existing(path: string): Promise<string | undefined> {
  for (const candidate of [path, path.replace(/\.gz$/, "")]) {
    const found = await stat(candidate).catch(() => undefined);
    if (found?.isFile()) return candidate;
  }
  return undefined;
}
