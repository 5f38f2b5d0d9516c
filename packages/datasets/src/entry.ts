/** Size and SHA-256 of a file. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** Compression of a published file. */
export type Compression = "none" | "gzip" | "bzip2";

/** Conversion of `label index:value …` lines to dense CSV; an absent index is 0. */
export interface LibsvmConversion {
  readonly kind: "libsvm";
  readonly compression: Compression;
  /** Names of the features, in the order of the indices, which start at 1. */
  readonly columns: readonly string[];
  /** New names of classes. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Conversion of lines of fields to CSV. */
export interface FieldsConversion {
  readonly kind: "fields";
  readonly compression: Compression;
  /** Separator of fields; blanks around a field are dropped. */
  readonly separator: "comma" | "blanks";
  /** Names of the features in order, without label and dropped fields. */
  readonly columns: readonly string[];
  /** Position of the label, from 0; negative counts from the end, as in `Array.at`. */
  readonly label: number;
  /** Positions of fields that are not features, such as an id. */
  readonly drop?: readonly number[];
  /** Number of lines before the first row. */
  readonly skipLines?: number;
  /** Marker of a missing value. */
  readonly missing?: string;
  /** New names of classes. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether each letter of the one remaining field is a feature. */
  readonly letters?: boolean;
  /** Rows of this part, from 0, excluding the end (default: all). */
  readonly rows?: readonly [from: number, to: number];
}

/** How to make a file of the catalogue from the published one: keep it, or convert it to CSV. */
export type Conversion = { readonly kind: "keep" } | LibsvmConversion | FieldsConversion;

/** Address of a published file, and its conversion to the catalogue's form. */
export interface Download {
  readonly url: string;
  /** Digest of the published file, if known. */
  readonly original?: FileDigest;
  readonly convert: Conversion;
}

/** The part of a data set in a file. */
export type DatasetPart = "all" | "train" | "test";

/** A file of a data set in `VOUCH_DATA`, in the shipped data or in the cache. */
export interface DatasetFile {
  readonly part: DatasetPart;
  /** Whether it contains only the labels; the features are in the previous file (IDX). */
  readonly labelsOnly?: boolean;
  /** Path inside the folder, with forward slashes; the same file without `.gz` is accepted, too. */
  readonly name: string;
  readonly rows: number;
  readonly bytes?: number;
  readonly sha256?: string;
  /** Digest of the decompressed text. */
  readonly content?: FileDigest;
  readonly download?: Download;
}

/** A data set of the catalogue. */
export interface DatasetEntry {
  readonly name: string;
  readonly title: string;
  /** Number of feature columns, without the target. */
  readonly features: number;
  /** Number of classes in all parts together. */
  readonly classes: number;
  /** Description of the features, such as "7 integers, 13 categorical". */
  readonly kinds: string;
  /** Whether there is an official split into training and test rows. Keep to it to compare results. */
  readonly split: "official" | "none";
  /** Whether a file is sorted by class: shuffle it before you split it. */
  readonly sortedByClass: boolean;
  /** Column with the class. */
  readonly target: string;
  /** Authors and publication. */
  readonly source: string;
  /** Public addresses of the original. */
  readonly urls: readonly string[];
  readonly licence: string;
  readonly files: readonly DatasetFile[];
  /** Remarks to read before use. */
  readonly notes: readonly string[];
  /** How to make the files from the original, for a data set that cannot be downloaded. */
  readonly byHand?: string;
  /** Whether it is shipped in the package's data folder. */
  readonly shipped: boolean;
}
