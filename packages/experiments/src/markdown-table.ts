import { formatNumber } from "vouch";

/** A Markdown table whose source is aligned too, for terminals: columns of words flush left, of numbers flush right. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows];
  const columns = titles.map((_, j) => ({
    width: Math.max(3, ...lines.map((line) => line[j].length)),
    ofWords: j === 0 || rows.some((row) => WORD.test(row[j])),
  }));
  const rule = columns.map(({ width, ofWords }) =>
    ofWords ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  const text = lines.map((line) =>
    line.map((cell, j) =>
      columns[j].ofWords ? cell.padEnd(columns[j].width) : cell.padStart(columns[j].width),
    ),
  );
  return [text[0], rule, ...text.slice(1)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** What is no number: the "of" of "3 of 4" and the "e" of "1e-9" are shorter. */
const WORD = /\p{L}{3}/u;

/** A cell for a fraction such as an error: four decimals, or powers of ten where those would show nothing. */
export function fractionCell(fraction: number): string {
  return fraction === 0 || fraction >= 1e-3 ? fraction.toFixed(4) : formatNumber(fraction);
}
