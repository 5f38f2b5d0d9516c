import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** A blob that a message refers to. */
export interface BlobRef {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
}

/** Arrays and lists of strings of fewer bytes are a part of the message. */
export const LEAST_BLOB = 16_384;

/** Values within values, at most. */
export const MOST_DEPTH = 64;

/** Bytes of a message, at most. */
export const MOST_MESSAGE = 64 * 2 ** 20;

/** The byte that begins each value, by the kind of the value. The numbers are part of the format. */
export const VALUE = {
  null: 0,
  undefined: 1,
  false: 2,
  true: 3,
  integer: 4,
  float: 5,
  string: 6,
  /** A string with lone surrogates, which UTF-8 cannot hold. */
  wideString: 7,
  list: 8,
  object: 9,
  array: 10,
  arrayBlob: 11,
  stringsBlob: 12,
  /** An array that is in the message already: columns of sparse rows share theirs. */
  sameArray: 13,
} as const;

/** Makes the error of a message that `encodeValue` does not write. */
export function malformedMessage(why: string): VouchError {
  return new VouchError("cluster/malformed", `A message of the cluster is malformed: ${why}.`);
}
