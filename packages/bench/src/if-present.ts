import { VouchError } from "vouch";

/** What the work gives; undefined where its data set is not on this machine. */
export async function ifPresent<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VouchError && error.code === "dataset/unavailable") return undefined;
    throw error;
  }
}
