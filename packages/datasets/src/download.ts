import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Progress } from "vouch";
import { VouchError } from "vouch/errors";
import type { Download, FileDigest } from "./entry.js";

/** Options of a download. */
export interface DownloadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Advice in case the download fails: where else to get the data. */
  readonly advice: string;
}

/** Downloads a published file to `path` and verifies its size and checksum if they are known. */
export async function downloadOriginal(
  { url, original }: Download,
  path: string,
  { signal, onProgress, advice }: DownloadOptions,
): Promise<void> {
  const unavailable = (problem: string, cause?: unknown) =>
    new VouchError("dataset/unavailable", problem, { hint: advice, cause });
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    throw unavailable(`Cannot reach ${url}: ${reasonOf(error)}.`, error);
  });
  const { body } = response;
  if (!response.ok || body === null) {
    await body?.cancel();
    throw unavailable(`${url} returned HTTP status ${response.status}.`);
  }
  const total = original?.bytes ?? (Number(response.headers.get("content-length")) || undefined);
  const hash = createHash("sha256");
  let bytes = 0;

  async function* arriving(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        onProgress?.({ stage: "Downloading", done: bytes, total, note: url });
        yield chunk;
      }
    } catch (error) {
      throw unavailable(`The download of ${url} stopped after ${bytes} bytes: ${reasonOf(error)}.`, error);
    }
  }

  await pipeline(arriving(body), createWriteStream(path), { signal });
  if (original !== undefined) verify(url, original, { bytes, sha256: hash.digest("hex") }, advice);
}

function verify(url: string, expected: FileDigest, actual: FileDigest, advice: string): void {
  if (actual.bytes === expected.bytes && actual.sha256 === expected.sha256) return;
  throw new VouchError(
    "dataset/checksum",
    `The file at ${url} does not match the catalogue: it has ${actual.bytes} bytes and SHA-256 ` +
      `${actual.sha256} instead of ${expected.bytes} bytes and ${expected.sha256}.`,
    { hint: `It may have changed, or a proxy may have replaced it. ${advice}` },
  );
}

/** Finds the reason: `fetch` says only "fetch failed", with the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error
    ? cause.message || ("code" in cause ? String(cause.code) : cause.name)
    : error.message;
}
