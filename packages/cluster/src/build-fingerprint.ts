import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { LIBRARY_FOLDER } from "@vouch/core/internal/library-folder";

/** Hexadecimal digits of the fingerprint: enough to distinguish builds, and short enough for messages. */
const DIGITS = 8;

/** Computes the fingerprint of a build: the beginning of the SHA-256 of all modules in its folders and their names. */
export function fingerprintOf(folders: readonly URL[]): string {
  const hash = createHash("sha256");
  for (const folder of folders) {
    const names = readdirSync(fileURLToPath(folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".js"))
      .map((name) => name.split(sep).join("/"))
      .sort();
    for (const name of names) {
      const bytes = readFileSync(new URL(name, folder));
      hash.update(`${name}\n${bytes.length}\n`).update(bytes);
    }
  }
  return hash.digest("hex").slice(0, DIGITS);
}

/** Fingerprint of this build of the library and the cluster. The bundled command contains it as a constant. */
export const BUILD = fingerprintOf([LIBRARY_FOLDER, new URL("./", import.meta.url)]);
