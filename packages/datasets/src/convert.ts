import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { bunzip2 } from "./bzip2.js";
import type { FieldsConversion, LibsvmConversion, Packing } from "./conversion.js";
import type { Fingerprint } from "./file-facts.js";
import { originalRows } from "./original-rows.js";
import { UnreadableOriginal } from "./unreadable-original.js";

/** What was written: its rows, its classes and the fingerprint of the text before it was packed. */
export interface Converted {
  readonly rows: number;
  readonly classes: ReadonlySet<string>;
  readonly content: Fingerprint;
}

/** Writes the original at `from` as the gzip'd CSV file `to`, the class in the last column, named `target`. */
export async function convertToCsv(
  from: string,
  to: string,
  conversion: LibsvmConversion | FieldsConversion,
  target: string,
  signal?: AbortSignal,
): Promise<Converted> {
  const hash = createHash("sha256");
  const classes = new Set<string>();
  let rows = 0;
  let bytes = 0;

  async function* text(): AsyncGenerator<string> {
    yield `${[...conversion.columns, target].join(",")}\n`;
    for await (const { values, label } of originalRows(unpacked(from, conversion.packing), conversion)) {
      rows++;
      classes.add(label);
      yield `${values.join(",")},${label}\n`;
    }
  }

  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of inChunks(text())) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }

  await pipeline(Readable.from(hashed()), createGzip(), createWriteStream(to), { signal });
  return { rows, classes, content: { bytes, sha256: hash.digest("hex") } };
}

async function* unpacked(path: string, packing: Packing): AsyncGenerator<Uint8Array> {
  if (packing === "bzip2") yield* bunzip2(await readFile(path));
  else if (packing === "none") yield* createReadStream(path);
  else yield* gunzipped(path);
}

async function* gunzipped(path: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(path).pipe(createGunzip());
  try {
    yield* stream;
  } catch (error) {
    throw new UnreadableOriginal(`it cannot be unpacked (${error instanceof Error ? error.message : error})`);
  }
}

/** Joins lines to chunks that are worth a write. */
async function* inChunks(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let pending = "";
  for await (const line of text) {
    pending += line;
    if (pending.length < 65_536) continue;
    yield Buffer.from(pending);
    pending = "";
  }
  yield Buffer.from(pending);
}
