import { listArgument } from "@vouch/core/internal/runtime/text/shell";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Returns the error for a file that is not a Parquet file, or a damaged one. */
export function malformedParquet(file: string, reason: string, cause?: unknown): VouchError {
  return new VouchError("data/malformed", `${file} is not a valid Parquet file: ${reason}`, {
    hint: "The file may be incomplete or damaged: write or download it again.",
    cause,
  });
}

/** Returns the error for a column whose cells are lists, maps or structs. */
export function nestedColumn(file: string, column: string, type: string): VouchError {
  return new VouchError("data/malformed", `${file}, column "${column}": its cells are nested (${type}).`, {
    hint: `Flatten the column, or leave it out with --ignore ${listArgument([column])}.`,
  });
}

/** A way to store values that is valid, but not read without DuckDB. */
export class UnsupportedValues extends Error {}

/** What is wrong with a column of bytes, such as pictures. */
export const BINARY_VALUES = "its values are bytes, not text in UTF-8";

/** Returns the error for a column whose values are stored in an unsupported way. */
export function unsupportedColumn(file: string, column: string, { message }: UnsupportedValues): VouchError {
  return new VouchError("data/malformed", `${file}, column "${column}": ${message}.`, {
    hint: `Write the file in another way, or leave the column out with --ignore ${listArgument([column])}.`,
  });
}
