import { printable, wrap } from "./terminal.js";

/** A cell: numbers are set flush right, text flush left. */
export type Cell = string | number;

/** A column's heading; `right` sets text flush right, as for formatted numbers. */
export interface Heading {
  readonly title: string;
  readonly right?: boolean;
  /** Sentences, which go on in the next line where they do not fit; other text is shortened there. */
  readonly prose?: boolean;
  /** Names that have to be typed again are never shortened. */
  readonly whole?: boolean;
}

/** Text columns do not get narrower than this; a table that still does not fit is cut off. */
const NARROWEST = 8;

/** Rows of cells as aligned text; where they are wider than `columns` characters, the widest texts give way. */
export function alignedTable(headings: readonly Heading[], rows: readonly Cell[][], columns = 80): string {
  const text = rows.map((row) => row.map((cell) => printable(String(cell))));
  const titles = headings.map(({ title }) => printable(title));
  const lines = titles.some((title) => title !== "") ? [titles, ...text] : text;
  const right = headings.map(
    ({ right }, j) => right === true || rows.some((row) => typeof row[j] === "number"),
  );
  const natural = headings.map((_, j) => Math.max(0, ...lines.map((line) => length(line[j]))));
  const rigid = headings.map(({ whole }, j) => whole === true || right[j]);
  const widths = fitted(natural, rigid, columns - 2 * headings.length);
  return lines
    .flatMap((line) => {
      const parts = line.map((cell, j) =>
        headings[j].prose ? wrap(cell, widths[j]).split("\n") : [shorten(cell, widths[j])],
      );
      const height = Math.max(...parts.map((part) => part.length));
      return Array.from({ length: height }, (_, k) => {
        const cells = parts.map((part, j) => padded(part[k] ?? "", widths[j], right[j]));
        return shorten(`  ${cells.join("  ")}`.trimEnd(), columns);
      });
    })
    .join("\n");
}

/** Widths that sum to at most `room`, where shortening the widest text columns can do that. */
function fitted(natural: readonly number[], rigid: readonly boolean[], room: number): number[] {
  const widths = [...natural];
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, 0) - room;
    if (!(excess > 0)) return widths;
    const texts = widths.map((_, j) => j).filter((j) => !rigid[j] && widths[j] > NARROWEST);
    if (texts.length === 0) return widths;
    const widest = texts.reduce((a, b) => (widths[b] > widths[a] ? b : a));
    const next = Math.max(NARROWEST, ...texts.filter((j) => j !== widest).map((j) => widths[j]));
    // Down to the next widest, and below it one character at a time, so that equals shrink alike.
    widths[widest] -= Math.max(1, Math.min(excess, widths[widest] - next));
  }
}

function padded(cell: string, width: number, right: boolean): string {
  const gap = " ".repeat(Math.max(0, width - length(cell)));
  return right ? gap + cell : cell + gap;
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
