/** Source of data: a path (in a browser, an address to fetch), a file, bytes, or a stream such as standard input. */
export type TableSource = string | Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** Names a source in messages. */
export function nameOfSource(source: TableSource): string {
  if (typeof source === "string") return source;
  return source instanceof File ? source.name : "the input";
}
