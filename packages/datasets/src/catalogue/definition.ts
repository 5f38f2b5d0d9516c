import type { DatasetEntry, DatasetFile, DatasetPart, Download } from "../entry.js";
import { fileFacts } from "../file-facts.js";

/** Fields that most entries leave at their default. */
type Defaulted = "target" | "sortedByClass" | "notes" | "shipped";

/** Completes an entry with defaults: the target is `label`, and nothing is sorted, noted or shipped. */
export function defineDataset(
  entry: Omit<DatasetEntry, Defaulted> & Partial<Pick<DatasetEntry, Defaulted>>,
): DatasetEntry {
  return { target: "label", sortedByClass: false, notes: [], shipped: false, ...entry };
}

/** Describes a file listed in `fileFacts`. */
export function knownFile(part: DatasetPart, name: string, download?: Download): DatasetFile {
  const facts = fileFacts[name];
  if (facts === undefined) throw new Error(`fileFacts lacks ${name}.`);
  return download === undefined ? { part, name, ...facts } : { part, name, ...facts, download };
}

/** Returns column names: `prefix` followed by 1, 2, …, `count`, padded with zeros to `digits`. */
export function numbered(prefix: string, count: number, digits = 1): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${String(i + 1).padStart(digits, "0")}`);
}

/** Returns column names for the pixels of a square image, row by row: `p` with row and column from 0. */
export function pixels(size: number, digits: number, between: string): string[] {
  const padded = (n: number) => String(n).padStart(digits, "0");
  return Array.from(
    { length: size * size },
    (_, i) => `p${padded(Math.floor(i / size))}${between}${padded(i % size)}`,
  );
}
