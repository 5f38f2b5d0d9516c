import type { Confusion } from "@vouch/core/internal/metrics/evaluation";
import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { shortened } from "../../text/text.js";

/** A true class, the class predicted in its place, and how often. */
export interface ConfusedPair {
  readonly trueClass: number;
  readonly predicted: number;
  readonly rows: number;
  /** Fraction of the rows of the true class. */
  readonly share: number;
}

/** Lists the errors of a confusion matrix, the most frequent first. */
export function mostConfused({ matrix }: Confusion): ConfusedPair[] {
  return matrix
    .flatMap((row, trueClass) => {
      const all = sum(row);
      return Array.from(row, (rows, predicted) => ({ trueClass, predicted, rows, share: rows / all }));
    })
    .filter(({ trueClass, predicted, rows }) => predicted !== trueClass && rows > 0)
    .sort((a, b) => b.rows - a.rows);
}

function sum(row: readonly number[]): number {
  return row.reduce((all, count) => all + count, 0);
}

/** Maximum number of confusions to name. */
const MOST_NAMED = 2;
/** Maximum length of a class name in a sentence. */
const MOST_LETTERS = 30;

/** Describes how many rows are wrong and which classes are confused most. */
export function describeConfusion(confusion: Confusion): string {
  const { classes, matrix } = confusion;
  const rows = sum(matrix.map(sum));
  const pairs = mostConfused(confusion);
  const wrong = sum(pairs.map((pair) => pair.rows));
  if (wrong === 0) return `All ${formatCount(rows, "row")} are right.`;
  const start = `${formatNumber(wrong)} of ${formatCount(rows, "row")} ${verb(wrong)} wrong.`;
  if (pairs.length > MOST_NAMED && pairs[0].rows === 1) return `${start} No confusion occurs twice.`;
  const quoted = (k: number) => `“${shortened(classes[k], MOST_LETTERS)}”`;
  const named = pairs.slice(0, MOST_NAMED).map((pair) => {
    const all = formatNumber(sum(matrix[pair.trueClass]));
    return `${formatNumber(pair.rows)} of ${all} ${quoted(pair.trueClass)} ${verb(pair.rows)} taken for ${quoted(pair.predicted)} (${formatPercent(pair.share)})`;
  });
  const most = pairs.length > MOST_NAMED ? "Most often, " : "";
  return `${start} ${most}${named.join(", and ")}.`;
}

function verb(count: number): string {
  return count === 1 ? "is" : "are";
}
