import { copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Progress } from "vouch";
import { interrupted, VouchError } from "vouch/errors";
import { cacheFolder } from "./cache-folder.js";
import { convertToCsv } from "./convert.js";
import { type DownloadOptions, downloadOriginal } from "./download.js";
import type { DatasetEntry, DatasetFile, Download } from "./entry.js";
import { datasetNamed } from "./named.js";
import { obtainByHand } from "./obtain-by-hand.js";
import { UnreadableOriginal } from "./unreadable-original.js";

/** How to fetch a data set. */
export interface FetchOptions {
  /** Aborting it stops the download and leaves nothing behind. */
  readonly signal?: AbortSignal;
  /** Called as bytes arrive. */
  readonly onProgress?: (progress: Progress) => void;
  /** Where to keep it; by default the user's cache folder. */
  readonly cacheFolder?: string;
}

/** A data set that was fetched into the cache. */
export interface Fetched {
  readonly entry: DatasetEntry;
  /** Paths of the files, in the order of the entry. */
  readonly files: readonly string[];
  /**
   * `checksum`: to the byte the data that the catalogue describes. `counts`: no checksum is known or the text
   * differs from the known one (say, in the order of rows), but rows, features and classes are as many as they
   * should be.
   */
  readonly verified: "checksum" | "counts";
}

/**
 * Downloads a data set of the catalogue from its public source, verifies it, writes it in the catalogue's form
 * and puts it into the cache folder, where `locateDataset` finds it.
 */
export async function fetchDataset(name: string, options: FetchOptions = {}): Promise<Fetched> {
  return fetchEntry(datasetNamed(name).entry, options);
}

/** `fetchDataset` for an entry that need not be in the catalogue. */
export async function fetchEntry(entry: DatasetEntry, options: FetchOptions = {}): Promise<Fetched> {
  const folder = options.cacheFolder ?? cacheFolder();
  const otherwise = obtainByHand(entry, folder);
  const sources = entry.files.flatMap((file) => (file.download ? [{ file, download: file.download }] : []));
  if (sources.length < entry.files.length) {
    const why = entry.shipped ? "it comes with vouch" : "its original is not a file that vouch can convert";
    throw new VouchError("dataset/unavailable", `The data set "${entry.name}" is not fetched: ${why}.`, {
      hint: entry.shipped ? `Use it by its name, "${entry.name}".` : otherwise,
    });
  }
  let work: string | undefined;
  try {
    await mkdir(folder, { recursive: true });
    work = await mkdtemp(join(folder, ".fetch-"));
    const originals = await downloadAll(sources, work, { ...options, otherwise });
    const verified = await makeFiles(entry, sources, originals, work, options.signal);
    return { entry, files: await moveFiles(entry, work, folder), verified };
  } catch (error) {
    if (options.signal?.aborted) throw interrupted();
    if (error instanceof UnreadableOriginal) throw notAsDescribed(entry, error, otherwise);
    throw error instanceof VouchError ? error : cannotWrite(folder, error);
  } finally {
    if (work !== undefined) await rm(work, { recursive: true, force: true });
  }
}

/** A file of the entry and where it comes from. */
interface Source {
  readonly file: DatasetFile;
  readonly download: Download;
}

/** Downloads the original of each source, each address once; gives their paths in the order of the sources. */
async function downloadAll(
  sources: readonly Source[],
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

/** Makes every file of the entry in the folder `work`, under its own name, and compares it with the catalogue. */
async function makeFiles(
  entry: DatasetEntry,
  sources: readonly Source[],
  originals: readonly string[],
  work: string,
  signal?: AbortSignal,
): Promise<Fetched["verified"]> {
  const classes = new Set<string>();
  let verified: Fetched["verified"] = "checksum";
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
      throw new UnreadableOriginal(`${url} has ${made.rows} rows instead of ${file.rows}`);
    }
    for (const name of made.classes) classes.add(name);
    if (original === undefined && made.content.sha256 !== file.content?.sha256) verified = "counts";
  }
  if (classes.size > 0 && classes.size !== entry.classes) {
    throw new UnreadableOriginal(`it has ${classes.size} classes instead of ${entry.classes}`);
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

function notAsDescribed(entry: DatasetEntry, cause: UnreadableOriginal, otherwise: string): VouchError {
  const message = `The original of "${entry.name}" is not as the catalogue describes it: ${cause.message}.`;
  const hint = `It may have changed, or a proxy may have answered in its place. ${otherwise}`;
  return new VouchError("dataset/checksum", message, { hint, cause });
}

function cannotWrite(folder: string, cause: unknown): VouchError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new VouchError("file/write", `Cannot write to the cache folder ${folder}: ${reason}.`, {
    hint: "Set VOUCH_CACHE to a folder that has room and that you may write to.",
    cause,
  });
}
