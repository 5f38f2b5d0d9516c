import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Download, FileDigest } from "./entry.js";

/** Options of a download. */
export interface DownloadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Milliseconds without a byte before the download is given up. */
  readonly timeout: number;
  /** Maximum size of the file in bytes, if the catalogue does not know its size. */
  readonly mostBytes: number;
  /** Hint for a failed download: where else to get the data. */
  readonly advice: string;
}

const MOST_REDIRECTS = 5;

/**
 * Downloads a published file to `path`, verifies its size and checksum if they are known, and returns them. Stops once
 * more bytes arrive than allowed.
 */
export async function downloadOriginal(
  { url, original }: Download,
  path: string,
  options: DownloadOptions,
): Promise<FileDigest> {
  const { onProgress, advice, signal, timeout } = options;
  const most = original?.bytes ?? options.mostBytes;
  const watch = new StallWatch(timeout, signal);
  const hash = createHash("sha256");
  let bytes = 0;

  async function* arriving({ body, announced }: Answer): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        watch.restart();
        hash.update(chunk);
        bytes += chunk.length;
        if (bytes > most) throw checksumError(url, tooLarge(bytes, most), advice);
        onProgress?.({ stage: "Downloading", done: bytes, total: original?.bytes ?? announced, note: url });
        yield chunk;
      }
    } catch (error) {
      if (error instanceof VouchError) throw error;
      const reason = watch.fault ?? reasonOf(error);
      throw unavailable(`The download of ${url} stopped after ${bytes} bytes: ${reason}.`, advice, error);
    }
  }

  try {
    const answer = await answered(url, most, watch, advice);
    await pipeline(arriving(answer), createWriteStream(path), { signal });
  } finally {
    watch.end();
  }
  const digest = { bytes, sha256: hash.digest("hex") };
  if (original !== undefined) verify(url, original, digest, advice);
  return digest;
}

/** A response body, and the size announced by the server. */
interface Answer {
  readonly body: AsyncIterable<Uint8Array>;
  readonly announced: number | undefined;
}

/** Requests the file; refuses a response that is not a file or announces too many bytes. */
async function answered(url: string, most: number, watch: StallWatch, advice: string): Promise<Answer> {
  const response = await requested(url, watch.signal).catch((error: unknown) => {
    if (error instanceof RefusedAddress) throw unavailable(`${url} ${error.message}.`, advice, error);
    throw unavailable(`Cannot reach ${url}: ${watch.fault ?? reasonOf(error)}.`, advice, error);
  });
  const { body, status, ok } = response;
  if (!ok || body === null) {
    await body?.cancel();
    throw unavailable(`${url} returned HTTP status ${status}.`, advice);
  }
  const announced = Number(response.headers.get("content-length")) || undefined;
  if (announced !== undefined && announced > most) {
    await body.cancel();
    throw checksumError(url, tooLarge(announced, most), advice);
  }
  return { body, announced };
}

function unavailable(problem: string, advice: string, cause?: unknown): VouchError {
  return new VouchError("dataset/unavailable", problem, { hint: advice, cause });
}

/** Creates the error for a download that differs from the catalogue. */
export function checksumError(url: string, fault: string, advice: string): VouchError {
  return new VouchError("dataset/checksum", `The file at ${url} does not match the catalogue: ${fault}.`, {
    hint: `It may have changed, or a proxy may have replaced it. ${advice}`,
  });
}

function tooLarge(bytes: number, most: number): string {
  return `it has ${bytes} bytes or more, and may have ${most}`;
}

function verify(url: string, expected: FileDigest, actual: FileDigest, advice: string): void {
  if (actual.bytes === expected.bytes && actual.sha256 === expected.sha256) return;
  const fault =
    `it has ${actual.bytes} bytes and SHA-256 ${actual.sha256} instead of ` +
    `${expected.bytes} bytes and ${expected.sha256}`;
  throw checksumError(url, fault, advice);
}

/** Aborts when nothing has arrived for a while, or when the caller aborts. */
class StallWatch {
  readonly signal: AbortSignal;
  /** Message once the time is up. */
  fault: string | undefined;
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, signal?: AbortSignal) {
    this.#milliseconds = milliseconds;
    const both = [this.#controller.signal, ...(signal === undefined ? [] : [signal])];
    this.signal = AbortSignal.any(both);
    this.restart();
  }

  restart(): void {
    this.end();
    this.#timer = setTimeout(() => {
      this.fault = `nothing arrived for ${this.#milliseconds / 1000} s`;
      this.#controller.abort();
    }, this.#milliseconds);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Thrown for an address that vouch refuses to request. */
class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}

/** Requests an address and follows redirects, but only to encrypted addresses. */
async function requested(url: string, signal: AbortSignal): Promise<Response> {
  let address = new URL(url);
  if (!isSafe(address, address)) throw new RefusedAddress("is not an https address");
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await fetch(address, { signal, redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    const next = new URL(location, address);
    if (!isSafe(next, address)) throw new RefusedAddress(`redirects to ${next.href}, which is not encrypted`);
    address = next;
  }
  throw new RefusedAddress(`redirects more than ${MOST_REDIRECTS} times`);
}

/**
 * Returns whether nobody in between can replace what `address` returns; a server on this machine may redirect to
 * itself.
 */
function isSafe(address: URL, from: URL): boolean {
  const isLocal = ({ hostname }: URL) => ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return address.protocol === "https:" || (address.protocol === "http:" && isLocal(address) && isLocal(from));
}

/** Returns the reason of an error: `fetch` says only "fetch failed", with the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error
    ? cause.message || ("code" in cause ? String(cause.code) : cause.name)
    : error.message;
}
