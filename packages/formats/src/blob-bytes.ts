import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Reads a part of a file as bytes. */
export async function blobBytes(part: Blob, name: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await part.arrayBuffer());
  } catch (error) {
    throw unreadable(error, name);
  }
}

/** Explains why a browser cannot read a file; returns other errors as they are. */
export function unreadable(error: unknown, name: string): unknown {
  const isUnreadable =
    error instanceof DOMException && (error.name === "NotReadableError" || error.name === "NotFoundError");
  if (!isUnreadable) return error;
  return new VouchError("file/read", `${name} can no longer be read.`, {
    hint: "It was changed, moved or deleted since it was chosen: choose it again.",
    cause: error,
  });
}

/** Reads a stream to its end; not all browsers support iterating over it. */
export async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
