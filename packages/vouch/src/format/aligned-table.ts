import { printable, shorten, wrap } from "../process/terminal.js";

/** A cell: numbers are right-aligned, text is left-aligned. */
export type AlignedCell = string | number;

/** A column's heading; `right` aligns text to the right, as for formatted numbers. */
interface Heading {
  readonly title: string;
  readonly right?: boolean;
  /** Wraps sentences that do not fit; other text is shortened. */
  readonly prose?: boolean;
  /** Prevents shortening, as for names to type. */
  readonly whole?: boolean;
}

/** Minimum width of a text column. */
const NARROWEST = 8;

/**
 * Aligns rows of cells as text. If they are wider than `columns` characters, the widest texts are shortened. If that is
 * not enough, columns continue below, starting with the first one again. A single column that is too wide is cut off.
 */
export function alignedTable(
  headings: readonly Heading[],
  rows: readonly AlignedCell[][],
  columns = 80,
): string {
  const text = rows.map((row) => row.map((cell) => printable(String(cell))));
  const titles = headings.map(({ title }) => printable(title));
  const lines = titles.some((title) => title !== "") ? [titles, ...text] : text;
  const all = headings.map((heading, j): TextColumn => {
    const right = heading.right === true || rows.some((row) => typeof row[j] === "number");
    const natural = Math.max(0, ...lines.map((line) => length(line[j])));
    const rigid = heading.whole === true || right;
    return { cells: lines.map((line) => line[j]), prose: heading.prose === true, right, rigid, natural };
  });
  return inBlocks(all, columns)
    .map((block) => blockText(block, columns))
    .join("\n\n");
}

interface TextColumn {
  readonly cells: readonly string[];
  readonly prose: boolean;
  readonly right: boolean;
  /** Whether it must not be shortened. */
  readonly rigid: boolean;
  /** Width without shortening. */
  readonly natural: number;
}

/** Groups columns that fit side by side; each block begins with the first column. */
function inBlocks(columns: readonly TextColumn[], room: number): TextColumn[][] {
  const least = ({ rigid, natural }: TextColumn) => 2 + (rigid ? natural : Math.min(natural, NARROWEST));
  const [first, ...others] = columns;
  const blocks: TextColumn[][] = [[first]];
  let taken = least(first);
  for (const column of others) {
    if (taken + least(column) > room && blocks[blocks.length - 1].length > 1) {
      blocks.push([first]);
      taken = least(first);
    }
    blocks[blocks.length - 1].push(column);
    taken += least(column);
  }
  return blocks;
}

function blockText(block: readonly TextColumn[], columns: number): string {
  const widths = fitted(
    block.map(({ natural }) => natural),
    block.map(({ rigid }) => rigid),
    columns - 2 * block.length,
  );
  return block[0].cells
    .flatMap((_, i) => {
      const parts = block.map(({ cells, prose }, j) =>
        prose ? wrap(cells[i], widths[j]).split("\n") : [shorten(cells[i], widths[j])],
      );
      const height = Math.max(...parts.map((part) => part.length));
      return Array.from({ length: height }, (_, k) => {
        const cells = parts.map((part, j) => padded(part[k] ?? "", widths[j], block[j].right));
        return shorten(`  ${cells.join("  ")}`.trimEnd(), columns);
      });
    })
    .join("\n");
}

/** Narrows the widest text columns until all fit, if possible. */
function fitted(natural: readonly number[], rigid: readonly boolean[], room: number): number[] {
  const widths = [...natural];
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, 0) - room;
    if (!(excess > 0)) return widths;
    const texts = widths.map((_, j) => j).filter((j) => !rigid[j] && widths[j] > NARROWEST);
    if (texts.length === 0) return widths;
    const widest = texts.reduce((a, b) => (widths[b] > widths[a] ? b : a));
    const next = Math.max(NARROWEST, ...texts.filter((j) => j !== widest).map((j) => widths[j]));
    // Shrinks to the next widest column, and below that one character at a time, so that equal columns shrink alike.
    widths[widest] -= Math.max(1, Math.min(excess, widths[widest] - next));
  }
}

function padded(cell: string, width: number, right: boolean): string {
  const gap = " ".repeat(Math.max(0, width - length(cell)));
  return right ? gap + cell : cell + gap;
}

/** Counts code points, which is close enough to the columns of a terminal. */
function length(text: string): number {
  return [...text].length;
}
