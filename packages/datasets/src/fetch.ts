import { copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import { interrupted, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { recordDownload, recordedSource } from "./cached-file.js";
import { datasetNamed } from "./catalogue.js";
import { convertToCsv, mostOriginalBytes, OriginalMismatch } from "./convert.js";
import { checksumError, type DownloadOptions, downloadOriginal } from "./download.js";
import type { DatasetEntry, DatasetFile, Download, FileDigest } from "./entry.js";
import { cacheFolder, manualInstructions } from "./locate.js";

/** Options of `fetchDataset`. */
export interface FetchOptions {
  /** Stops the download without leaving files behind. */
  readonly signal?: AbortSignal;
  /** Called as bytes arrive. */
  readonly onProgress?: (progress: Progress) => void;
  /** Folder to write to (default: the cache folder of the user). */
  readonly cacheFolder?: string;
  /** Milliseconds without a byte before the download is given up (default: a minute). */
  readonly timeout?: number;
}

/** A downloaded data set in the cache. */
export interface FetchedDataset {
  readonly entry: DatasetEntry;
  /** Paths of the files, in the order of the entry. */
  readonly files: readonly string[];
  /**
   * `checksum`: the data match the catalogue byte for byte. `counts`: the numbers of rows, features and classes are
   * right, but the catalogue has no checksum. The first download then sets the checksum for later ones.
   */
  readonly verified: "checksum" | "counts";
}

/**
 * Downloads a data set from its public source, verifies it, converts it to the catalogue's form and stores it in the
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
    const originals = await downloadAll(sources, work, { timeout: MOST_SILENCE, ...options, advice });
    const pinned = await makeFiles(entry, originals, work, options.signal);
    if (!pinned) await compareWithFirst(originals, folder, advice);
    return {
      entry,
      files: await moveFiles(originals, work, folder),
      verified: pinned ? "checksum" : "counts",
    };
  } catch (error) {
    if (options.signal?.aborted) throw interrupted();
    if (error instanceof OriginalMismatch) throw mismatchError(entry, error, advice);
    throw error instanceof VouchError ? error : cannotWrite(folder, error);
  } finally {
    if (work !== undefined) await rm(work, { recursive: true, force: true });
  }
}

/** Default time without a byte before a download is given up, in milliseconds. */
const MOST_SILENCE = 60_000;

/** Maximum size of an unconverted file whose size the catalogue does not know. */
const MOST_KEPT_BYTES = 2 ** 30;

/** A file of the entry and its download. */
interface FileSource {
  readonly file: DatasetFile;
  readonly download: Download;
}

/** A file of the entry and its downloaded original. */
interface DownloadedFile extends FileSource {
  readonly path: string;
  readonly digest: FileDigest;
  /** Maximum size of its text. */
  readonly mostBytes: number;
}

/** Downloads each address once; returns the originals in the order of the sources. */
async function downloadAll(
  sources: readonly FileSource[],
  work: string,
  options: Omit<DownloadOptions, "mostBytes">,
): Promise<DownloadedFile[]> {
  const originals: DownloadedFile[] = [];
  for (const [i, source] of sources.entries()) {
    const { url } = source.download;
    const same = originals.find(({ download }) => download.url === url);
    if (same !== undefined) {
      originals.push({ ...same, ...source });
      continue;
    }
    const sharing = sources.filter(({ download }) => download.url === url);
    const mostBytes = Math.max(...sharing.map(mostDownloadBytes));
    const path = join(work, `original-${i}`);
    const digest = await downloadOriginal(source.download, path, { ...options, mostBytes });
    originals.push({ ...source, path, digest, mostBytes });
  }
  return originals;
}

/** Returns the maximum size of the published file, compressed or not, by its numbers of rows and columns. */
function mostDownloadBytes({ file, download: { convert } }: FileSource): number {
  if (convert.kind === "keep") return MOST_KEPT_BYTES;
  const rows = convert.kind === "fields" ? (convert.rows?.[1] ?? file.rows) : file.rows;
  return mostOriginalBytes(rows, convert);
}

/**
 * Makes every file of the entry in the folder `work` under its own name, and compares it with the entry. Returns
 * whether all checksums were known.
 */
async function makeFiles(
  entry: DatasetEntry,
  originals: readonly DownloadedFile[],
  work: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const classes = new Set<string>();
  let pinned = true;
  for (const { file, download, path, mostBytes } of originals) {
    const { url, original, convert } = download;
    const to = join(work, file.name);
    await mkdir(dirname(to), { recursive: true });
    if (original === undefined && file.content === undefined) pinned = false;
    if (convert.kind === "keep") {
      await copyFile(path, to);
      continue;
    }
    const made = await convertToCsv(path, to, {
      conversion: convert,
      target: entry.target,
      mostBytes,
      signal,
    });
    if (made.rows !== file.rows) {
      throw new OriginalMismatch(`${url} has ${made.rows} rows instead of ${file.rows}`);
    }
    if (file.content !== undefined && made.content.sha256 !== file.content.sha256) {
      const { sha256 } = file.content;
      throw new OriginalMismatch(`as CSV, ${url} has SHA-256 ${made.content.sha256} instead of ${sha256}`);
    }
    for (const name of made.classes) classes.add(name);
  }
  if (classes.size > 0 && classes.size !== entry.classes) {
    throw new OriginalMismatch(`it has ${classes.size} classes instead of ${entry.classes}`);
  }
  return pinned;
}

/** Compares originals without a catalogue checksum with the first download, if there was one. */
async function compareWithFirst(
  originals: readonly DownloadedFile[],
  folder: string,
  advice: string,
): Promise<void> {
  for (const { file, download, digest } of originals) {
    const first = await recordedSource(join(folder, file.name));
    if (first === undefined || first.url !== download.url || first.sha256 === digest.sha256) continue;
    const fault = `it has SHA-256 ${digest.sha256}, and when it was first downloaded it had ${first.sha256}`;
    const accept = `To accept the new file, delete ${join(folder, file.name)} and the .digest.json beside it. `;
    throw checksumError(download.url, fault, accept + advice);
  }
}

/** Renames each file into place, so that readers never see a partial file, and records its digests. */
async function moveFiles(
  originals: readonly DownloadedFile[],
  work: string,
  folder: string,
): Promise<string[]> {
  const paths: string[] = [];
  for (const { file, download, digest } of originals) {
    const path = join(folder, file.name);
    await mkdir(dirname(path), { recursive: true });
    await rename(join(work, file.name), path);
    await recordDownload(path, { url: download.url, ...digest });
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
