import { catalogue } from "./catalogue.js";
import type { DatasetEntry } from "./entry.js";

/** Formats the catalogue as a Markdown table for the documentation. */
export function catalogueTable(): string {
  const header = [
    "name",
    "what",
    "rows (train / test)",
    "features",
    "classes",
    "get it",
    "source",
    "licence",
  ];
  const rows = catalogue.map((entry) => [
    `\`${entry.name}\``,
    entry.title,
    rowCounts(entry),
    entry.kinds,
    String(entry.classes),
    howToGet(entry),
    `${entry.source} (${entry.urls.map((url, i) => `[${i + 1}](${url})`).join(", ")})`,
    entry.licence,
  ]);
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Formats the notes on each data set as a Markdown list. */
export function catalogueNotes(): string {
  return catalogue
    .map((entry) => [entry.name, entry.sortedByClass ? [sorted, ...entry.notes] : entry.notes] as const)
    .filter(([, notes]) => notes.length > 0)
    .map(([name, notes]) => `- \`${name}\`: ${notes.join(" ")}`)
    .join("\n");
}

const sorted = "**Sorted by class: shuffle before splitting.**";

function rowCounts(entry: DatasetEntry): string {
  return entry.files
    .filter((file) => !file.labelsOnly)
    .map((file) => file.rows)
    .join(" / ");
}

function howToGet(entry: DatasetEntry): string {
  if (entry.shipped) return "shipped";
  return entry.byHand === undefined ? "fetch" : "by hand";
}
