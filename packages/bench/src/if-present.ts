import { VouchError } from "vouch";
import type { RaceResult } from "./race.js";

/** What the work gives; undefined where its data set is not on this machine. */
export async function ifPresent<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VouchError && error.code === "dataset/unavailable") return undefined;
    throw error;
  }
}

/** What is told of a race whose data set is not on this machine. */
export function withoutData(title: string): RaceResult {
  return { title, standings: [{ name: "vouch", absent: "the data set is not on this machine" }] };
}
