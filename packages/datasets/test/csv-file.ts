import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Reads a file of the catalogue in the simplest way, as a reference for the real readers. */
export function readCsvFile(path: string) {
  const bytes = readFileSync(path);
  const content = path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  const lines = content.toString("utf8").split("\n");
  const last = lines.pop();
  if (last !== "") throw new Error(`${path} does not end with a line break.`);
  const [header, ...rows] = lines.map((line) => line.split(","));
  return { content: digestOf(content), header, rows };
}

export function digestOf(bytes: Uint8Array) {
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}
