import { mean, standardDeviation } from "@vouch/core/internal/runtime/maths/statistics";
import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";

/** Formats a Markdown table whose source is aligned, too: words to the left, numbers to the right. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows];
  const columns = titles.map((_, j) => ({
    width: Math.max(3, ...lines.map((line) => line[j].length)),
    hasWords: j === 0 || rows.some((row) => WORD.test(row[j])),
  }));
  const rule = columns.map(({ width, hasWords }) =>
    hasWords ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  const text = lines.map((line) =>
    line.map((cell, j) =>
      columns[j].hasWords ? cell.padEnd(columns[j].width) : cell.padStart(columns[j].width),
    ),
  );
  return [text[0], rule, ...text.slice(1)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Numeric cells never contain three letters in a row; the "of" of "3 of 4" and the "e" of "1e-9" are shorter. */
const WORD = /\p{L}{3}/u;

/** Formats a fraction such as an error with four decimals, or as a power of ten if those would show nothing. */
export function fractionCell(fraction: number): string {
  return fraction === 0 || fraction >= 1e-3 ? fraction.toFixed(4) : formatNumber(fraction);
}

/** Computes the standard error of the mean; 0 for a single number. */
export function standardError(values: readonly number[]): number {
  return standardDeviation(values) / Math.sqrt(values.length);
}

/**
 * Formats fractions, such as the accuracies of several seeds, in per cent: mean ± standard error, or a single value
 * without ±.
 */
export function percentCell(fractions: readonly number[]): string {
  const percent = (100 * mean(fractions)).toFixed(2);
  return fractions.length > 1 ? `${percent} ± ${(100 * standardError(fractions)).toFixed(2)}` : percent;
}

/** Formats the mean difference of paired fractions in percentage points, with its sign and standard error. */
export function differenceCell(fractions: readonly number[], others: readonly number[]): string {
  const differences = fractions.map((fraction, i) => fraction - others[i]);
  return (mean(differences) > 0 ? "+" : "") + percentCell(differences);
}
