import type { Download, FieldsConversion, FileDigest } from "../../entry.js";

const archive = "https://archive.ics.uci.edu/ml/machine-learning-databases";

/** Licence of all data sets of the UCI Machine Learning Repository. */
export const uciLicence = "CC BY 4.0";

/** Returns the page of a data set in the repository. */
export const uciPage = (path: string) => `https://archive.ics.uci.edu/dataset/${path}`;

/** Cites a data set of the repository. */
export const uciTitle = (title: string) => `UCI Machine Learning Repository, "${title}"`;

/** Layout of a text file in the repository. */
export type UciFields = Omit<FieldsConversion, "kind" | "compression">;

/** Describes the download of a text file of the repository. */
export function uciFile(file: string, fields: UciFields, original?: FileDigest): Download {
  const convert: FieldsConversion = { kind: "fields", compression: "none", ...fields };
  const url = `${archive}/${file}`;
  return original === undefined ? { url, convert } : { url, original, convert };
}
