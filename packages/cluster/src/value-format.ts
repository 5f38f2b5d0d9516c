import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** A reference to a blob. */
export interface BlobRef {
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
}

/** Smaller arrays and lists of strings, in bytes, are part of the message. */
export const LEAST_BLOB = 16_384;

/** Maximum nesting depth. */
export const MOST_DEPTH = 64;

/** Maximum size of a message, in bytes. */
export const MOST_MESSAGE = 64 * 2 ** 20;

/** Type byte of each kind of value. The numbers are part of the format. */
export const VALUE = {
  null: 0,
  undefined: 1,
  false: 2,
  true: 3,
  integer: 4,
  float: 5,
  string: 6,
  /** A string with lone surrogates, which UTF-8 cannot represent. */
  wideString: 7,
  list: 8,
  object: 9,
  array: 10,
  arrayBlob: 11,
  stringsBlob: 12,
  /** An array that the message already contains; columns of sparse rows share theirs. */
  sameArray: 13,
} as const;

/** Creates the error for a message that `encodeValue` would not write. */
export function malformedMessage(why: string): VouchError {
  return new VouchError("cluster/malformed", `A message of the cluster is malformed: ${why}.`);
}
