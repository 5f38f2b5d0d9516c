import type { Conversion } from "./conversion.js";
import { type Fingerprint, fileFacts } from "./file-facts.js";

/** Which rows of a data set a file holds. */
export type Part = "all" | "train" | "test";

/** Where a public original is, and how it becomes the catalogue's file. */
export interface Download {
  readonly url: string;
  /** Of the original as it is served, where it is known. */
  readonly original?: Fingerprint;
  readonly convert: Conversion;
}

/** One file of a data set, as it lies in `VOUCH_DATA`, in the shipped data or in the cache. */
export interface DatasetFile {
  readonly part: Part;
  /** Holds only the labels of the part; its features are in the file before it (IDX). */
  readonly labelsOnly?: boolean;
  /** Path inside the folder, with forward slashes; the same file without `.gz` is accepted too. */
  readonly name: string;
  readonly rows: number;
  readonly bytes?: number;
  readonly sha256?: string;
  /** The unpacked text. */
  readonly content?: Fingerprint;
  readonly download?: Download;
}

/** A data set whose official split into training and test rows must be kept to compare results, or none. */
export type Split = "official" | "none";

/** A data set of the catalogue. */
export interface DatasetEntry {
  readonly name: string;
  readonly title: string;
  /** Number of feature columns, the target not counted. */
  readonly features: number;
  /** Number of classes in all parts together. */
  readonly classes: number;
  /** The features in words, such as "7 integers, 13 categorical". */
  readonly kinds: string;
  readonly split: Split;
  /** At least one file comes sorted by class: it must be shuffled before it is split. */
  readonly sortedByClass: boolean;
  /** The column that holds the class. */
  readonly target: string;
  /** Who made it and where it was published. */
  readonly source: string;
  /** Public addresses of the original. */
  readonly urls: readonly string[];
  readonly licence: string;
  readonly files: readonly DatasetFile[];
  /** What to know before using it. */
  readonly notes: readonly string[];
  /** For a set that cannot be fetched: how to make its files from the original. */
  readonly byHand?: string;
  /** Comes with the package, in its data folder. */
  readonly shipped: boolean;
}

/** The options of an entry that most entries leave at their default. */
type Defaulted = "target" | "sortedByClass" | "notes" | "shipped";

/** An entry with the usual target and without traps, unless it says otherwise. */
export function dataset(
  entry: Omit<DatasetEntry, Defaulted> & Partial<Pick<DatasetEntry, Defaulted>>,
): DatasetEntry {
  return { target: "label", sortedByClass: false, notes: [], shipped: false, ...entry };
}

/** A file whose rows, size and checksum are in the table of file facts. */
export function knownFile(part: Part, name: string, download?: Download): DatasetFile {
  const facts = fileFacts[name];
  if (facts === undefined) throw new Error(`The file facts lack ${name}.`);
  return download === undefined ? { part, name, ...facts } : { part, name, ...facts, download };
}
