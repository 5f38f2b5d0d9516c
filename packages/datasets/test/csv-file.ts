import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A file of the catalogue read in the plainest way, to check the real readers against. */
export function readCsvFile(path: string) {
  const bytes = readFileSync(path);
  const content = path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  const lines = content.toString("utf8").split("\n");
  const last = lines.pop();
  if (last !== "") throw new Error(`${path} does not end with a line break.`);
  const [header, ...rows] = lines.map((line) => line.split(","));
  return { fingerprint: fingerprintOf(bytes), content: fingerprintOf(content), header, rows };
}

export function fingerprintOf(bytes: Uint8Array) {
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}
