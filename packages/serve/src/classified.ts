import type { ClassifiedTable } from "vouch/predict";

/** Classified rows, and what is to be said about them. */
export interface Classified {
  readonly answers: ClassifiedTable;
  readonly notices: readonly string[];
}
