import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { verifyCached } from "./cached-file.js";
import { catalogue, datasetNamed } from "./catalogue.js";
import type { DatasetEntry, DatasetFile } from "./entry.js";

/** Where a data set was found. */
export type DatasetPlace = "VOUCH_DATA" | "shipped" | "cache";

/** Paths of a data set's tables: one, or two for an official split. */
export type DatasetPaths = { readonly all: string } | { readonly train: string; readonly test: string };

/** A data set and its files on this machine. */
export interface LocatedDataset {
  readonly entry: DatasetEntry;
  readonly place: DatasetPlace;
  /** For `NAME.train` or `NAME.test`, `all` is the file of that part. */
  readonly files: DatasetPaths;
}

/** An entry of the catalogue and its location; absent if the data set is not on this machine. */
export interface DatasetListing {
  readonly entry: DatasetEntry;
  readonly place?: DatasetPlace;
}

/**
 * Finds the files of `NAME`, `NAME.train` or `NAME.test` in the folder `VOUCH_DATA`, among the shipped data sets, or in
 * the cache, in this order. Verifies downloaded files.
 */
export async function locateDataset(name: string): Promise<LocatedDataset> {
  const { entry, part } = datasetNamed(name);
  const wanted = entry.files.filter((file) => part === undefined || file.part === part);
  for (const [place, folder] of await folders()) {
    const files = await tablesIn(folder, wanted);
    if (files === undefined) continue;
    if (place === "cache") {
      for (const file of wanted) await verifyCached(join(folder, file.name), entry.name);
    }
    return { entry, place, files };
  }
  const canFetch = entry.files.every((file) => file.download !== undefined);
  throw new VouchError("dataset/unavailable", `Data set "${name}" is not on this machine.`, {
    hint: canFetch
      ? `Download it with: vouch datasets get ${entry.name}`
      : manualInstructions(entry, cacheFolder()),
  });
}

/** Lists the catalogue, each entry with the first place that has all of its files. */
export async function listDatasets(): Promise<DatasetListing[]> {
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

/**
 * Returns the folder for downloaded data sets: `VOUCH_CACHE`, or else the user's cache folder (`XDG_CACHE_HOME` or
 * `~/.cache` on Linux, `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows).
 */
export function cacheFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  const { VOUCH_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  if (VOUCH_CACHE) return resolve(VOUCH_CACHE);
  // By the XDG specification, a relative path must be ignored.
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, "vouch");
  if (platform === "win32") return join(LOCALAPPDATA || join(home, "AppData", "Local"), "vouch", "cache");
  if (platform === "darwin") return join(home, "Library", "Caches", "vouch");
  return join(home, ".cache", "vouch");
}

/** Explains where a data set is published and where to put its files. */
export function manualInstructions(entry: DatasetEntry, folder: string): string {
  const files = entry.files.map((file) => file.name).join(" and ");
  const how =
    entry.byHand ??
    `Convert it to CSV with a header line and the class in the last column, "${entry.target}".`;
  return (
    `${entry.title} is published at ${entry.urls.join(" and ")}. ${how} ` +
    `Put ${files} into ${folder}, or into the folder that VOUCH_DATA names.`
  );
}

const shippedFolder = fileURLToPath(new URL("../data/", import.meta.url));

async function folders(): Promise<[DatasetPlace, string][]> {
  const places: [DatasetPlace, string][] = [
    ["shipped", shippedFolder],
    ["cache", cacheFolder()],
  ];
  const { VOUCH_DATA } = process.env;
  if (!VOUCH_DATA) return places;
  const found = await stat(VOUCH_DATA).catch(() => undefined);
  if (found?.isDirectory()) return [["VOUCH_DATA", VOUCH_DATA], ...places];
  const problem = found === undefined ? "does not exist" : "is not a folder";
  throw new VouchError("file/missing", `VOUCH_DATA is ${VOUCH_DATA}, which ${problem}.`, {
    hint: "Correct VOUCH_DATA, or unset it to use only shipped and downloaded data sets.",
  });
}

/** Returns the paths of the tables among `files`; undefined if a file is missing. */
async function tablesIn(folder: string, files: readonly DatasetFile[]): Promise<DatasetPaths | undefined> {
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

/** Returns the path if the file exists, or else the path without `.gz` if that exists. */
async function existing(path: string): Promise<string | undefined> {
  for (const candidate of [path, path.replace(/\.gz$/, "")]) {
    const found = await stat(candidate).catch(() => undefined);
    if (found?.isFile()) return candidate;
  }
  return undefined;
}
