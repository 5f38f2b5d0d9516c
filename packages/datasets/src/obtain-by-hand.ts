import type { DatasetEntry } from "./entry.js";

/** Tells a person where a data set is published and which files to put where. */
export function obtainByHand(entry: DatasetEntry, folder: string): string {
  const files = entry.files.map((file) => file.name).join(" and ");
  const how =
    entry.byHand ??
    `Make of it a CSV file with a header line and the class in the last column, "${entry.target}".`;
  return (
    `${entry.title} is published at ${entry.urls.join(" and ")}. ${how} ` +
    `Put ${files} into ${folder}, or into a folder that VOUCH_DATA names.`
  );
}
