/** A cell: numbers are set flush right, text flush left. */
export type Cell = string | number;

/** A column's heading; `right` sets text flush right, as for formatted numbers. */
export interface Heading {
  readonly title: string;
  readonly right?: boolean;
}

/**
 * Rows of cells as aligned text. A line longer than `columns` characters is shortened in its last column, so
 * that a table keeps its shape on a narrow terminal.
 */
export function alignedTable(headings: readonly Heading[], rows: readonly Cell[][], columns = 80): string {
  const text = rows.map((row) => row.map(String));
  const titles = headings.map(({ title }) => title);
  const lines = titles.some((title) => title !== "") ? [titles, ...text] : text;
  const widths = headings.map((_, j) => lines.reduce((widest, line) => Math.max(widest, length(line[j])), 0));
  return lines
    .map((line, i) => {
      const isTitle = lines !== text && i === 0;
      const cells = line.map((cell, j) => {
        const flushRight =
          headings[j].right || (!isTitle && typeof rows[i - (lines === text ? 0 : 1)][j] === "number");
        const gap = " ".repeat(widths[j] - length(cell));
        return flushRight ? gap + cell : cell + gap;
      });
      return shorten(`  ${cells.join("  ")}`.trimEnd(), columns);
    })
    .join("\n");
}

/** Text cut to at most `columns` characters, with an ellipsis where something is missing. */
export function shorten(text: string, columns: number): string {
  const characters = [...text];
  return characters.length <= columns ? text : `${characters.slice(0, Math.max(0, columns - 1)).join("")}…`;
}

/** Characters as a terminal counts them, near enough: code points, so that “é” and “𝒟” count one. */
function length(text: string): number {
  return [...text].length;
}
