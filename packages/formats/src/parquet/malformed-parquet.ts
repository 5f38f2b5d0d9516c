import { listArgument } from "@vouch/core/internal/runtime/text/shell";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Creates the error for a file that is damaged or not Parquet. */
export function malformedParquet(file: string, reason: string, cause?: unknown): VouchError {
  return new VouchError("data/malformed", `${file} is not a valid Parquet file: ${reason}`, {
    hint: "The file may be incomplete or damaged: write or download it again.",
    cause,
  });
}

/** Creates the error for a column of lists, maps or structs. */
export function nestedColumn(file: string, column: string, type: string): VouchError {
  return new VouchError("data/malformed", `${file}, column "${column}": its cells are nested (${type}).`, {
    hint: `Flatten the column, or leave it out with --ignore ${listArgument([column])}.`,
  });
}

/** A valid encoding that is not supported without DuckDB. */
export class UnsupportedValues extends Error {}

/** Problem of a binary column, such as pictures. */
export const BINARY_VALUES = "its values are bytes, not text in UTF-8";

/** Creates the error for a column with unsupported storage. */
export function unsupportedColumn(file: string, column: string, { message }: UnsupportedValues): VouchError {
  return new VouchError("data/malformed", `${file}, column "${column}": ${message}.`, {
    hint: `Write the file in another way, or leave the column out with --ignore ${listArgument([column])}.`,
  });
}
