import { formatCount } from "../runtime/text/number-format.js";
import { listNames } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import { shortText } from "../table/column-content.js";

/** Kinds of findings, gravest first. */
const FINDING_KINDS = ["empty", "swapped", "scale", "range", "missing", "levels", "shift"] as const;

/** A way in which new rows differ from the training rows. */
export interface DataShift {
  /**
   * `empty`: rows without any value. `swapped`: a column looks like another one. `scale`: numbers look multiplied.
   * `range`: numbers outside the training range. `missing`: more missing cells. `levels`: unknown categories. `shift`:
   * another distribution of numbers or categories.
   */
  readonly kind: (typeof FINDING_KINDS)[number];
  /** The columns concerned; none for `empty`. */
  readonly columns: readonly string[];
  /** Number of rows concerned; for a shift, the minimum number that would have to change. */
  readonly rows: number;
  readonly text: string;
}

/** Sorts findings: gravest kind first, then by the number of rows. */
export function byGravity(a: DataShift, b: DataShift): number {
  return FINDING_KINDS.indexOf(a.kind) - FINDING_KINDS.indexOf(b.kind) || b.rows - a.rows;
}

/** Maximum number of findings to show in full. */
const MOST_TOLD = 10;

/** Formats findings: the first ten in full, and the columns of the rest. */
export function shiftLines(findings: readonly DataShift[]): string[] {
  const told = findings.slice(0, MOST_TOLD);
  const known = new Set(told.flatMap(({ columns }) => columns));
  const others = findings.slice(MOST_TOLD).flatMap(({ columns }) => columns);
  const more = [...new Set(others)].filter((name) => !known.has(name));
  const lines = told.map(({ text }) => text);
  if (more.length === 0) return lines;
  const columns = formatCount(more.length, "more column looks", "more columns look");
  return [...lines, `And ${columns} unlike the training rows: ${listNames(more.map(shortText))}.`];
}

/** Creates the error for rows that are unlike the training rows. */
export function shiftError(table: string, findings: readonly DataShift[]): VouchError {
  return new VouchError(
    "data/unlike-training",
    `${table} is unlike the training rows of the model. ${shiftLines(findings).join(" ")}`,
    { hint: "Correct the columns. Without --strict this is only a note." },
  );
}
