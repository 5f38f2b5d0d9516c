import type { FieldsConversion } from "../../conversion.js";
import type { Download } from "../../entry.js";
import type { Fingerprint } from "../../file-facts.js";

const archive = "https://archive.ics.uci.edu/ml/machine-learning-databases";

/** The page of a data set in the UCI Machine Learning Repository. */
export const page = (path: string) => `https://archive.ics.uci.edu/dataset/${path}`;

/** How a data set of the repository is cited. */
export const uci = (title: string) => `UCI Machine Learning Repository, "${title}"`;

/** Of all data sets of the repository. */
export const licence = "CC BY 4.0";

/** How the rows of a text file are read. */
export type Fields = Omit<FieldsConversion, "kind" | "packing">;

/** A text file of the repository. */
export function text(file: string, fields: Fields, original?: Fingerprint): Download {
  const convert: FieldsConversion = { kind: "fields", packing: "none", ...fields };
  const url = `${archive}/${file}`;
  return original === undefined ? { url, convert } : { url, original, convert };
}
