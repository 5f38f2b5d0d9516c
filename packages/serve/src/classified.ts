import type { ClassifiedTable } from "vouch/predict";
import type { RowReasons } from "vouch/train";

/** Classified rows, and what is to be said about them. */
export interface Classified {
  readonly answers: ClassifiedTable;
  readonly notices: readonly string[];
  /** The reasons of each row; absent if they were not asked for. */
  readonly reasons?: readonly RowReasons[];
}
