import { VouchError } from "vouch";

/** The error of too few rows with the name of the data, which the library gives without knowing how they were asked for. */
export function namingData(error: unknown, name: string, hint: string): unknown {
  if (!(error instanceof VouchError) || error.code !== "data/too-few-rows") return error;
  return new VouchError(error.code, `${name}: ${error.message}`, { hint, cause: error });
}
