import { once } from "node:events";
import { createReadStream } from "node:fs";
import { tmpdir } from "node:os";
import { withTemporaryPath } from "@vouch/core/internal/runtime/files/temporary-files";
import { writeFileAtomic } from "@vouch/core/internal/runtime/files/write-file";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { interrupted, VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** A piece of output, and its number of rows. */
export interface OutputPiece {
  readonly text: string;
  readonly rows: number;
}

/** Writes pieces to a file, completely or not at all. */
export async function writePieces(path: string, pieces: AsyncIterable<OutputPiece>): Promise<void> {
  await writeFileAtomic(path, encoded(pieces));
}

async function* encoded(pieces: AsyncIterable<OutputPiece>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const { text } of pieces) yield encoder.encode(text);
}

/**
 * Prints pieces as fast as the reader accepts them. If an error ends them, its message adds that the output is
 * incomplete, unless nothing was printed.
 */
export async function printPieces(
  out: NodeJS.WriteStream,
  pieces: AsyncIterable<OutputPiece>,
  signal: AbortSignal,
): Promise<void> {
  let written = 0;
  try {
    for await (const { text, rows } of pieces) {
      const taken = out.write(text);
      written += rows;
      if (!taken) await drained(out, signal);
    }
  } catch (error) {
    if (written === 0 || !(error instanceof VouchError)) throw error;
    const incomplete = `The output is incomplete: it ends after ${formatCount(written, "row")}.`;
    throw new VouchError(error.code, `${error.message} ${incomplete}`, {
      hint: error.hint,
      cause: error,
    });
  }
}

/** Prints pieces once they are complete; until then they are in a temporary file. */
export async function printAllOrNothing(
  out: NodeJS.WriteStream,
  pieces: AsyncIterable<OutputPiece>,
  signal: AbortSignal,
): Promise<void> {
  await withTemporaryPath(tmpdir(), "vouch-output", async (path) => {
    await writePieces(path, pieces);
    await printPieces(out, piecesIn(path), signal);
  });
}

async function* piecesIn(path: string): AsyncGenerator<OutputPiece> {
  for await (const text of createReadStream(path, "utf8")) yield { text: String(text), rows: 0 };
}

/** Waits until the reader has accepted the output. */
async function drained(out: NodeJS.WriteStream, signal: AbortSignal): Promise<void> {
  await once(out, "drain", { signal }).catch((error) => {
    throw signal.aborted ? interrupted() : error;
  });
}
