import { VouchError } from "vouch/errors";

/** Returns the error for a file that is no Parquet file, or a damaged one. */
export function malformedParquet(file: string, reason: string, cause?: unknown): VouchError {
  return new VouchError("data/malformed", `${file} is not a valid Parquet file: ${reason}`, {
    hint: "The file may be incomplete or damaged: write or download it again.",
    cause,
  });
}

/** Returns the error for a column whose cells are lists, maps or structs. */
export function nestedColumn(file: string, column: string, type: string): VouchError {
  return new VouchError("data/malformed", `${file}, column "${column}": its cells are nested (${type}).`, {
    hint: `Flatten the column, or leave it out with --ignore ${column}.`,
  });
}
