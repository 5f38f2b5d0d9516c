import { formatNumber } from "vouch";

/** A Markdown table whose source is aligned too, for terminals: the first column flush left, numbers flush right. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows];
  const widths = titles.map((_, j) => Math.max(3, ...lines.map((line) => line[j].length)));
  const rule = widths.map((width, j) => (j === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  const text = lines.map((line) =>
    line.map((cell, j) => (j === 0 ? cell.padEnd(widths[j]) : cell.padStart(widths[j]))),
  );
  return [text[0], rule, ...text.slice(1)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A cell for a fraction such as an error: four decimals, or powers of ten where those would show nothing. */
export function fractionCell(fraction: number): string {
  return fraction === 0 || fraction >= 1e-3 ? fraction.toFixed(4) : formatNumber(fraction);
}
