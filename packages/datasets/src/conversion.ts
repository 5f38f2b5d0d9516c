/** How the bytes of an original are packed. */
export type Packing = "none" | "gzip" | "bzip2";

/** Lines `label index:value …`, written dense: an absent index is 0. */
export interface LibsvmConversion {
  readonly kind: "libsvm";
  readonly packing: Packing;
  /** Names of the features, in the order of the indices, which start at 1. */
  readonly columns: readonly string[];
  /** What the label is written as, where it differs from the original. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Lines of fields without a header, or with `skipLines` lines before the first row. */
export interface FieldsConversion {
  readonly kind: "fields";
  readonly packing: Packing;
  /** What stands between two fields; blanks around a field are dropped. */
  readonly separator: "comma" | "blanks";
  /** Names of the features, in the order of the original, without the label and the dropped fields. */
  readonly columns: readonly string[];
  /** Position of the label, from 0; negative counts from the end, as in `Array.at`. */
  readonly label: number;
  /** Positions of fields that are no features, such as a name or an id. */
  readonly drop?: readonly number[];
  readonly skipLines?: number;
  /** Text that stands for a missing value. */
  readonly missing?: string;
  /** What the label is written as, where it differs from the original. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The field before the label is a word of which each letter is a feature. */
  readonly letters?: boolean;
  /** The rows that belong to this part, from 0, the end not included; all unless told. */
  readonly rows?: readonly [from: number, to: number];
}

/** How an original becomes a file of the catalogue: kept as it is, or rewritten as CSV. */
export type Conversion = { readonly kind: "keep" } | LibsvmConversion | FieldsConversion;
