import { copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Progress } from "vouch";
import { interrupted, VouchError } from "vouch/errors";
import { datasetNamed } from "./catalogue.js";
import { convertToCsv, OriginalMismatch } from "./convert.js";
import { type DownloadOptions, downloadOriginal } from "./download.js";
import type { DatasetEntry, DatasetFile, Download } from "./entry.js";
import { cacheFolder, manualInstructions } from "./locate.js";

/** Options of `fetchDataset`. */
export interface FetchOptions {
  /** Stops the download and leaves nothing behind. */
  readonly signal?: AbortSignal;
  /** Called as bytes arrive. */
  readonly onProgress?: (progress: Progress) => void;
  /** Folder to write to (default: the cache folder of the user). */
  readonly cacheFolder?: string;
}

/** A data set that was downloaded to the cache. */
export interface FetchedDataset {
  readonly entry: DatasetEntry;
  /** Paths of the files, in the order of the entry. */
  readonly files: readonly string[];
  /**
   * `checksum`: the data match the catalogue, byte for byte. `counts`: the numbers of rows, features and classes are right,
   * but no checksum is known, or the text differs from the known one (for example in the order of rows).
   */
  readonly verified: "checksum" | "counts";
}

/**
 * Downloads a data set from its public source, verifies it, converts it to the catalogue's form and puts it into the
 * cache folder, where `locateDataset` finds it. Pass the name of a data set, or a custom entry.
 */
export async function fetchDataset(
  dataset: string | DatasetEntry,
  options: FetchOptions = {},
): Promise<FetchedDataset> {
  const entry = typeof dataset === "string" ? datasetNamed(dataset).entry : dataset;
  const folder = options.cacheFolder ?? cacheFolder();
  const advice = manualInstructions(entry, folder);
  const sources = entry.files.flatMap((file) => (file.download ? [{ file, download: file.download }] : []));
  if (sources.length < entry.files.length) {
    const reason = entry.shipped ? "it comes with vouch" : "vouch cannot convert the published files";
    throw new VouchError("dataset/unavailable", `Data set "${entry.name}" is not downloaded: ${reason}.`, {
      hint: entry.shipped ? `Use it by its name, "${entry.name}".` : advice,
    });
  }
  let work: string | undefined;
  try {
    await mkdir(folder, { recursive: true });
    work = await mkdtemp(join(folder, ".fetch-"));
    const originals = await downloadAll(sources, work, { ...options, advice });
    const verified = await makeFiles(entry, sources, originals, work, options.signal);
    return { entry, files: await moveFiles(entry, work, folder), verified };
  } catch (error) {
    if (options.signal?.aborted) throw interrupted();
    if (error instanceof OriginalMismatch) throw mismatchError(entry, error, advice);
    throw error instanceof VouchError ? error : cannotWrite(folder, error);
  } finally {
    if (work !== undefined) await rm(work, { recursive: true, force: true });
  }
}

/** A file of the entry and its download. */
interface FileSource {
  readonly file: DatasetFile;
  readonly download: Download;
}

/** Downloads each address once; returns the paths in the order of the sources. */
async function downloadAll(
  sources: readonly FileSource[],
  work: string,
  options: DownloadOptions,
): Promise<string[]> {
  const paths = sources.map(({ download }) => {
    const first = sources.findIndex((other) => other.download.url === download.url);
    return join(work, `original-${first}`);
  });
  for (const [i, { download }] of sources.entries()) {
    if (paths.indexOf(paths[i]) === i) await downloadOriginal(download, paths[i], options);
  }
  return paths;
}

/** Makes every file of the entry in the folder `work`, under its own name, and compares it with the entry. */
async function makeFiles(
  entry: DatasetEntry,
  sources: readonly FileSource[],
  originals: readonly string[],
  work: string,
  signal?: AbortSignal,
): Promise<FetchedDataset["verified"]> {
  const classes = new Set<string>();
  let verified: FetchedDataset["verified"] = "checksum";
  for (const [i, { file, download }] of sources.entries()) {
    const { url, original, convert } = download;
    const to = join(work, file.name);
    await mkdir(dirname(to), { recursive: true });
    if (convert.kind === "keep") {
      await copyFile(originals[i], to);
      if (original === undefined) verified = "counts";
      continue;
    }
    const made = await convertToCsv(originals[i], to, convert, entry.target, signal);
    if (made.rows !== file.rows) {
      throw new OriginalMismatch(`${url} has ${made.rows} rows instead of ${file.rows}`);
    }
    for (const name of made.classes) classes.add(name);
    if (original === undefined && made.content.sha256 !== file.content?.sha256) verified = "counts";
  }
  if (classes.size > 0 && classes.size !== entry.classes) {
    throw new OriginalMismatch(`it has ${classes.size} classes instead of ${entry.classes}`);
  }
  return verified;
}

/** Renames each file into place, so that a reader finds a whole file or none. */
async function moveFiles(entry: DatasetEntry, work: string, folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const { name } of entry.files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await rename(join(work, name), path);
    paths.push(path);
  }
  return paths;
}

function mismatchError(entry: DatasetEntry, cause: OriginalMismatch, advice: string): VouchError {
  const message = `The original of "${entry.name}" does not match the catalogue: ${cause.message}.`;
  const hint = `It may have changed, or a proxy may have replaced it. ${advice}`;
  return new VouchError("dataset/checksum", message, { hint, cause });
}

function cannotWrite(folder: string, cause: unknown): VouchError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new VouchError("file/write", `Cannot write to the cache folder ${folder}: ${reason}.`, {
    hint: "Set VOUCH_CACHE to a writable folder with enough space.",
    cause,
  });
}
