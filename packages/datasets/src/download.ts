import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { type Progress, VouchError } from "vouch/predict";
import type { Download } from "./entry.js";
import type { Fingerprint } from "./file-facts.js";

/** What a download needs besides the address. */
export interface DownloadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** What to do when it fails, for the hint of the error. */
  readonly otherwise: string;
}

/** Streams an original to the file `path` and verifies its size and checksum where they are known. */
export async function downloadOriginal(
  { url, original }: Download,
  path: string,
  { signal, onProgress, otherwise }: DownloadOptions,
): Promise<void> {
  const unavailable = (problem: string, cause?: unknown) =>
    new VouchError("dataset/unavailable", problem, { hint: otherwise, cause });
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    throw unavailable(`Cannot reach ${url}: ${reasonOf(error)}.`, error);
  });
  const { body } = response;
  if (!response.ok || body === null) {
    await body?.cancel();
    throw unavailable(`${url} answers with HTTP status ${response.status}.`);
  }
  const total = original?.bytes ?? (Number(response.headers.get("content-length")) || undefined);
  const hash = createHash("sha256");
  let bytes = 0;

  async function* arriving(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        onProgress?.({ stage: "download", done: bytes, total, note: url });
        yield chunk;
      }
    } catch (error) {
      throw unavailable(`The download of ${url} broke off after ${bytes} bytes: ${reasonOf(error)}.`, error);
    }
  }

  await pipeline(arriving(body), createWriteStream(path), { signal });
  if (original !== undefined) verify(url, original, { bytes, sha256: hash.digest("hex") }, otherwise);
}

function verify(url: string, expected: Fingerprint, actual: Fingerprint, otherwise: string): void {
  if (actual.bytes === expected.bytes && actual.sha256 === expected.sha256) return;
  throw new VouchError(
    "dataset/checksum",
    `The file at ${url} is not the one the catalogue describes: it has ${actual.bytes} bytes and SHA-256 ` +
      `${actual.sha256} instead of ${expected.bytes} bytes and ${expected.sha256}.`,
    { hint: `The original may have changed, or a proxy may have answered in its place. ${otherwise}` },
  );
}

/** `fetch` says only "fetch failed"; why is in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error
    ? cause.message || ("code" in cause ? String(cause.code) : cause.name)
    : error.message;
}
